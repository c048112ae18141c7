/**
 * basic/utilities/progress: faults of clients in progress tokens, in their progress notifications, and with
 * those of the server.
 */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { notification } from '../../fault.js';
import { hasHandshake, paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAsk, onHttp, onIncoming, onNotification, onReply } from '../fault.js';

const progress = 'notifications/progress';
const sampling = 'sampling/createMessage';

/** Tasks have their own progress and their own faults. */
const askedPlainly = (ask: JsonObject): Json | undefined =>
  paramsOf(ask).task === undefined ? tokenOf(ask) : undefined;

const tokenOf = (message: JsonObject): Json | undefined => {
  const { _meta: meta } = paramsOf(message);
  return isObject(meta) ? meta.progressToken : undefined;
};

/** Changes the progress tokens of the client's requests. */
const onToken = (token: Json) =>
  onAsk('*', ask =>
    tokenOf(ask) === undefined
      ? ask
      : {
          ...ask,
          params: {
            ...paramsOf(ask),
            _meta: { ...(paramsOf(ask)._meta as JsonObject), progressToken: token },
          },
        },
  );

/** Changes the progress notifications of the client. */
const onProgress = (change: (params: JsonObject) => JsonObject) =>
  onNotification(progress, note =>
    paramsOf(note)._meta === undefined ? { ...note, params: change(paramsOf(note)) } : note,
  );

const told = (progressToken: Json, value: number): JsonObject =>
  notification(progress, { progressToken, progress: value });

const tokens = () => new Set<Json | undefined>();

export const progressFaults = [
  clientFault(
    'client-token-null',
    {
      what: 'The client sends requests with the progressToken null.',
      breaks: ['progress.token-type'],
      shows: ['progress.token-type#is-null'],
    },
    onToken(null),
  ),

  clientFault(
    'client-token-shared',
    {
      what: 'The client sends all requests with the same progressToken.',
      breaks: ['progress.token-unique'],
      shows: ['progress.token-unique#shared'],
    },
    onToken('progress'),
  ),

  clientFault(
    'client-token-shared-later',
    {
      what: 'The client sends all requests with the same progressToken, the second call 40 ms after the first.',
      breaks: ['progress.token-unique'],
      where: hasHandshake,
      over: ['streamable-http'],
    },
    onToken('progress'),
    onHttp((ask, context) =>
      ask.body?.includes('"add_numbers"') && ask.body.includes('"progressToken"')
        ? new Promise(resolve => context.after(40, () => resolve(ask)))
        : ask,
    ),
  ),

  clientFault(
    'client-progress-in-percent',
    {
      what: 'The client sends notifications/progress with a string as progress.',
      breaks: ['progress.fields'],
      shows: ['progress.fields#progress-no-number'],
      where: hasHandshake,
    },
    onProgress(params => ({ ...params, progress: `${Number(params.progress) * 50} %` })),
  ),

  clientFault(
    'client-progress-stands-still',
    {
      what: 'The client sends notifications/progress with the same value each time.',
      breaks: ['progress.increases'],
      shows: ['progress.increases#same'],
      where: hasHandshake,
    },
    onProgress(params => ({ ...params, progress: 1 })),
  ),

  clientFault(
    'client-progress-of-its-own',
    {
      what: 'The client sends notifications/progress with an unknown progressToken.',
      breaks: ['progress.token-of-active-request'],
      shows: ['progress.token-of-active-request#invented'],
      where: hasHandshake,
    },
    onProgress(params => ({ ...params, progressToken: 'made-up' })),
  ),

  clientFault(
    'client-progress-token-as-text',
    {
      what: 'The client sends notifications/progress with a string as progressToken where the request has a number.',
      breaks: ['progress.token-of-active-request'],
      shows: ['progress.token-of-active-request#retyped'],
      where: hasHandshake,
    },
    onProgress(params => ({ ...params, progressToken: `${params.progressToken}` })),
  ),

  clientFault(
    'client-progress-token-as-number',
    {
      what: 'The client sends notifications/progress with a number as progressToken where the request has a string of digits.',
      breaks: ['progress.token-of-active-request'],
      shows: ['progress.token-of-active-request#retyped'],
      where: hasHandshake,
    },
    onProgress(params => ({
      ...params,
      progressToken: /^\d+$/.test(`${params.progressToken}`)
        ? Number(params.progressToken)
        : params.progressToken!,
    })),
  ),

  clientFault(
    'client-progress-after-answer',
    {
      what: 'The client sends notifications/progress after the response to sampling/createMessage.',
      breaks: ['progress.stops-at-completion'],
      shows: ['progress.stops-at-completion#at-once'],
      over: ['stdio'],
      where: hasHandshake,
    },
    onReply(sampling, (reply, ask) => {
      const token = askedPlainly(ask);
      return token === undefined ? reply : [reply, told(token, 3)];
    }),
  ),

  clientFault(
    'client-progress-posted-after-answer',
    {
      what: 'The client posts notifications/progress after the response to sampling/createMessage.',
      breaks: ['progress.stops-before-answer'],
      shows: ['progress.stops-before-answer#other-stream'],
      over: ['streamable-http'],
      where: hasHandshake,
    },
    onReply(sampling, (reply, ask, context) => {
      context.keep(tokens).add(askedPlainly(ask));
      return reply;
    }),
    // free connections take turns: one of them is that of the response
    onReply('ping', (reply, _ask, context) => {
      const over = [...context.keep(tokens)].filter(token => token !== undefined);
      context.keep(tokens).clear();
      return [...over.flatMap(token => [3, 4].map(step => told(token, step))), reply];
    }),
  ),

  clientFault(
    'client-progress-goes-on',
    {
      what: 'The client sends notifications/progress long after the response to sampling/createMessage.',
      breaks: ['progress.stops-at-completion'],
      shows: ['progress.stops-at-completion#later'],
      over: ['stdio'],
      where: hasHandshake,
    },
    onReply(sampling, (reply, ask, context) => {
      context.keep(tokens).add(askedPlainly(ask));
      return reply;
    }),
    onReply('ping', (reply, _ask, context) => {
      const over = [...context.keep(tokens)].filter(token => token !== undefined);
      context.keep(tokens).clear();
      return [reply, ...over.map(token => told(token, 3))];
    }),
  ),

  clientFault(
    'client-progress-without-words',
    {
      what: 'The client sends notifications/progress with a blank message.',
      breaks: ['progress.message-readable'],
      shows: ['progress.message-readable#blank'],
      where: hasHandshake,
    },
    onProgress(params => ('message' in params ? { ...params, message: ' ' } : params)),
  ),

  clientFault(
    'client-progress-flood',
    {
      what: 'The client sends 2,100 notifications/progress for one request.',
      breaks: ['progress.rate-limited'],
      shows: ['progress.rate-limited#flood'],
      where: hasHandshake,
    },
    onReply(sampling, (reply, ask) => {
      const token = askedPlainly(ask);
      if (token === undefined) return reply;
      return [...Array.from({ length: 2_100 }, (_, n) => told(token, 3 + n)), reply];
    }),
  ),

  clientFault(
    'client-dies-of-unknown-progress',
    {
      what: 'The client exits when it receives notifications/progress with an unknown progressToken.',
      breaks: ['progress.tokens-tracked'],
      shows: ['progress.tokens-tracked#exits'],
    },
    onAsk('*', (ask, context) => {
      context.keep(tokens).add(tokenOf(ask));
      return ask;
    }),
    onIncoming((message, context) => {
      const told =
        isObject(message) && message.method === progress ? paramsOf(message).progressToken : undefined;
      if (told !== undefined && !context.keep(tokens).has(told)) context.exit(1);
      return message;
    }),
  ),
];
