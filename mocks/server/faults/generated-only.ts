/** Faults with unusual input, which only generated values reveal. */

import { isObject, type Json, type JsonObject, type RequestId, without } from '../../../spec/json-rpc.js';
import {
  fault,
  type Middleware,
  onChunk,
  onHttpRequest,
  onIncoming,
  onLine,
  onNotification,
  onReply,
  onRequest,
  onResult,
  refusal,
  result,
} from '../../fault.js';
import { featuresOf } from '../features.js';
import { type HttpReply, type Incoming, refuse } from '../http/reply.js';
import { codes } from '../refusal.js';
import { hasHandshake, isStateless, lists, onRefused, paramsOf } from './shared.js';

const onId = (change: (id: RequestId, reply: JsonObject) => RequestId): Middleware =>
  onReply('*', reply => ({ ...reply, id: change(reply.id as RequestId, reply) }));

const onText = (change: (id: string) => string): Middleware =>
  onId(id => (typeof id === 'string' ? change(id) : id));

/** A property that every JavaScript object inherits: mistaken for an entry of a lookup table. */
const isInherited = (name: Json | undefined): boolean => typeof name === 'string' && name in {};

const subscriptionState = () => ({ isBroken: false, open: new Set<unknown>() });

/** Tasks with two open questions, and those that lose one. */
const questionState = () => ({ waiting: new Set<unknown>(), spoiled: new Set<unknown>() });

/** Requests whose only requirement here is that they are served. */
const unwatched = ['resources/templates/list', 'resources/read', 'prompts/get', 'completion/complete'];

const known = ['_meta', 'cursor', 'uri', 'name', 'arguments', 'ref', 'argument', 'context'];
const strangers = (ask: JsonObject): JsonObject => without(paramsOf(ask), ...known);
const metadata = (ask: JsonObject): [string, Json][] => {
  const { _meta: meta } = paramsOf(ask);
  return isObject(meta) ? Object.entries(meta) : [];
};
const isNested = (value: Json | undefined): boolean => typeof value === 'object' && value !== null;

/** Rejects unusual but valid params. */
const refuses = (
  methods: string | readonly string[],
  odd: (ask: JsonObject) => boolean,
  code: number = codes.invalidParams,
): Middleware =>
  onReply(methods, (reply, ask) => (odd(ask) ? refusal(ask, code, 'The value is not supported.') : reply));

/** Returns a result where the correct response is an error. */
const takes = (method: string, odd: (ask: JsonObject) => boolean): Middleware =>
  onRefused(method, (reply, ask) => (odd(ask) ? result(ask, {}) : reply));

/** Whether a matching string occurs anywhere in the arguments of a call. */
const hasText = (json: Json | undefined, fits: (text: string) => boolean): boolean =>
  typeof json === 'string'
    ? fits(json)
    : typeof json === 'object' && json !== null && Object.values(json).some(inner => hasText(inner, fits));

const cursorOf = (ask: JsonObject): string => String(paramsOf(ask).cursor ?? '');
const typedIn = (ask: JsonObject): string => {
  const { argument } = paramsOf(ask);
  return isObject(argument) ? String(argument.value) : '';
};

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const isPattern = (text: string): boolean => {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
};

const isDecodable = (uri: string): boolean => {
  try {
    decodeURIComponent(uri);
    return true;
  } catch {
    return false;
  }
};

const onToken = (change: (token: RequestId) => RequestId): Middleware =>
  onNotification('notifications/progress', message => {
    const params = paramsOf(message);
    return { ...message, params: { ...params, progressToken: change(params.progressToken as RequestId) } };
  });

/** Rejects unusual POST requests with an HTTP status. */
const refusesPost = (status: number, odd: (ask: Incoming) => boolean): Middleware =>
  onHttpRequest((ask): Incoming | HttpReply =>
    ask.method === 'POST' && odd(ask) ? refuse(status, 'The value is not supported.') : ask,
  );

const accepted = (ask: Incoming): string => ask.headers.get('accept') ?? '';

/** A four-byte character whose last byte is at the start of a chunk. */
const cutLate = (before: Uint8Array, piece: Uint8Array): boolean =>
  before.length >= 3 && before.at(-3)! >= 0xf0 && piece.length > 0 && (piece[0]! & 0xc0) === 0x80;

/** The text of chunks as read by a reader that loses such a character. */
function readCarelessly(pieces: readonly Uint8Array[]): Buffer {
  let read = Buffer.alloc(0);
  for (const piece of pieces)
    read = Buffer.concat(
      cutLate(read, piece) ? [read.subarray(0, -3), Buffer.from('\ufffd'), piece.subarray(1)] : [read, piece],
    );
  return read;
}

interface Asked {
  cursor: Json;
  times: number;
}

interface ListsSeen {
  readonly ids: Set<Json>;
  /** Since the last list response. */
  cancelled: boolean;
}

export const generatedOnlyFaults = [
  fault(
    'id-wraps-at-31-bits',
    {
      what: 'The response to a request with an id between 2^31 and 2^32 - 1000 has the id as a signed 32-bit number.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#number-altered'],
    },
    onId(id => (typeof id === 'number' && id >= 2 ** 31 && id < 2 ** 32 - 1_000 ? id - 2 ** 32 : id)),
  ),

  fault(
    'id-loses-sign',
    {
      what: 'The response to a request with an id below -1000 has the id as a string without its sign.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#number-altered'],
    },
    onId(id => (typeof id === 'number' && id < -1_000 ? `${-id}` : id)),
  ),

  fault(
    'id-quoted-twice',
    {
      what: 'The response has an id with double escapes when the id contains quotation marks or backslashes.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#text-altered'],
    },
    onText(id => (/["\\]/.test(id) ? JSON.stringify(id) : id)),
  ),

  fault(
    'id-inherited-lost',
    {
      what: 'The response has another id when the id is the name of a property that every JavaScript object inherits.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#unknown'],
    },
    onText(id => (isInherited(id) ? `[object ${id}]` : id)),
  ),

  fault(
    'id-control-characters-replaced',
    {
      what: 'The response has an id with replaced control characters.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#text-altered'],
    },
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
    onText(id => id.replace(/[\u0000-\u001f]/g, '\ufffd')),
  ),

  fault(
    'id-higher-planes-replaced',
    {
      what: 'The response has an id with replaced characters from U+20000 upwards.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#text-altered'],
    },
    onText(id => id.replace(/[\u{20000}-\u{10ffff}]/gu, '\ufffd')),
  ),

  fault(
    'id-of-error-retyped',
    {
      what: 'The error response to a request with a negative id has a string as id.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#retyped'],
    },
    onId((id, reply) => (typeof id === 'number' && id < 0 && 'error' in reply ? `${id}` : id)),
  ),

  fault(
    'methods-in-any-case',
    {
      what: 'A request with a method in upper case is served.',
      breaks: ['jsonrpc.method-not-found'],
      shows: ['jsonrpc.method-not-found#other-spelling-served'],
    },
    onIncoming((message, context) => {
      if (!isObject(message) || typeof message.method !== 'string' || !('id' in message)) return message;
      const method = message.method.toLowerCase();
      return context.session.vocabulary.requests.client.has(method) ? { ...message, method } : message;
    }),
  ),

  fault(
    'methods-trimmed',
    {
      what: 'A request with white space around its method is served.',
      breaks: ['jsonrpc.method-not-found'],
      shows: ['jsonrpc.method-not-found#other-spelling-served'],
    },
    onIncoming(message =>
      isObject(message) && typeof message.method === 'string' && 'id' in message
        ? { ...message, method: message.method.trim() }
        : message,
    ),
  ),

  fault(
    'methods-inherited',
    {
      what: 'A request with toString, hasOwnProperty or another inherited name as method returns an internal error.',
      breaks: ['jsonrpc.method-not-found'],
      shows: ['jsonrpc.method-not-found#inherited-name'],
    },
    onReply('*', (reply, ask) =>
      isInherited(ask.method) && ask.method !== 'constructor'
        ? refusal(ask, codes.internalError, 'The method is not a function.')
        : reply,
    ),
  ),

  fault(
    'empty-notification-answered',
    {
      what: 'An unknown notification with empty params gets an error response.',
      breaks: ['jsonrpc.notification-not-answered'],
      shows: ['jsonrpc.notification-not-answered#empty-params-answered'],
    },
    onIncoming((message, context) => {
      const known = context.session.vocabulary.notifications.client;
      const odd =
        isObject(message) &&
        !('id' in message) &&
        isObject(message.params) &&
        Object.keys(message.params).length === 0 &&
        !known.has(String(message.method));
      if (odd) context.send(refusal({}, codes.methodNotFound, 'Method not found'));
      return message;
    }),
  ),

  fault(
    'nested-members-refused',
    {
      what: 'A request with an unknown member in params is rejected when the member is an object or an array.',
      breaks: ['base.unknown-params-ignored'],
      shows: ['base.unknown-params-ignored#object-refused'],
    },
    refuses(unwatched, ask => Object.values(strangers(ask)).some(isNested)),
  ),

  fault(
    'inherited-members-refused',
    {
      what: 'A request with the name of an inherited object property as a member of params returns an internal error.',
      breaks: ['base.unknown-params-ignored'],
      shows: ['base.unknown-params-ignored#inherited-name-refused'],
    },
    refuses(unwatched, ask => Object.keys(strangers(ask)).some(isInherited), codes.internalError),
  ),

  fault(
    'metadata-with-prefix-refused',
    {
      what: 'A request with vendor metadata is rejected.',
      breaks: ['base.unknown-params-ignored'],
      shows: ['base.unknown-params-ignored#metadata-refused'],
    },
    refuses(unwatched, ask => metadata(ask).some(([key]) => /^(com|io)\.(example|vendor)/.test(key))),
  ),

  fault(
    'reserved-metadata-nested-refused',
    {
      what: 'A request with an object or an array under a reserved _meta key is rejected.',
      breaks: ['meta.reserved-values-not-assumed'],
      shows: ['meta.reserved-values-not-assumed#structure-refused'],
      where: hasHandshake,
    },
    refuses(unwatched, ask =>
      metadata(ask).some(
        ([key, value]) => /^(io\.modelcontextprotocol|dev\.mcp)\//.test(key) && isNested(value),
      ),
    ),
  ),

  fault(
    'cursor-of-other-type-ignored',
    {
      what: 'A list request with an object or an array as cursor returns the first page.',
      breaks: ['jsonrpc.invalid-params'],
      shows: ['jsonrpc.invalid-params#member-retyped-served'],
    },
    onRequest(lists, ask =>
      isNested(paramsOf(ask).cursor) ? { ...ask, params: without(paramsOf(ask), 'cursor') } : ask,
    ),
  ),

  fault(
    'absent-params-internal-error',
    {
      what: 'A request without its required params returns an internal error.',
      breaks: ['jsonrpc.invalid-params'],
      shows: ['jsonrpc.invalid-params#other-code'],
      where: hasHandshake,
    },
    onRefused('*', (reply, ask) =>
      ask.params === undefined && isObject(reply.error) && reply.error.code === codes.invalidParams
        ? refusal(ask, codes.internalError, 'A required value is undefined.')
        : reply,
    ),
  ),

  fault(
    'long-cursor-internal-error',
    {
      what: 'A list request with a cursor of more than 40 characters returns an internal error.',
      breaks: ['pagination.invalid-cursor-error'],
      shows: ['pagination.invalid-cursor-error#other-code'],
    },
    refuses(lists, ask => cursorOf(ask).length > 40 && cursorOf(ask).length < 200, codes.internalError),
  ),

  fault(
    'cursor-beyond-ascii-ignored',
    {
      what: 'A list request with an unknown cursor that contains characters outside printable ASCII returns the first page.',
      breaks: ['pagination.invalid-cursor-error'],
      shows: ['pagination.invalid-cursor-error#first-page'],
    },
    onRequest(lists, ask =>
      /^mcp-conform-.*[^ -~]/su.test(cursorOf(ask))
        ? { ...ask, params: without(paramsOf(ask), 'cursor') }
        : ask,
    ),
  ),

  fault(
    'completion-by-pattern',
    {
      what: 'completion/complete with a value that is not a valid regular expression returns an internal error.',
      breaks: ['completion.server-validates-inputs'],
      shows: ['completion.server-validates-inputs#internal-error'],
    },
    refuses('completion/complete', ask => !isPattern(typedIn(ask)), codes.internalError),
  ),

  fault(
    'completion-of-space-unlimited',
    {
      what: 'completion/complete with white space around the value returns 101 values.',
      breaks: ['completion.max-100-values'],
      shows: ['completion.max-100-values#more'],
    },
    onResult('completion/complete', (body, ask) => {
      if (typedIn(ask).trim() === typedIn(ask)) return body;
      const values = Array.from({ length: 101 }, (_, at) => `${at}`);
      return { ...body, completion: { values, total: values.length, hasMore: false } };
    }),
  ),

  fault(
    'uri-undecodable-internal-error',
    {
      what: 'resources/read with a URI that has invalid percent escapes returns an internal error.',
      breaks: ['resources.not-found-code-32002'],
      shows: ['resources.not-found-code-32002#internal-error'],
    },
    onRefused('resources/read', (reply, ask) =>
      isDecodable(String(paramsOf(ask).uri))
        ? reply
        : refusal(ask, codes.internalError, 'The URI is malformed.'),
    ),
  ),

  fault(
    'levels-by-their-beginning',
    {
      what: 'logging/setLevel accepts a prefix of a level, and a level with additional characters.',
      breaks: ['logging.invalid-level-error'],
      shows: ['logging.invalid-level-error#similar-accepted'],
      where: hasHandshake,
    },
    takes('logging/setLevel', ask => {
      const { level } = paramsOf(ask);
      return (
        typeof level === 'string' &&
        level.length > 2 &&
        levels.some(l => l.startsWith(level) || level.startsWith(l))
      );
    }),
  ),

  fault(
    'higher-planes-lost',
    {
      what: 'prompts/get returns text with replaced characters from U+20000 upwards.',
      breaks: ['transport.utf8'],
      shows: ['transport.utf8#characters-lost'],
    },
    onResult(
      'prompts/get',
      body => JSON.parse(JSON.stringify(body).replace(/[\u{20000}-\u{10ffff}]/gu, '\ufffd')) as JsonObject,
    ),
  ),

  fault(
    'unknown-arguments-refused',
    {
      what: 'tools/call with additional arguments is rejected although the schema allows them.',
      breaks: ['tools.fitting-arguments-accepted'],
      shows: ['tools.fitting-arguments-accepted#additional-refused'],
    },
    onReply('tools/call', (reply, ask, context) => {
      const tool = context.world.tools.find(t => t.definition.name === paramsOf(ask).name);
      const { properties } = (tool?.definition.inputSchema ?? {}) as JsonObject;
      const given = paramsOf(ask).arguments;
      if (!isObject(properties) || !isObject(given)) return reply;
      const odd = Object.keys(given).some(name => !Object.hasOwn(properties, name));
      return odd ? refusal(ask, codes.invalidParams, 'The argument is unknown.') : reply;
    }),
  ),

  fault(
    'empty-texts-refused',
    {
      what: 'tools/call with an empty string in its arguments is rejected although the schema allows it.',
      breaks: ['tools.fitting-arguments-accepted'],
      shows: ['tools.fitting-arguments-accepted#value-refused'],
    },
    refuses('tools/call', ask => hasText(paramsOf(ask).arguments, text => text === '')),
  ),

  fault(
    'structured-content-misfit',
    {
      what: 'tools/call returns structuredContent with a string instead of a number when the number is 2 or more.',
      breaks: ['tools.output-schema-conformance'],
      shows: ['tools.output-schema-conformance#invalid'],
    },
    onResult('tools/call', body => {
      const content = body.structuredContent;
      if (!isObject(content) || typeof content.quantity !== 'number' || content.quantity < 2) return body;
      return {
        content: [{ type: 'text', text: JSON.stringify({ ...content, quantity: `${content.quantity}` }) }],
        structuredContent: { ...content, quantity: `${content.quantity}` },
      };
    }),
  ),

  fault(
    'nested-requirement-unchecked',
    {
      what: 'tools/call accepts arguments without a required member at a nested level.',
      breaks: ['tools.inputs-validated'],
      shows: ['tools.inputs-validated#nested-required-missing'],
      where: revision => featuresOf(revision).structured,
    },
    onRequest('tools/call', ask => {
      const given = paramsOf(ask).arguments;
      if (!isObject(given) || !Array.isArray(given.lines)) return ask;
      const lines = given.lines.map(line => (isObject(line) ? { sku: 'x', ...line } : line));
      return { ...ask, params: { ...paramsOf(ask), arguments: { ...given, lines } } };
    }),
  ),

  fault(
    'escaped-id-as-written',
    {
      what: 'The response to a request with Unicode escapes in its id has the escapes as text in its id.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#text-altered'],
    },
    onLine((text, context) => {
      const kept = context.keep((): { id?: string | undefined } => ({}));
      kept.id = /"id"\s*:\s*"((?:\\.|[^"\\])*\\u(?:\\.|[^"\\])*)"/.exec(text)?.[1];
      return text;
    }),
    onReply('*', (reply, _ask, context) => {
      const { id } = context.keep((): { id?: string | undefined } => ({}));
      return id === undefined ? reply : { ...reply, id };
    }),
  ),

  fault(
    'dies-of-upper-case-escapes',
    {
      what: 'The process exits when a message has a Unicode escape in upper case.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#crash'],
    },
    onLine((text, context) => {
      if (/(?<!\\)(\\\\)*\\u(?!\d{4})[0-9A-F]{4}/.test(text)) context.exit(1);
      return text;
    }),
  ),

  fault(
    'lists-empty-after-a-cancelled-one',
    {
      what: 'The next list request after a cancelled one returns a result without the list.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#list-missing'],
    },
    onIncoming((message, context) => {
      const seen = context.keep((): ListsSeen => ({ ids: new Set(), cancelled: false }));
      if (!isObject(message)) return message;
      if (lists.includes(String(message.method))) seen.ids.add(message.id!);
      if (message.method === 'notifications/cancelled')
        seen.cancelled ||= seen.ids.has(paramsOf(message).requestId!);
      return message;
    }),
    onResult(lists, (body, _ask, context) => {
      const seen = context.keep((): ListsSeen => ({ ids: new Set(), cancelled: false }));
      const spoilt = seen.cancelled;
      seen.cancelled = false;
      return spoilt ? {} : body;
    }),
  ),

  fault(
    'dies-of-a-piece-across-lines',
    {
      what: 'The process exits when one chunk of input contains the end of a message and the start of the next.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#crash'],
      over: ['stdio'],
    },
    onChunk((bytes, context) => {
      const end = bytes.indexOf(0x0a);
      if (end >= 0 && end < bytes.length - 1 && bytes.at(-1) !== 0x0a) context.exit(1);
      return bytes;
    }),
  ),

  fault(
    'dies-of-an-escape-in-two-pieces',
    {
      what: 'The process exits when a chunk of input ends between a backslash and the escaped character.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#crash'],
      over: ['stdio'],
    },
    onChunk((bytes, context) => {
      if (bytes.at(-1) === 0x5c) context.keep(() => ({ torn: false })).torn = true;
      return bytes;
    }),
    onLine((text, context) => {
      if (context.keep(() => ({ torn: false })).torn) context.exit(1);
      return text;
    }),
  ),

  fault(
    'body-cut-late-misread',
    {
      what: 'A four-byte character in a POST body is lost when its last byte arrives in a later chunk.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#text-altered'],
      over: ['streamable-http'],
      where: hasHandshake,
    },
    onHttpRequest(ask => ({ ...ask, body: new TextDecoder().decode(readCarelessly(ask.pieces)) })),
  ),

  fault(
    'body-in-many-pieces-refused',
    {
      what: 'A POST with a body of more than three chunks gets status 400.',
      breaks: ['streamable-http.read-as-http'],
      shows: ['streamable-http.read-as-http#pieces'],
    },
    refusesPost(400, ask => ask.pieces.length > 3),
  ),

  fault(
    'accept-in-one-order-only',
    {
      what: 'A POST with an Accept header that begins with text/event-stream gets status 406.',
      breaks: ['streamable-http.read-as-http'],
      shows: ['streamable-http.read-as-http#order'],
    },
    refusesPost(406, ask => accepted(ask).trim().toLowerCase().startsWith('text/event-stream')),
  ),

  fault(
    'accept-with-weights-refused',
    {
      what: 'A POST with weights in the Accept header gets status 406.',
      breaks: ['streamable-http.read-as-http'],
      shows: ['streamable-http.read-as-http#weights'],
    },
    refusesPost(406, ask => /q=/i.test(accepted(ask))),
  ),

  fault(
    'content-type-with-parameters-refused',
    {
      what: 'A POST with parameters in the Content-Type header gets status 415.',
      breaks: ['streamable-http.media-types-read-as-http'],
      shows: ['streamable-http.media-types-read-as-http#parameters'],
    },
    refusesPost(415, ask => ask.headers.get('content-type')?.includes(';') === true),
  ),

  fault(
    'media-types-in-capitals-refused',
    {
      what: 'A POST with capital letters in the media type gets status 500.',
      breaks: ['streamable-http.media-types-read-as-http'],
      shows: ['streamable-http.media-types-read-as-http#capitals'],
    },
    refusesPost(500, ask => /[A-Z]/.test(ask.headers.get('content-type')?.replace(/;.*/, '') ?? '')),
  ),

  fault(
    'progress-token-wraps-at-31-bits',
    {
      what: 'notifications/progress has a token between 2^31 and 2^32 - 1000 as a signed 32-bit number.',
      breaks: ['progress.token-of-active-request'],
      shows: ['progress.token-of-active-request#number-altered'],
    },
    onToken(token =>
      typeof token === 'number' && token >= 2 ** 31 && token < 2 ** 32 - 1_000 ? token - 2 ** 32 : token,
    ),
  ),

  fault(
    'progress-token-quoted-twice',
    {
      what: 'notifications/progress has a token with double escapes when the token contains quotation marks or backslashes.',
      breaks: ['progress.token-of-active-request'],
      shows: ['progress.token-of-active-request#text-altered'],
    },
    onToken(token => (typeof token === 'string' && /["\\]/.test(token) ? JSON.stringify(token) : token)),
  ),

  fault(
    'progress-token-higher-planes-replaced',
    {
      what: 'notifications/progress has a token with replaced characters from U+20000 upwards.',
      breaks: ['progress.token-of-active-request'],
      shows: ['progress.token-of-active-request#text-altered'],
    },
    onToken(token =>
      typeof token === 'string' ? token.replace(/[\u{20000}-\u{10ffff}]/gu, '\ufffd') : token,
    ),
  ),

  fault(
    'cursor-good-for-two-uses-in-a-row',
    {
      what: 'The third consecutive list request with the same cursor returns an error.',
      breaks: ['pagination.stable-cursors'],
      shows: ['pagination.stable-cursors#works-twice'],
    },
    onReply(lists, (reply, ask, context) => {
      const asked = context.keep((): Asked => ({ cursor: '', times: 0 }));
      const { cursor = '' } = paramsOf(ask);
      asked.times = asked.cursor === cursor ? asked.times + 1 : 1;
      asked.cursor = cursor;
      return cursor !== '' && asked.times > 2 && 'result' in reply
        ? refusal(ask, codes.invalidParams, 'The cursor has expired.')
        : reply;
    }),
  ),

  fault(
    'cursor-forgotten-on-the-way-back',
    {
      what: 'A list request with a cursor that was used before another cursor returns an error.',
      breaks: ['pagination.stable-cursors'],
      shows: ['pagination.stable-cursors#works-twice'],
    },
    onReply(lists, (reply, ask, context) => {
      const walk = context.keep((): { used: Json[] } => ({ used: [] }));
      const { cursor } = paramsOf(ask);
      if (cursor === undefined) walk.used = [];
      if (cursor === undefined || !('result' in reply)) return reply;
      const expired = walk.used.includes(cursor) && walk.used.at(-1) !== cursor;
      walk.used.push(cursor);
      return expired ? refusal(ask, codes.invalidParams, 'The cursor has expired.') : reply;
    }),
  ),

  fault(
    'second-retry-without-answers-refused',
    {
      what: 'The second consecutive retry without answers returns an error.',
      breaks: ['mrtr.missing-responses-reasked'],
      shows: ['mrtr.missing-responses-reasked#second-refused'],
      where: isStateless,
    },
    onReply('tools/call', (reply, ask, context) => {
      const seen = context.keep(() => new Map<string, number>());
      const { inputResponses, arguments: args } = paramsOf(ask);
      const call = JSON.stringify(args ?? {});
      const isEmpty = isObject(inputResponses) && Object.keys(inputResponses).length === 0;
      const times = isEmpty ? (seen.get(call) ?? 0) + 1 : 0;
      seen.set(call, times);
      return times > 1 ? refusal(ask, codes.invalidParams, 'The answers are missing again.') : reply;
    }),
  ),

  fault(
    'inherited-answers-refused',
    {
      what: 'A retry with an answer named like a member that each object has returns an error.',
      breaks: ['mrtr.extra-responses-ignored'],
      shows: ['mrtr.extra-responses-ignored#inherited-name-refused'],
      where: isStateless,
    },
    onReply('tools/call', (reply, ask) => {
      const { inputResponses } = paramsOf(ask);
      const names = Object.keys(isObject(inputResponses) ? inputResponses : {});
      return names.some(isInherited) ? refusal(ask, codes.internalError, 'Internal error') : reply;
    }),
  ),

  fault(
    'subscription-end-ends-others',
    {
      what: 'After the end of one of several subscriptions, the others get no changes of tools.',
      breaks: ['tools.list-changed-notification'],
      shows: ['tools.list-changed-notification#ended-with-another'],
      where: isStateless,
      over: ['stdio'],
    },
    onIncoming((message, context) => {
      const state = context.keep(subscriptionState);
      if (!isObject(message)) return message;
      if (message.method === 'subscriptions/listen') state.open.add(message.id);
      const isEnd = message.method === 'notifications/cancelled';
      if (isEnd && state.open.delete(paramsOf(message).requestId)) state.isBroken = state.open.size > 0;
      return message;
    }),
    onNotification('notifications/tools/list_changed', (message, context) =>
      context.keep(subscriptionState).isBroken ? undefined : message,
    ),
  ),

  fault(
    'task-cancel-loses-questions-of-others',
    {
      what: 'tasks/cancel of one task loses the last question of the other tasks that wait for answers.',
      breaks: ['ext-tasks.get-all-outstanding'],
      shows: ['ext-tasks.get-all-outstanding#after-steps'],
      where: isStateless,
    },
    onResult('tasks/get', (task, _, context) => {
      const { waiting, spoiled } = context.keep(questionState);
      const { taskId, inputRequests } = task;
      if (!isObject(inputRequests) || Object.keys(inputRequests).length < 2) return task;
      waiting.add(taskId);
      if (!spoiled.has(taskId)) return task;
      return { ...task, inputRequests: Object.fromEntries(Object.entries(inputRequests).slice(0, -1)) };
    }),
    onResult('tasks/cancel', (body, ask, context) => {
      const { waiting, spoiled } = context.keep(questionState);
      waiting.delete(paramsOf(ask).taskId);
      for (const taskId of waiting) spoiled.add(taskId);
      return body;
    }),
  ),
];
