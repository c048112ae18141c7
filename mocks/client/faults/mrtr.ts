/** basic/patterns/mrtr: faults of clients in the requests that they send again. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { showing } from '../../fault.js';
import { isStateless, paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAnswer, onAsk, onBehaviour, onIncoming } from '../fault.js';

type Retry = JsonObject;

/** A client whose retries differ. @param change receives the additional members of a retry, and the result */
/** Changes the keys of the answers. */
const withKeys =
  (change: (key: string) => string) =>
  (retry: Retry): Retry =>
    isObject(retry.inputResponses)
      ? {
          ...retry,
          inputResponses: Object.fromEntries(
            Object.entries(retry.inputResponses).map(([key, answer]) => [change(key), answer]),
          ),
        }
      : retry;

const retrying = (
  id: string,
  what: string,
  breaks: readonly [RequirementId, ...RequirementId[]],
  change: (retry: Retry, result: JsonObject) => Retry,
) =>
  clientFault(
    id,
    { what, breaks, where: isStateless },
    onBehaviour(habits => {
      const { retries } = habits;
      habits.retries = async (result, answer) => change(await retries(result, answer), result);
    }),
  );

const stateRows = ['mrtr.client-echoes-state', 'mrtr.client-state-opaque'] as const;

const withState = (retry: Retry, state: (text: string) => Json): Retry =>
  typeof retry.requestState === 'string' ? { ...retry, requestState: state(retry.requestState) } : retry;

const without = (retry: Retry, name: string): Retry => {
  const { [name]: _, ...rest } = retry;
  return rest;
};

const firstAnswer = (retry: Retry, change: (answer: Json) => Json): Retry => {
  const answers = isObject(retry.inputResponses) ? retry.inputResponses : {};
  const [key] = Object.keys(answers);
  return key === undefined
    ? retry
    : { ...retry, inputResponses: { ...answers, [key]: change(answers[key]!) } };
};

/** Ids of requests by the tool, prompt or resource; and the id that the session knows for an id on the wire. */
const sameIds = () => ({ formers: new Map<string, Json>(), owns: new Map<Json, Json>() });

export const mrtrFaults = [
  showing(
    ['mrtr.client-echoes-state#trimmed', 'mrtr.client-state-opaque#changed'],
    retrying(
      'client-state-trimmed',
      'The client trims the requestState that it sends back.',
      stateRows,
      retry => withState(retry, text => text.trim()),
    ),
  ),
  showing(
    ['mrtr.client-echoes-state#parsed', 'mrtr.client-state-opaque#changed'],
    retrying(
      'client-state-parsed',
      'The client parses a requestState in JSON syntax, and sends it in another spelling.',
      stateRows,
      retry => withState(retry, text => (text.startsWith('{') ? JSON.stringify(JSON.parse(text)) : text)),
    ),
  ),
  showing(
    ['mrtr.client-echoes-state#trimmed', 'mrtr.client-state-opaque#changed'],
    retrying('client-state-cut', 'The client cuts a long requestState.', stateRows, retry =>
      withState(retry, text => text.slice(0, 1_000)),
    ),
  ),
  showing(
    ['mrtr.client-echoes-state#converted', 'mrtr.client-state-opaque#changed'],
    retrying(
      'client-state-decoded',
      'The client decodes percent signs in the requestState.',
      stateRows,
      retry => withState(retry, text => (text.includes('%') ? decodeURIComponent(text) : text)),
    ),
  ),
  showing(
    ['mrtr.client-echoes-state#missing', 'mrtr.client-state-opaque#changed'],
    retrying('client-state-forgotten', 'The client sends no requestState with answers.', stateRows, retry =>
      isObject(retry.inputResponses) ? without(retry, 'requestState') : retry,
    ),
  ),
  showing(
    ['mrtr.client-echoes-state#bare'],
    retrying(
      'client-state-ignored',
      'The client sends a request again as it was after a result that has a requestState and no questions.',
      ['mrtr.client-echoes-state'],
      retry => (isObject(retry.inputResponses) ? retry : without(retry, 'requestState')),
    ),
  ),
  showing(
    ['mrtr.client-echoes-state#empty'],
    retrying(
      'client-state-empty-forgotten',
      'The client sends no requestState where that of the result is empty.',
      ['mrtr.client-echoes-state'],
      retry => (retry.requestState === '' ? without(retry, 'requestState') : retry),
    ),
  ),
  showing(
    [
      'base.schema-valid#retry-malformed',
      'mrtr.client-echoes-state#no-text',
      'mrtr.client-state-opaque#changed',
    ],
    retrying(
      'client-state-in-an-object',
      'The client sends the requestState as an object.',
      [...stateRows, 'base.schema-valid'],
      retry => withState(retry, text => (text.startsWith('{') ? { state: text } : text)),
    ),
  ),

  showing(
    ['mrtr.client-echoes-state#converted', 'mrtr.client-state-opaque#changed'],
    retrying('client-state-in-capitals', 'The client sends the requestState in capitals.', stateRows, retry =>
      withState(retry, text => text.toUpperCase()),
    ),
  ),
  showing(
    ['mrtr.client-echoes-state#converted', 'mrtr.client-state-opaque#changed'],
    retrying('client-state-encoded', 'The client encodes the requestState for a URL.', stateRows, retry =>
      withState(retry, encodeURIComponent),
    ),
  ),
  showing(
    ['mrtr.client-echoes-state#trimmed', 'mrtr.client-state-opaque#changed'],
    retrying(
      'client-state-normalised',
      'The client writes each run of spaces in the requestState as one space.',
      stateRows,
      retry => withState(retry, text => text.replace(/\s+/g, ' ')),
    ),
  ),
  showing(
    ['mrtr.client-echoes-state#converted', 'mrtr.client-state-opaque#changed'],
    retrying(
      'client-state-composed',
      'The client writes the requestState with composed characters.',
      stateRows,
      retry => withState(retry, text => text.normalize('NFC')),
    ),
  ),
  clientFault(
    'client-state-of-first-round',
    {
      what: 'The client sends the requestState of the first round in every later round.',
      breaks: stateRows,
      shows: ['mrtr.client-echoes-state#earlier-round', 'mrtr.client-state-opaque#changed'],
      where: isStateless,
    },
    onBehaviour(habits => {
      const { retries } = habits;
      let first: Json | undefined;
      habits.retries = async (result, answer) => {
        const retry = await retries(result, answer);
        first ??= retry.requestState;
        return typeof retry.requestState === 'string' && first !== undefined
          ? { ...retry, requestState: first }
          : retry;
      };
    }),
  ),
  clientFault(
    'client-state-of-latest-call',
    {
      what: 'The client sends the requestState that it received last, whichever call it belongs to.',
      breaks: ['mrtr.client-scope', 'mrtr.retry-same-request'],
      shows: ['mrtr.client-scope#other-call'],
      where: isStateless,
    },
    onBehaviour(habits => {
      const { retries } = habits;
      let latest: Json | undefined;
      habits.retries = async (result, answer) => {
        latest = result.requestState;
        const retry = await retries(result, answer);
        return typeof retry.requestState === 'string' && typeof latest === 'string'
          ? { ...retry, requestState: latest }
          : retry;
      };
    }),
  ),
  showing(
    ['base.schema-valid#retry-malformed', 'mrtr.client-answers-requests#no-object'],
    retrying(
      'client-answers-as-text',
      'The client sends its answers as JSON in a text.',
      ['mrtr.client-answers-requests', 'base.schema-valid'],
      retry =>
        isObject(retry.inputResponses)
          ? { ...retry, inputResponses: JSON.stringify(retry.inputResponses) }
          : retry,
    ),
  ),

  clientFault(
    'client-state-kept',
    {
      what: 'The client sends the requestState of an earlier round again where the result has none.',
      breaks: ['mrtr.client-no-invented-state'],
      shows: ['mrtr.client-no-invented-state#kept'],
      where: isStateless,
    },
    onBehaviour(habits => {
      const { retries } = habits;
      let last: Json | undefined;
      habits.retries = async (result, answer) => {
        const retry = await retries(result, answer);
        last = retry.requestState ?? last;
        return last === undefined ? retry : { ...retry, requestState: last };
      };
    }),
  ),
  showing(
    ['base.schema-valid#retry-malformed', 'mrtr.client-no-invented-state#is-null'],
    retrying(
      'client-state-null',
      'The client sends a requestState of null where the result has none.',
      ['mrtr.client-no-invented-state', 'base.schema-valid'],
      retry => ('requestState' in retry ? retry : { ...retry, requestState: null }),
    ),
  ),

  clientFault(
    'client-retry-under-same-id',
    {
      what: 'The client sends a request again under its former id.',
      breaks: ['mrtr.retry-new-id', 'tools.retry-uses-new-id'],
      shows: ['tools.retry-uses-new-id#same-id', 'mrtr.retry-new-id#same-id'],
      where: isStateless,
    },
    onAsk(['tools/call', 'prompts/get', 'resources/read'], (ask, context) => {
      const { inputResponses, requestState } = paramsOf(ask);
      const { formers, owns } = context.keep(sameIds);
      const key = JSON.stringify(paramsOf(ask).name ?? paramsOf(ask).uri);
      const former = formers.get(key);
      if ((inputResponses === undefined && requestState === undefined) || former === undefined) {
        formers.set(key, ask.id!);
        return ask;
      }
      owns.set(former, ask.id!);
      return { ...ask, id: former };
    }),
    onIncoming((message, context) => {
      const own = isObject(message) ? context.keep(sameIds).owns.get(message.id!) : undefined;
      return isObject(message) && own !== undefined ? { ...message, id: own } : message;
    }),
  ),
  clientFault(
    'client-retry-with-other-arguments',
    {
      what: 'The client sends tools/call again without its arguments.',
      breaks: ['mrtr.retry-same-request'],
      shows: ['mrtr.retry-same-request#other-params'],
      where: isStateless,
    },
    onAsk('tools/call', ask => {
      const { arguments: _, ...rest } = paramsOf(ask);
      return rest.requestState === undefined ? ask : { ...ask, params: rest };
    }),
  ),
  clientFault(
    'client-retry-of-all-requests',
    {
      what: 'The client sends the last requestState with every later request.',
      breaks: ['mrtr.client-scope'],
      shows: ['mrtr.client-scope#other-request'],
      where: isStateless,
    },
    onAsk('*', (ask, context) => {
      const { requestState } = paramsOf(ask);
      const last = context.keep<{ state?: Json }>(() => ({}));
      if (requestState !== undefined) last.state = requestState;
      const isOther = String(ask.method).endsWith('/list');
      return isOther && last.state !== undefined
        ? { ...ask, params: { ...paramsOf(ask), requestState: last.state } }
        : ask;
    }),
  ),

  clientFault(
    'client-answers-in-calls-only',
    {
      what: 'The client sends prompts/get and resources/read again without answers to their questions.',
      breaks: ['mrtr.client-answers-requests'],
      shows: ['mrtr.client-answers-requests#calls-only'],
      where: isStateless,
    },
    onAsk(['prompts/get', 'resources/read'], ask => {
      const { inputResponses: _, ...rest } = paramsOf(ask);
      return { ...ask, params: rest };
    }),
  ),
  clientFault(
    'client-retry-of-prompt-without-arguments',
    {
      what: 'The client sends prompts/get again without its arguments.',
      breaks: ['mrtr.retry-same-request', 'prompts.required-arguments-sent'],
      shows: ['mrtr.retry-same-request#prompt-arguments'],
      where: isStateless,
    },
    onAsk('prompts/get', ask => {
      const { arguments: _, ...rest } = paramsOf(ask);
      return rest.requestState === undefined ? ask : { ...ask, params: rest };
    }),
  ),

  showing(
    ['mrtr.client-answers-requests#none'],
    retrying(
      'client-answers-left-out',
      'The client sends a request again without answers to its questions.',
      ['mrtr.client-answers-requests'],
      retry => without(retry, 'inputResponses'),
    ),
  ),
  showing(
    ['base.schema-valid#retry-malformed', 'mrtr.client-answers-requests#no-object'],
    retrying(
      'client-answers-in-an-array',
      'The client sends the answers to questions in an array.',
      ['mrtr.client-answers-requests', 'base.schema-valid'],
      retry =>
        isObject(retry.inputResponses)
          ? { ...retry, inputResponses: Object.values(retry.inputResponses) }
          : retry,
    ),
  ),
  showing(
    ['base.schema-valid#retry-malformed', 'mrtr.client-answers-requests#wrong-type'],
    retrying(
      'client-answer-wrapped',
      'The client wraps the answer to roots/list in a JSON-RPC response.',
      ['mrtr.client-answers-requests', 'base.schema-valid'],
      retry =>
        firstAnswer(retry, answer =>
          isObject(answer) && 'roots' in answer ? { jsonrpc: '2.0', id: 1, result: answer } : answer,
        ),
    ),
  ),
  showing(
    ['mrtr.response-keys#missing'],
    retrying(
      'client-answer-of-one-question',
      'The client answers the first question only.',
      ['mrtr.response-keys'],
      retry => {
        const answers = isObject(retry.inputResponses) ? Object.entries(retry.inputResponses) : [];
        return answers.length > 1
          ? { ...retry, inputResponses: Object.fromEntries(answers.slice(0, 1)) }
          : retry;
      },
    ),
  ),
  showing(
    ['mrtr.response-keys#other-case'],
    retrying(
      'client-answer-keys-in-lower-case',
      'The client writes the keys of its answers in lower case.',
      ['mrtr.response-keys'],
      withKeys(key => key.toLowerCase()),
    ),
  ),
  showing(
    ['mrtr.response-keys#changed'],
    retrying(
      'client-answer-keys-changed',
      'The client replaces dots in the keys of questions by underscores.',
      ['mrtr.response-keys'],
      withKeys(key => key.replaceAll('.', '_')),
    ),
  ),
  clientFault(
    'client-answer-without-action',
    {
      what: 'The client answers an elicitation without an action.',
      breaks: [
        'mrtr.client-answers-requests',
        'base.schema-valid',
        'elicitation.action-three-way',
        'elicitation.ui-decline-and-cancel',
      ],
      shows: [
        'base.schema-valid#member-missing',
        'mrtr.client-answers-requests#wrong-type',
        'elicitation.action-three-way#no-action',
        'elicitation.ui-decline-and-cancel#no-action',
      ],
      where: isStateless,
    },
    onAnswer('elicitation/create', ({ action: _, ...rest }) => rest),
  ),
];
