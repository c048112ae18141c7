/** basic/utilities/progress: tokens that clients give, progress that they tell, and how they take that of the server. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { notification } from '../../fault.js';
import { paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAsk, onIncoming, onNotification, onReply } from '../fault.js';

const progress = 'notifications/progress';
const sampling = 'sampling/createMessage';

/** Tasks have progress, and faults, of their own. */
const askedPlainly = (ask: JsonObject): Json | undefined =>
  paramsOf(ask).task === undefined ? tokenOf(ask) : undefined;

const tokenOf = (message: JsonObject): Json | undefined => {
  const { _meta: meta } = paramsOf(message);
  return isObject(meta) ? meta.progressToken : undefined;
};

/** Changes the tokens under which the client asks for progress. */
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

/** Changes the progress that the client tells. */
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
    { what: 'The client asks for progress under no token.', breaks: ['progress.token-type'] },
    onToken(null),
  ),

  clientFault(
    'client-token-shared',
    { what: 'The client has one token for all its requests.', breaks: ['progress.token-unique'] },
    onToken('progress'),
  ),

  clientFault(
    'client-progress-in-percent',
    { what: 'The client tells progress as text.', breaks: ['progress.fields'] },
    onProgress(params => ({ ...params, progress: `${Number(params.progress) * 50} %` })),
  ),

  clientFault(
    'client-progress-stands-still',
    { what: 'The client tells again and again how far it is.', breaks: ['progress.increases'] },
    onProgress(params => ({ ...params, progress: 1 })),
  ),

  clientFault(
    'client-progress-of-its-own',
    {
      what: 'The client tells progress under a token that it has made up.',
      breaks: ['progress.token-of-active-request'],
    },
    onProgress(params => ({ ...params, progressToken: 'made-up' })),
  ),

  clientFault(
    'client-progress-after-answer',
    {
      what: 'The client tells of the end when it has answered.',
      breaks: ['progress.stops-before-answer'],
    },
    onReply(sampling, (reply, ask) => {
      const token = askedPlainly(ask);
      return token === undefined ? reply : [reply, told(token, 3)];
    }),
  ),

  clientFault(
    'client-progress-goes-on',
    {
      what: 'The client tells of progress long after it has answered.',
      breaks: ['progress.stops-at-completion'],
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
    { what: 'The client has nothing to say about its progress.', breaks: ['progress.message-readable'] },
    onProgress(params => ('message' in params ? { ...params, message: ' ' } : params)),
  ),

  clientFault(
    'client-progress-flood',
    { what: 'The client tells of every step.', breaks: ['progress.rate-limited'] },
    onReply(sampling, (reply, ask) => {
      const token = askedPlainly(ask);
      if (token === undefined) return reply;
      return [...Array.from({ length: 2_100 }, (_, n) => told(token, 3 + n)), reply];
    }),
  ),

  clientFault(
    'client-dies-of-unknown-progress',
    {
      what: 'The client dies of progress under a token that it does not know.',
      breaks: ['progress.tokens-tracked'],
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
