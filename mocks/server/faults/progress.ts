/** basic/utilities/progress. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import {
  fault,
  notification,
  onIncoming,
  onMessage,
  onNotification,
  onReply,
  onRequest,
} from '../../fault.js';
import { beforeCall, hasHandshake, paramsOf } from './shared.js';

/** The last progress of each call, by its token. */
const lastProgress = () => new Map<Json | undefined, JsonObject>();

/** Tokens of calls that have a response. */
const ended = (): Json[] => [];

/** Calls that are neither cancelled nor have a response, and tokens of calls with a result. */
const calls = (): { inFlight: JsonObject[]; ended: Json[] } => ({ inFlight: [], ended: [] });

/** Removes the call with this id; false when there is none. */
const forget = (asks: JsonObject[], id: Json | undefined): boolean => {
  const at = asks.findIndex(ask => ask.id === id);
  if (at >= 0) asks.splice(at, 1);
  return at >= 0;
};

const tokenOf = (ask: JsonObject): Json | undefined => {
  const meta = paramsOf(ask)._meta;
  return isObject(meta) ? meta.progressToken : undefined;
};

const progressing = (change: (params: JsonObject) => JsonObject) =>
  onNotification('notifications/progress', message => ({ ...message, params: change(paramsOf(message)) }));

/** Keeps the tokens of calls that have a response. */
const rememberingTokens = onReply('tools/call', (reply, ask, context) => {
  const token = tokenOf(ask);
  if (token !== undefined && isObject(reply.result) && !reply.result.task) context.keep(ended).push(token);
  return reply;
});

const tokenFor = (method: string, progressToken: number | string) =>
  onMessage(message =>
    message.method === method && 'id' in message
      ? { ...message, params: { ...paramsOf(message), _meta: { progressToken } } }
      : message,
  );

/** More notifications than any client needs. */
const flood = 2_500;

export const progressFaults = [
  fault(
    'progress-stands-still',
    {
      what: 'notifications/progress has the same value each time.',
      breaks: ['progress.increases'],
      shows: ['progress.increases#same'],
    },
    progressing(params => ({ ...params, progress: 1 })),
  ),

  fault(
    'progress-decreases',
    {
      what: 'notifications/progress has a decreasing value.',
      breaks: ['progress.increases'],
      shows: ['progress.increases#smaller'],
    },
    progressing(params => ({ ...params, progress: -Number(params.progress) })),
  ),

  fault(
    'progress-token-retyped',
    {
      what: 'notifications/progress has a string as token for a numeric token, and a number for a token of digits.',
      breaks: ['progress.token-of-active-request'],
      shows: ['progress.token-of-active-request#retyped'],
    },
    progressing(params => {
      const { progressToken: token } = params;
      if (typeof token === 'number') return { ...params, progressToken: String(token) };
      return /^\d+$/.test(String(token)) ? { ...params, progressToken: Number(token) } : params;
    }),
  ),

  fault(
    'progress-unasked',
    {
      what: 'notifications/progress has an unknown progressToken.',
      breaks: ['progress.token-of-active-request'],
      shows: ['progress.token-of-active-request#invented'],
    },
    beforeCall(context =>
      context.send(notification('notifications/progress', { progressToken: 'invented', progress: 1 })),
    ),
  ),

  fault(
    'progress-after-response',
    {
      what: 'The last notifications/progress comes after the response to tools/call.',
      breaks: ['progress.stops-at-completion'],
      shows: ['progress.stops-at-completion#at-once'],
    },
    onIncoming((message, context) => {
      if (isObject(message) && message.method === 'tools/call')
        context.keep(lastProgress).delete(tokenOf(message));
      return message;
    }),
    onNotification('notifications/progress', (message, context) => {
      const { _meta, progressToken } = paramsOf(message);
      // progress of tasks ends differently
      if (_meta !== undefined) return message;
      const last = context.keep(lastProgress);
      const before = last.get(progressToken);
      if (message === before) return message;
      last.set(progressToken, message);
      return before;
    }),
    onReply('tools/call', (reply, ask, context) => {
      const last = context.keep(lastProgress).get(tokenOf(ask));
      return last ? [reply, last] : reply;
    }),
  ),

  fault(
    'progress-long-after-response',
    {
      what: 'notifications/progress is sent long after the response to tools/call.',
      breaks: ['progress.stops-at-completion'],
      shows: ['progress.stops-at-completion#later'],
      where: hasHandshake,
    },
    rememberingTokens,
    onReply('ping', (reply, _ask, context) => {
      const [progressToken] = context.keep(ended).splice(0);
      return progressToken === undefined
        ? reply
        : [reply, notification('notifications/progress', { progressToken, progress: 1_000 })];
    }),
  ),

  fault(
    'progress-late-on-get-stream',
    {
      what: 'notifications/progress is sent on the GET stream after the response to tools/call.',
      breaks: ['progress.stops-before-answer'],
      shows: ['progress.stops-before-answer#other-stream'],
      where: hasHandshake,
      over: ['streamable-http'],
    },
    onRequest('tools/call', (ask, context) => {
      context.keep(calls).inFlight.push(ask);
      return ask;
    }),
    onIncoming((message, context) => {
      if (isObject(message) && message.method === 'notifications/cancelled')
        forget(context.keep(calls).inFlight, paramsOf(message).requestId);
      return message;
    }),
    onReply('tools/call', (reply, ask, context) => {
      const { inFlight, ended } = context.keep(calls);
      const token = tokenOf(ask);
      const ends = forget(inFlight, ask.id) && isObject(reply.result) && !reply.result.task;
      if (ends && token !== undefined) ended.push(token);
      return reply;
    }),
    onReply('ping', (reply, _ask, context) => {
      const { inFlight, ended } = context.keep(calls);
      const [progressToken] = ended.splice(0);
      if (progressToken === undefined) return reply;
      const late = notification('notifications/progress', { progressToken, progress: 1_000 });
      // not about the ping, whose stream may still be open; a token that another call uses again would be about that call
      context.after(50, () => {
        if (!inFlight.some(ask => tokenOf(ask) === progressToken))
          context.session.whileAbout(undefined, () => context.send(late));
      });
      return reply;
    }),
  ),

  fault(
    'progress-in-percent',
    {
      what: 'notifications/progress has a string with a percent sign as progress.',
      breaks: ['progress.fields'],
      shows: ['progress.fields#progress-no-number'],
    },
    progressing(params => ({ ...params, progress: `${params.progress}%` })),
  ),

  fault(
    'unknown-progress-kills',
    {
      what: 'The process exits when it receives notifications/progress with an unknown progressToken.',
      breaks: ['progress.tokens-tracked', 'jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#crash', 'progress.tokens-tracked#exits'],
    },
    onIncoming((message, context) => {
      const about = isObject(message) && message.method === 'notifications/progress';
      if (about && paramsOf(message).progressToken === 7) context.exit(1);
      return message;
    }),
  ),

  fault(
    'progress-token-zero-lost',
    {
      what: 'tools/call with the progressToken 0 gets no notifications/progress.',
      breaks: ['progress.optional'],
    },
    onNotification('notifications/progress', message =>
      paramsOf(message).progressToken === 0 ? undefined : message,
    ),
  ),

  fault(
    'progress-token-fraction',
    {
      what: 'roots/list has a fraction as progressToken.',
      breaks: ['progress.token-type'],
      shows: ['progress.token-type#fraction'],
      where: hasHandshake,
    },
    tokenFor('roots/list', 1.5),
  ),

  fault(
    'progress-token-shared',
    {
      what: 'All sampling/createMessage requests have the same progressToken.',
      breaks: ['progress.token-unique'],
      shows: ['progress.token-unique#shared'],
      where: hasHandshake,
    },
    tokenFor('sampling/createMessage', 'the-token'),
  ),

  fault(
    'progress-message-empty',
    {
      what: 'notifications/progress has an empty message.',
      breaks: ['progress.message-readable'],
      shows: ['progress.message-readable#empty'],
    },
    onNotification('notifications/progress', message => ({
      ...message,
      params: { ...paramsOf(message), message: '' },
    })),
  ),

  fault(
    'progress-flood',
    {
      what: 'The first notifications/progress is replaced by 2,500 notifications at once.',
      breaks: ['progress.rate-limited'],
      shows: ['progress.rate-limited#flood'],
    },
    onNotification('notifications/progress', (message, context) => {
      if (context.count() > 1) return message;
      const params = paramsOf(message);
      return Array.from({ length: flood }, (_, n) => ({
        ...message,
        params: { ...params, progress: Number(params.progress) - flood + n + 1 },
      }));
    }),
  ),
];
