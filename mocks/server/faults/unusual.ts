/** What goes wrong with input that hardly anybody thinks of: only generated values find it. */

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
import { lists, onRefused, paramsOf } from './shared.js';

const onId = (change: (id: RequestId, reply: JsonObject) => RequestId): Middleware =>
  onReply('*', reply => ({ ...reply, id: change(reply.id as RequestId, reply) }));

const onText = (change: (id: string) => string): Middleware =>
  onId(id => (typeof id === 'string' ? change(id) : id));

/** What every object inherits in JavaScript: taken for an entry of a table that has none. */
const isInherited = (name: Json | undefined): boolean => typeof name === 'string' && name in {};

/** Requests that no rule has more to say about than that they are served. */
const unwatched = ['resources/templates/list', 'resources/read', 'prompts/get', 'completion/complete'];

const known = ['_meta', 'cursor', 'uri', 'name', 'arguments', 'ref', 'argument', 'context'];
const strangers = (ask: JsonObject): JsonObject => without(paramsOf(ask), ...known);
const metadata = (ask: JsonObject): [string, Json][] => {
  const { _meta: meta } = paramsOf(ask);
  return isObject(meta) ? Object.entries(meta) : [];
};
const isNested = (value: Json | undefined): boolean => typeof value === 'object' && value !== null;

/** Refuses what is odd in params that fit. */
const refuses = (
  methods: string | readonly string[],
  odd: (ask: JsonObject) => boolean,
  code: number = codes.invalidParams,
): Middleware =>
  onReply(methods, (reply, ask) => (odd(ask) ? refusal(ask, code, 'This is not expected here.') : reply));

/** Instead of the refusal of what it takes for something else. */
const takes = (method: string, odd: (ask: JsonObject) => boolean): Middleware =>
  onRefused(method, (reply, ask) => (odd(ask) ? result(ask, {}) : reply));

/** Texts anywhere in the arguments of a call. */
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

/** Refuses on the level of HTTP what is odd in a POST. */
const refusesPost = (status: number, odd: (ask: Incoming) => boolean): Middleware =>
  onHttpRequest((ask): Incoming | HttpReply =>
    ask.method === 'POST' && odd(ask) ? refuse(status, 'This is not expected here.') : ask,
  );

const accepted = (ask: Incoming): string => ask.headers.get('accept') ?? '';

/** A character of four bytes whose last byte stands at the beginning of a piece. */
const cutLate = (before: Uint8Array, piece: Uint8Array): boolean =>
  before.length >= 3 && before.at(-3)! >= 0xf0 && piece.length > 0 && (piece[0]! & 0xc0) === 0x80;

/** What a reader makes of pieces that loses such a character. */
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
  /** Since the last list was given. */
  cancelled: boolean;
}

export const unusualFaults = [
  fault(
    'id-wraps-at-31-bits',
    {
      what: 'Ids from 2^31 to nearly 2^32 come back as what they are in 32 bits with a sign.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    onId(id => (typeof id === 'number' && id >= 2 ** 31 && id < 2 ** 32 - 1_000 ? id - 2 ** 32 : id)),
  ),

  fault(
    'id-loses-sign',
    {
      what: 'Ids below -1000 come back as text, and without their sign.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    onId(id => (typeof id === 'number' && id < -1_000 ? `${-id}` : id)),
  ),

  fault(
    'id-quoted-twice',
    {
      what: 'Quotation marks and backslashes in ids are escaped twice.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    onText(id => (/["\\]/.test(id) ? JSON.stringify(id) : id)),
  ),

  fault(
    'id-inherited-lost',
    {
      what: 'Ids that are names of members of every object come back as what the member is.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    onText(id => (isInherited(id) ? `[object ${id}]` : id)),
  ),

  fault(
    'id-control-characters-replaced',
    {
      what: 'Control characters in ids are replaced.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
    onText(id => id.replace(/[\u0000-\u001f]/g, '\ufffd')),
  ),

  fault(
    'id-higher-planes-replaced',
    {
      what: 'Characters of the higher planes of Unicode are replaced in ids.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    onText(id => id.replace(/[\u{20000}-\u{10ffff}]/gu, '\ufffd')),
  ),

  fault(
    'id-of-error-retyped',
    {
      what: 'Negative ids come back as text when the answer is an error.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    onId((id, reply) => (typeof id === 'number' && id < 0 && 'error' in reply ? `${id}` : id)),
  ),

  fault(
    'methods-in-any-case',
    {
      what: 'Methods are found in whatever letters they are written.',
      breaks: ['jsonrpc.method-not-found'],
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
      what: 'White space around a method is left out.',
      breaks: ['jsonrpc.method-not-found'],
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
      what: 'Methods with the name of a member of every object are an internal error.',
      breaks: ['jsonrpc.method-not-found'],
    },
    onReply('*', (reply, ask) =>
      isInherited(ask.method) ? refusal(ask, codes.internalError, 'This is no function.') : reply,
    ),
  ),

  fault(
    'empty-notification-answered',
    {
      what: 'Unknown notifications with empty params are answered.',
      breaks: ['jsonrpc.notification-not-answered'],
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
      what: 'A member of params that nobody knows is refused when it is an object or a list.',
      breaks: ['base.unknown-params-ignored'],
    },
    refuses(unwatched, ask => Object.values(strangers(ask)).some(isNested)),
  ),

  fault(
    'inherited-members-refused',
    {
      what: 'A member of params with the name of a member of every object is an internal error.',
      breaks: ['base.unknown-params-ignored'],
    },
    refuses(unwatched, ask => Object.keys(strangers(ask)).some(isInherited), codes.internalError),
  ),

  fault(
    'metadata-with-prefix-refused',
    {
      what: 'Metadata of vendors is refused.',
      breaks: ['base.unknown-params-ignored'],
    },
    refuses(unwatched, ask => metadata(ask).some(([key]) => /^(com|io)\.(example|vendor)/.test(key))),
  ),

  fault(
    'reserved-metadata-nested-refused',
    {
      what: 'Metadata under keys that MCP reserves is refused when it is an object or a list.',
      breaks: ['meta.reserved-values-not-assumed'],
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
      what: 'A cursor that is no text is taken for none.',
      breaks: ['jsonrpc.invalid-params'],
    },
    onRequest(lists, ask =>
      isNested(paramsOf(ask).cursor) ? { ...ask, params: without(paramsOf(ask), 'cursor') } : ask,
    ),
  ),

  fault(
    'absent-params-internal-error',
    {
      what: 'A request without any params, where there must be some, is an internal error.',
      breaks: ['jsonrpc.invalid-params'],
    },
    onRefused('*', (reply, ask) =>
      ask.params === undefined && isObject(reply.error) && reply.error.code === codes.invalidParams
        ? refusal(ask, codes.internalError, 'Something is undefined.')
        : reply,
    ),
  ),

  fault(
    'long-cursor-internal-error',
    {
      what: 'A cursor of more than 40 characters is an internal error.',
      breaks: ['pagination.invalid-cursor-error'],
    },
    refuses(lists, ask => cursorOf(ask).length > 40 && cursorOf(ask).length < 200, codes.internalError),
  ),

  fault(
    'cursor-beyond-ascii-ignored',
    {
      what: 'A cursor with characters that are not printed in ASCII is taken for none.',
      breaks: ['pagination.invalid-cursor-error'],
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
      what: 'The text to complete is taken for a regular expression, and fails where it is none.',
      breaks: ['completion.server-validates-inputs'],
    },
    refuses('completion/complete', ask => !isPattern(typedIn(ask)), codes.internalError),
  ),

  fault(
    'completion-of-space-unlimited',
    {
      what: 'Everything is offered for a text with white space around it.',
      breaks: ['completion.max-100-values'],
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
      what: 'A URI whose escapes are no UTF-8 is an internal error.',
      breaks: ['resources.not-found-code-32002'],
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
      what: 'A level is known by its first letters, or by more than its letters.',
      breaks: ['logging.invalid-level-error'],
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
      what: 'Characters of the higher planes of Unicode are replaced in prompts.',
      breaks: ['transport.utf8'],
    },
    onResult(
      'prompts/get',
      body => JSON.parse(JSON.stringify(body).replace(/[\u{20000}-\u{10ffff}]/gu, '\ufffd')) as JsonObject,
    ),
  ),

  fault(
    'unknown-arguments-refused',
    {
      what: 'Arguments that the schema of a tool does not name are refused, though it allows them.',
      breaks: ['tools.fitting-arguments-accepted'],
    },
    onReply('tools/call', (reply, ask, context) => {
      const tool = context.world.tools.find(t => t.definition.name === paramsOf(ask).name);
      const { properties } = (tool?.definition.inputSchema ?? {}) as JsonObject;
      const given = paramsOf(ask).arguments;
      if (!isObject(properties) || !isObject(given)) return reply;
      const odd = Object.keys(given).some(name => !Object.hasOwn(properties, name));
      return odd ? refusal(ask, codes.invalidParams, 'There is no such argument.') : reply;
    }),
  ),

  fault(
    'empty-texts-refused',
    {
      what: 'Empty texts in the arguments of a tool are refused, though its schema allows them.',
      breaks: ['tools.fitting-arguments-accepted'],
    },
    refuses('tools/call', ask => hasText(paramsOf(ask).arguments, text => text === '')),
  ),

  fault(
    'structured-content-misfit',
    {
      what: 'Numbers above 1 stand as texts in structured content.',
      breaks: ['tools.output-schema-conformance'],
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
      what: 'Members that are required below the top of the arguments may be missing.',
      breaks: ['tools.inputs-validated'],
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
      what: 'An id that is written with escapes comes back with them.',
      breaks: ['jsonrpc.response-id-matches'],
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
      what: 'The process dies of an escape that is written in capital letters.',
      breaks: ['jsonrpc.request-answered-once'],
    },
    onLine((text, context) => {
      if (/(?<!\\)(\\\\)*\\u(?!\d{4})[0-9A-F]{4}/.test(text)) context.exit(1);
      return text;
    }),
  ),

  fault(
    'lists-empty-after-a-cancelled-one',
    {
      what: 'When a list is asked for and given up, the next list has no items, not even none.',
      breaks: ['base.schema-valid'],
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
      what: 'The process dies of input in which one message ends and the next begins, but does not end.',
      breaks: ['jsonrpc.request-answered-once'],
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
      what: 'The process dies of a message in which a backslash and what it escapes arrive apart.',
      breaks: ['jsonrpc.request-answered-once'],
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
      what: 'A character of four bytes is lost when the last of them arrives later than the others.',
      breaks: ['jsonrpc.response-id-matches'],
      over: ['streamable-http'],
    },
    onHttpRequest(ask => ({ ...ask, body: new TextDecoder().decode(readCarelessly(ask.pieces)) })),
  ),

  fault(
    'body-in-many-pieces-refused',
    {
      what: 'A body that arrives in more than three pieces is refused.',
      breaks: ['streamable-http.read-as-http'],
    },
    refusesPost(400, ask => ask.pieces.length > 3),
  ),

  fault(
    'accept-in-one-order-only',
    {
      what: 'An Accept header that begins with the event stream is refused.',
      breaks: ['streamable-http.read-as-http'],
    },
    refusesPost(406, ask => accepted(ask).trim().toLowerCase().startsWith('text/event-stream')),
  ),

  fault(
    'accept-with-weights-refused',
    {
      what: 'An Accept header with weights in it is refused.',
      breaks: ['streamable-http.read-as-http'],
    },
    refusesPost(406, ask => /q=/i.test(accepted(ask))),
  ),

  fault(
    'content-type-with-parameters-refused',
    {
      what: 'A body whose media type has parameters is refused.',
      breaks: ['streamable-http.media-types-read-as-http'],
    },
    refusesPost(415, ask => ask.headers.get('content-type')?.includes(';') === true),
  ),

  fault(
    'media-types-in-capitals-refused',
    {
      what: 'Media types in capital letters are not known.',
      breaks: ['streamable-http.media-types-read-as-http'],
    },
    refusesPost(415, ask => /[A-Z]/.test(ask.headers.get('content-type')?.replace(/;.*/, '') ?? '')),
  ),

  fault(
    'progress-token-wraps-at-31-bits',
    {
      what: 'Progress tokens from 2^31 to nearly 2^32 come back as what they are in 32 bits with a sign.',
      breaks: ['progress.token-of-active-request'],
    },
    onToken(token =>
      typeof token === 'number' && token >= 2 ** 31 && token < 2 ** 32 - 1_000 ? token - 2 ** 32 : token,
    ),
  ),

  fault(
    'progress-token-quoted-twice',
    {
      what: 'Quotation marks and backslashes in progress tokens are escaped twice.',
      breaks: ['progress.token-of-active-request'],
    },
    onToken(token => (typeof token === 'string' && /["\\]/.test(token) ? JSON.stringify(token) : token)),
  ),

  fault(
    'progress-token-higher-planes-replaced',
    {
      what: 'Characters of the higher planes of Unicode are replaced in progress tokens.',
      breaks: ['progress.token-of-active-request'],
    },
    onToken(token =>
      typeof token === 'string' ? token.replace(/[\u{20000}-\u{10ffff}]/gu, '\ufffd') : token,
    ),
  ),

  fault(
    'cursor-good-for-two-uses-in-a-row',
    {
      what: 'A cursor that is used three times without another in between has expired.',
      breaks: ['pagination.stable-cursors'],
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
      what: 'A cursor that was used has expired when another one has been used since.',
      breaks: ['pagination.stable-cursors'],
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
];
