/** basic/utilities/progress. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { fault, notification, onIncoming, onNotification, onReply } from '../../fault.js';
import { beforeCall, paramsOf } from './shared.js';

/** The last progress of each call, by its token. */
const lastProgress = () => new Map<Json | undefined, JsonObject>();

/** Tokens of calls that have a response. */
const ended = (): Json[] => [];

const tokenOf = (ask: JsonObject): Json | undefined => {
  const meta = paramsOf(ask)._meta;
  return isObject(meta) ? meta.progressToken : undefined;
};

const progressing = (change: (params: JsonObject) => JsonObject) =>
  onNotification('notifications/progress', message => ({ ...message, params: change(paramsOf(message)) }));

export const progressFaults = [
  fault(
    'progress-stands-still',
    { what: 'notifications/progress has the same value each time.', breaks: ['progress.increases'] },
    progressing(params => ({ ...params, progress: 1 })),
  ),

  fault(
    'progress-decreases',
    { what: 'notifications/progress has a decreasing value.', breaks: ['progress.increases'] },
    progressing(params => ({ ...params, progress: -Number(params.progress) })),
  ),

  fault(
    'progress-token-retyped',
    {
      what: 'notifications/progress has a string as token for a numeric token, and a number for a token of digits.',
      breaks: ['progress.token-of-active-request'],
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
    },
    beforeCall(context =>
      context.send(notification('notifications/progress', { progressToken: 'invented', progress: 1 })),
    ),
  ),

  fault(
    'progress-after-response',
    {
      what: 'The last notifications/progress comes after the response to tools/call.',
      breaks: ['progress.stops-before-answer'],
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
    },
    onReply('tools/call', (reply, ask, context) => {
      const token = tokenOf(ask);
      if (token !== undefined && isObject(reply.result) && !reply.result.task)
        context.keep(ended).push(token);
      return reply;
    }),
    onReply('ping', (reply, _ask, context) => {
      const [progressToken] = context.keep(ended).splice(0);
      return progressToken === undefined
        ? reply
        : [reply, notification('notifications/progress', { progressToken, progress: 1_000 })];
    }),
  ),

  fault(
    'progress-in-percent',
    {
      what: 'notifications/progress has a string with a percent sign as progress.',
      breaks: ['progress.fields'],
    },
    progressing(params => ({ ...params, progress: `${params.progress}%` })),
  ),
];
