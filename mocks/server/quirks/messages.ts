/** The same meaning in another form. */

import { discoveryMethod, envelopeKeys } from '../../../harness/record/envelope.js';
import { handshakeMethods } from '../../../harness/record/handshake.js';
import { isJson, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import {
  onBytes,
  onChunk,
  onMessage,
  onReply,
  onResult,
  onStart,
  type Quirk,
  quirk,
  refusal,
} from '../../fault.js';
import { onWrongForm } from '../faults/elicitation.js';
import { beforeCall, hasHandshake, paramsOf } from '../faults/shared.js';
import { codes } from '../refusal.js';

const strange: JsonObject = { 'com.example/odd': { deep: [null, 1.5, 'é'] } };

const isLine = (text: string): boolean => text.startsWith('{') || text.startsWith('[');

/** Requests whose refusal ends the conversation. */
const opening: ReadonlySet<Json | undefined> = new Set([handshakeMethods.request, discoveryMethod]);

/** A code without a meaning in any revision. */
const rateLimitCode = -32_000;

/** Members in reverse order, at all levels. */
const reversed = (json: Json): Json => {
  if (Array.isArray(json)) return json.map(reversed);
  if (!isObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json)
      .reverse()
      .map(([key, value]) => [key, reversed(value)]),
  );
};

/** Params with additional metadata. */
function withStrangeMetadata(params: Json | undefined): JsonObject {
  const given = isObject(params) ? params : {};
  return { ...given, _meta: { ...strange, ...(isObject(given._meta) && given._meta) } };
}

/** The input of a reader that takes a message as soon as its JSON is complete: with a newline there, not later. */
function endedAtBrace(bytes: Buffer, state: { rest: Buffer; early: boolean }): Buffer {
  const newline = 0x0a;
  // the newline that follows a message which was taken before
  const late = state.early && bytes[0] === newline;
  state.early = false;
  const all = late ? bytes.subarray(1) : bytes;
  const line = Buffer.concat([state.rest, all]);
  state.rest = line.subarray(line.lastIndexOf(newline) + 1);
  if (!/[}\]]$/.test(state.rest.toString('latin1')) || !isJson(state.rest.toString())) return all;
  state.rest = Buffer.alloc(0);
  state.early = true;
  return Buffer.concat([all, Buffer.from('\n')]);
}

/** A call of the fixture that becomes a task of the extension for clients that declare it. */
const mayBeTask = (ask: JsonObject): boolean => {
  const { name, _meta: meta } = paramsOf(ask);
  return name === 'test_task' && isObject(meta) && envelopeKeys.clientCapabilities in meta;
};

export const messageQuirks: readonly Quirk[] = [
  quirk(
    'answers-at-closing-brace',
    { what: 'The server takes a message when its JSON is complete, before the newline arrives.' },
    onChunk((bytes, context) =>
      endedAtBrace(
        bytes,
        context.keep(() => ({ rest: Buffer.alloc(0), early: false })),
      ),
    ),
  ),

  quirk(
    'unknown-members',
    {
      what: 'Results have unknown members.',
      shows: ['base.jsonrpc-2-0#unknown-members', 'base.schema-valid#unknown-members'],
    },
    onResult('*', body => ({ ...body, 'x-odd': { anything: [true, null] } })),
  ),

  quirk(
    'metadata-everywhere',
    {
      what: 'Every result has _meta.',
      shows: [
        'jsonrpc.result-or-error-present#meta-only',
        'logging.set-level-answered#meta',
        'meta.key-prefix-syntax#vendor',
      ],
    },
    onResult('*', body => ({ ...body, _meta: { ...(isObject(body._meta) ? body._meta : {}), ...strange } })),
  ),

  quirk(
    'metadata-in-notifications',
    { what: 'Every notification has _meta.' },
    onMessage(message =>
      'method' in message && !('id' in message)
        ? { ...message, params: withStrangeMetadata(message.params) }
        : message,
    ),
  ),

  quirk(
    'error-data',
    { what: 'Error responses have data of various types.', shows: ['jsonrpc.error-code-and-message#data'] },
    onReply('*', (reply, _ask, context) => {
      const data = [null, 'why', [1], { a: null }][context.count() % 4]!;
      return isObject(reply.error) ? { ...reply, error: { data, ...reply.error } } : reply;
    }),
  ),

  quirk(
    'empty-error-messages',
    {
      what: 'Error responses have an empty message.',
      shows: ['jsonrpc.error-code-and-message#empty-message'],
    },
    onReply('*', reply =>
      isObject(reply.error) ? { ...reply, error: { ...reply.error, message: '' } } : reply,
    ),
  ),

  quirk(
    'members-reversed',
    { what: 'Messages have their members in reverse order.', shows: ['base.jsonrpc-2-0#any-order'] },
    onMessage(message => reversed(message)),
  ),

  quirk(
    'spaced-out',
    {
      what: 'Messages have white space between all tokens, on one line.',
      shows: ['base.jsonrpc-2-0#any-order'],
    },
    onBytes(text => (isLine(text) ? `  ${spaced(text.trim())} \t\n` : text)),
  ),

  quirk(
    'escaped-unicode',
    {
      what: 'Messages have all characters outside ASCII escaped.',
      shows: ['base.jsonrpc-2-0#escapes', 'transport.utf8#escapes'],
    },
    onBytes(text =>
      text.replace(/[\u0080-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ),
  ),

  quirk(
    'blank-lines',
    { what: 'Messages are separated by blank lines.', shows: ['stdio.no-embedded-newlines#blank'] },
    onBytes(text => `${text}\n`),
  ),

  quirk(
    'unicode-line-ends-in-text',
    {
      what: 'tools/call and tasks/result return text with U+2028 and U+0085, unescaped.',
      shows: ['transport.utf8#line-ends-in-text', 'stdio.no-embedded-newlines#line-ends-in-text'],
    },
    // the result of a task of the extension has to be that of the call
    onResult(['tools/call', 'tasks/result'], (body, ask) => ({
      ...body,
      ...(Array.isArray(body.content) &&
        !mayBeTask(ask) && { content: [...body.content, { type: 'text', text: 'a\u2028b\u0085c' }] }),
    })),
  ),

  quirk(
    'chatty-on-stderr',
    {
      what: 'The server writes an error line to stderr for each message.',
      shows: ['stdio.server-stdout-pure#stderr'],
    },
    onStart(context => context.warn('ERROR: starting\n')),
    onMessage((message, context) => {
      context.warn(`ERROR: sending ${JSON.stringify(message).slice(0, 40)}\n`);
      return message;
    }),
  ),

  quirk(
    'own-ids-are-text',
    {
      what: 'The server sends ping with strings as ids, including the empty string.',
      where: hasHandshake,
      shows: ['jsonrpc.request-id-string-or-integer#empty-text'],
    },
    beforeCall(context => {
      const count = context.count();
      if (count > 3) return;
      const id = count === 1 ? '' : `ping ${count} é`;
      context.send({ jsonrpc: '2.0', id, method: 'ping' });
    }),
  ),

  quirk(
    'replies-in-arrays',
    {
      what: 'The response to a single request is a batch with one response.',
      where: revision => revision.batches,
      shows: ['batch.receive#array-of-one', 'streamable-http.request-json-or-sse#array-for-one'],
    },
    onReply('*', (reply, ask, context) =>
      context.revision.batches && ask.method !== 'initialize' && !context.session.isBatched(ask)
        ? [[reply]]
        : reply,
    ),
  ),

  quirk(
    'batches-answered-anyway',
    {
      what: 'Batches get responses in a revision without batches.',
      where: revision => !revision.batches,
      shows: ['batch.not-allowed#answer-to-array'],
    },
    onStart(({ session }) => {
      session.takesBatches = true;
    }),
  ),

  quirk(
    'unknown-tool-as-result',
    {
      what: 'tools/call with an unknown name returns a result with isError.',
      shows: ['tools.unknown-tool-code#result'],
    },
    onReply('tools/call', (reply, ask) =>
      isObject(reply.error) && String(reply.error.message).startsWith('Unknown tool')
        ? { jsonrpc: '2.0', id: ask.id!, result: { content: [], isError: true } }
        : reply,
    ),
  ),

  quirk(
    'wrong-form-told-in-result',
    {
      what: 'tools/call reports invalid form data in a result without isError, which quotes the data.',
      shows: ['elicitation.content-validated-by-server#told-in-result'],
    },
    ...onWrongForm(/filled in wrongly/, content => `The form data does not match the schema: ${content}`),
  ),

  quirk(
    'second-handshake-refused-otherwise',
    {
      what: 'Requests in an invalid order get an error with the code 17.',
      shows: ['jsonrpc.error-code-integer#any-range'],
    },
    onReply('*', (reply, ask) =>
      isObject(reply.error) && reply.error.code === codes.invalidRequest
        ? refusal(ask, 17, 'Out of order')
        : reply,
    ),
  ),

  quirk(
    'limits-rate-by-error',
    { what: 'One of twenty requests gets an error that says that there are too many.' },
    onReply('*', (reply, ask, context) =>
      opening.has(ask.method) || context.count() % 20 !== 0
        ? reply
        : refusal(ask, rateLimitCode, 'Rate limit exceeded'),
    ),
  ),
];

/** JSON with spaces around each separator outside strings. */
function spaced(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[,:[\]{}]/g, token =>
    token.startsWith('"') ? token : ` ${token} `,
  );
}
