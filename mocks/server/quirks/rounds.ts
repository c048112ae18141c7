/** basic/patterns/mrtr: legal forms of input-required results and of states. */

import { envelopeKeys } from '../../../harness/record/envelope.js';
import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  quirk as anyQuirk,
  type Middleware,
  onReply,
  onRequest,
  onResult,
  type Quirk,
  result,
  showing,
} from '../../fault.js';
import { isStateless, paramsOf } from '../faults/shared.js';
import { codes } from '../refusal.js';

const quirk = (id: string, what: string, ...middleware: Middleware[]): Quirk =>
  anyQuirk(id, { what, where: isStateless }, ...middleware);

const isQuestion = (body: JsonObject): boolean => body.resultType === 'input_required';

const withParams = (ask: JsonObject, changes: JsonObject): JsonObject => ({
  ...ask,
  params: { ...paramsOf(ask), ...changes },
});

/** States of another form: `read` is undefined for a text that is not of this form. */
const stateForm = (
  write: (state: string) => string,
  read: (state: string) => string | undefined,
): readonly Middleware[] => [
  onRequest('tools/call', ask => {
    const { requestState } = paramsOf(ask);
    const state = typeof requestState === 'string' ? read(requestState) : undefined;
    return state === undefined ? ask : withParams(ask, { requestState: state });
  }),
  onResult('tools/call', body =>
    isQuestion(body) && typeof body.requestState === 'string'
      ? { ...body, requestState: write(body.requestState) }
      : body,
  ),
];

/** A state between two texts. */
const between = (before: string, after: string): readonly Middleware[] =>
  stateForm(
    state => before + state + after,
    text =>
      text.startsWith(before) && text.endsWith(after) && text.length > before.length + after.length
        ? text.slice(before.length, text.length - after.length)
        : undefined,
  );

const renamed = (json: Json | undefined, rename: (key: string) => string): JsonObject =>
  Object.fromEntries(Object.entries(isObject(json) ? json : {}).map(([key, value]) => [rename(key), value]));

/** Questions under other keys. */
const keyForm = (write: (key: string) => string, read: (key: string) => string): readonly Middleware[] => [
  onRequest('tools/call', ask => {
    const { inputResponses } = paramsOf(ask);
    return isObject(inputResponses)
      ? withParams(ask, { inputResponses: renamed(inputResponses, read) })
      : ask;
  }),
  onResult('tools/call', body =>
    isQuestion(body) ? { ...body, inputRequests: renamed(body.inputRequests, write) } : body,
  ),
];

const separator = '/';

const declaresElicitation = (ask: JsonObject): boolean => {
  const { _meta: meta } = paramsOf(ask);
  const declared = isObject(meta) ? meta[envelopeKeys.clientCapabilities] : undefined;
  return isObject(declared) && isObject(declared.elicitation);
};

const consent: JsonObject = {
  consent: {
    method: 'elicitation/create',
    params: {
      message: 'May this be read?',
      requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
    },
  },
};

const isAsking = (name: Json | undefined): boolean =>
  typeof name === 'string' && /^test_(input_required_|elicitation|sampling|roots)/.test(name);

const answersSchema: JsonObject = {
  type: 'object',
  properties: { answers: { type: 'integer' } },
  required: ['answers'],
};

/** A method asks for consent before the result of one item. */
const asksFirst = (method: string, isOf: (params: JsonObject) => boolean): Middleware =>
  onResult(method, (body, ask) => {
    const params = paramsOf(ask);
    return isOf(params) && declaresElicitation(ask) && params.inputResponses === undefined
      ? { resultType: 'input_required', inputRequests: consent, _meta: body._meta ?? {} }
      : body;
  });

export const roundQuirks: readonly Quirk[] = [
  showing(
    ['tools.output-schema-conformance#asks-first', 'mrtr.one-of-two#output-schema'],
    quirk(
      'asking-tools-have-output-schemas',
      'Tools that ask for input have an output schema, which only their last result conforms to.',
      onResult('tools/list', body => ({
        ...body,
        tools: (body.tools as readonly JsonObject[]).map(tool =>
          isAsking(tool.name) ? { ...tool, outputSchema: answersSchema } : tool,
        ),
      })),
      onResult('tools/call', (body, ask) => {
        if (isQuestion(body) || body.isError === true || !isAsking(paramsOf(ask).name)) return body;
        const structuredContent = { answers: 1 };
        const copy = { type: 'text', text: JSON.stringify(structuredContent) };
        return { ...body, content: [...(body.content as readonly Json[]), copy], structuredContent };
      }),
    ),
  ),
  showing(
    ['mrtr.state-untrusted#any-form'],
    quirk('state-long', 'A requestState has 20,000 characters.', ...between('', `.${'x'.repeat(20_000)}`)),
  ),
  showing(
    ['mrtr.state-untrusted#any-form'],
    quirk(
      'state-with-odd-characters',
      'A requestState contains quotes, a line feed, U+2028, a lone zero byte and characters outside of the BMP.',
      ...between('"\n\u2028\u0000 é🎉{', '}\t'),
    ),
  ),
  showing(
    ['mrtr.state-untrusted#any-form'],
    quirk('state-like-json', 'A requestState is the text of a JSON object.', ...between('{"state":"', '"}')),
  ),
  showing(
    ['mrtr.state-untrusted#any-form'],
    quirk('state-like-number', 'A requestState begins with digits.', ...between('007', '')),
  ),

  showing(
    ['mrtr.one-of-two#questions-alone'],
    quirk(
      'state-in-keys',
      'Input-required results have no requestState: the keys of the questions name the call.',
      onRequest('tools/call', ask => {
        const { inputResponses, requestState } = paramsOf(ask);
        const [key] = Object.keys(isObject(inputResponses) ? inputResponses : {});
        if (requestState !== undefined || !key?.includes(separator)) return ask;
        const state = key.slice(key.indexOf(separator) + 1);
        const plain = renamed(inputResponses, name => name.split(separator)[0]!);
        return withParams(ask, { inputResponses: plain, requestState: state });
      }),
      onResult('tools/call', body => {
        if (!isQuestion(body)) return body;
        const named = renamed(body.inputRequests, key => `${key}${separator}${String(body.requestState)}`);
        return { ...without(body, 'requestState'), inputRequests: named };
      }),
    ),
  ),

  showing(
    ['mrtr.one-of-two#state-alone'],
    quirk(
      'state-before-questions',
      'The first tools/call of a tool that asks gets a requestState and no questions.',
      onRequest('tools/call', ask =>
        paramsOf(ask).requestState === 'begin'
          ? { ...ask, params: without(paramsOf(ask), 'requestState', 'inputResponses') }
          : ask,
      ),
      onResult('tools/call', (body, ask) =>
        isQuestion(body) && paramsOf(ask).requestState === undefined
          ? { resultType: 'input_required', requestState: 'begin', _meta: body._meta ?? {} }
          : body,
      ),
    ),
  ),

  showing(
    ['mrtr.keys-unique#asked-again'],
    quirk(
      'questions-twice',
      'Each question is asked a second time, whatever the first answer was.',
      onRequest('tools/call', ask => {
        const { requestState, inputResponses } = paramsOf(ask);
        if (typeof requestState !== 'string' || inputResponses === undefined) return ask;
        return requestState.startsWith('2:')
          ? withParams(ask, { requestState: requestState.slice(2) })
          : withParams(ask, { inputResponses: {} });
      }),
      onResult('tools/call', (body, ask) => {
        const { requestState } = paramsOf(ask);
        const isSecond = typeof requestState === 'string' && !requestState.startsWith('2:');
        return isQuestion(body) && isSecond
          ? { ...body, requestState: `2:${String(body.requestState)}` }
          : body;
      }),
    ),
  ),

  showing(
    ['mrtr.request-kinds#one-by-one'],
    quirk(
      'questions-one-by-one',
      'Input-required results have one question each.',
      onResult('tools/call', body => {
        const [first] = Object.entries(isObject(body.inputRequests) ? body.inputRequests : {});
        return isQuestion(body) && first ? { ...body, inputRequests: Object.fromEntries([first]) } : body;
      }),
    ),
  ),

  showing(
    ['mrtr.keys-unique#odd'],
    quirk(
      'question-keys-odd',
      'The keys of questions are empty, or have blanks, quotes and dots.',
      ...keyForm(
        key => (key === 'question-1' ? '' : ` "${key}". `),
        key => (key === '' ? 'question-1' : key.replace(/^ "|"\. $/g, '')),
      ),
    ),
  ),
  showing(
    ['mrtr.keys-unique#inherited-names'],
    quirk(
      'question-keys-of-objects',
      'The keys of questions are names of members that each JavaScript object has.',
      ...keyForm(
        key => (key === 'question-1' ? '__proto__' : `constructor-${key}`),
        key => (key === '__proto__' ? 'question-1' : key.replace('constructor-', '')),
      ),
    ),
  ),

  showing(
    ['mrtr.no-other-requests#read-and-get'],
    quirk(
      'resource-asks-first',
      'resources/read of one resource asks for consent first.',
      asksFirst('resources/read', ({ uri }) => uri === 'test://static-text'),
    ),
  ),
  showing(
    ['mrtr.no-other-requests#read-and-get'],
    quirk(
      'prompt-asks-first',
      'prompts/get of one prompt asks for consent first.',
      asksFirst('prompts/get', ({ name }) => name === 'test_simple_prompt'),
    ),
  ),

  showing(
    ['mrtr.no-other-requests#read-and-get', 'prompts.missing-argument-error#asked'],
    quirk(
      'prompt-asks-for-argument',
      'prompts/get of one prompt without its required arguments asks the client for them.',
      onReply('prompts/get', (reply, ask) => {
        const { name, arguments: given } = paramsOf(ask);
        return name === 'test_prompt_with_arguments' && given === undefined && declaresElicitation(ask)
          ? result(ask, { resultType: 'input_required', inputRequests: consent })
          : reply;
      }),
    ),
  ),

  showing(
    ['mrtr.request-kinds#unknown-members'],
    quirk(
      'unknown-members-of-questions',
      'Input-required results and their questions have unknown members.',
      onResult('tools/call', body =>
        isQuestion(body)
          ? {
              ...body,
              'x-odd': [null],
              inputRequests: Object.fromEntries(
                Object.entries(isObject(body.inputRequests) ? body.inputRequests : {}).map(
                  ([key, question]) => [key, { ...(question as JsonObject), 'x-odd': { deep: [1.5] } }],
                ),
              ),
            }
          : body,
      ),
    ),
  ),

  showing(
    ['meta.missing-capability-error#never-asks'],
    quirk(
      'tool-cannot-ask',
      'A tool that wants to ask the client has no way to, and returns an internal error to each call.',
      onReply('tools/call', (reply, ask) =>
        paramsOf(ask).name === 'test_missing_capability'
          ? {
              jsonrpc: '2.0',
              id: ask.id ?? null,
              error: { code: codes.internalError, message: 'There is no channel to the client.' },
            }
          : reply,
      ),
    ),
  ),
];
