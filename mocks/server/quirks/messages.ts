/** The same meaning in other words. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { onBytes, onMessage, onReply, onResult, onStart, type Quirk, quirk, refusal } from '../../fault.js';
import { onWrongForm } from '../faults/elicitation.js';
import { beforeCall } from '../faults/shared.js';
import { codes } from '../refusal.js';

const strange: JsonObject = { 'com.example/odd': { deep: [null, 1.5, 'é'] } };

const isLine = (text: string): boolean => text.startsWith('{') || text.startsWith('[');

/** Members in the opposite order, all the way down. */
const reversed = (json: Json): Json => {
  if (Array.isArray(json)) return json.map(reversed);
  if (!isObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json)
      .reverse()
      .map(([key, value]) => [key, reversed(value)]),
  );
};

export const messageQuirks: readonly Quirk[] = [
  quirk(
    'unknown-members',
    { what: 'Results have members that no revision knows.' },
    onResult('*', body => ({ ...body, 'x-odd': { anything: [true, null] } })),
  ),

  quirk(
    'metadata-everywhere',
    { what: 'Every result has _meta.' },
    onResult('*', body => ({ ...body, _meta: { ...(isObject(body._meta) ? body._meta : {}), ...strange } })),
  ),

  quirk(
    'metadata-in-notifications',
    { what: 'Every notification has _meta.' },
    onMessage(message =>
      'method' in message && !('id' in message)
        ? { ...message, params: { ...(isObject(message.params) ? message.params : {}), _meta: strange } }
        : message,
    ),
  ),

  quirk(
    'error-data',
    { what: 'Errors have data of all kinds, where none are prescribed.' },
    onReply('*', (reply, _ask, context) => {
      const data = [null, 'why', [1], { a: null }][context.count() % 4]!;
      return isObject(reply.error) ? { ...reply, error: { data, ...reply.error } } : reply;
    }),
  ),

  quirk(
    'empty-error-messages',
    { what: 'Errors have empty messages.' },
    onReply('*', reply =>
      isObject(reply.error) ? { ...reply, error: { ...reply.error, message: '' } } : reply,
    ),
  ),

  quirk(
    'members-reversed',
    { what: 'Members come in the opposite order.' },
    onMessage(message => reversed(message)),
  ),

  quirk(
    'spaced-out',
    { what: 'There is white space between all tokens, on one line.' },
    onBytes(text => (isLine(text) ? `  ${spaced(text.trim())} \t\n` : text)),
  ),

  quirk(
    'escaped-unicode',
    { what: 'Everything that is not ASCII is escaped.' },
    onBytes(text =>
      text.replace(/[\u0080-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ),
  ),

  quirk(
    'blank-lines',
    { what: 'Blank lines stand between the messages.' },
    onBytes(text => `${text}\n`),
  ),

  quirk(
    'unicode-line-ends-in-text',
    { what: 'Texts have U+2028 and U+0085 in them, unescaped.' },
    onResult(['tools/call', 'tasks/result'], body => ({
      ...body,
      ...(Array.isArray(body.content) && {
        content: [...body.content, { type: 'text', text: 'a\u2028b\u0085c' }],
      }),
    })),
  ),

  quirk(
    'chatty-on-stderr',
    { what: 'Errors are reported on standard error all the time.' },
    onStart(context => context.warn('ERROR: starting\n')),
    onMessage((message, context) => {
      context.warn(`ERROR: sending ${JSON.stringify(message).slice(0, 40)}\n`);
      return message;
    }),
  ),

  quirk(
    'own-ids-are-text',
    { what: 'Requests of the server have text as id, also the empty one.' },
    beforeCall(context => {
      const count = context.count();
      if (count > 3) return;
      const id = count === 1 ? '' : `ping ${count} é`;
      context.send({ jsonrpc: '2.0', id, method: 'ping' });
    }),
  ),

  quirk(
    'replies-in-arrays',
    { what: 'A reply comes as a batch of one.', where: revision => revision.batches },
    onReply('*', (reply, ask, context) =>
      context.revision.batches && ask.method !== 'initialize' && !context.session.isBatched(ask)
        ? [[reply]]
        : reply,
    ),
  ),

  quirk(
    'batches-answered-anyway',
    { what: 'Batches are answered where there are none.', where: revision => !revision.batches },
    onStart(({ session }) => {
      session.takesBatches = true;
    }),
  ),

  quirk(
    'unknown-tool-as-result',
    { what: 'A call to a tool that does not exist is a result with isError.' },
    onReply('tools/call', (reply, ask) =>
      isObject(reply.error) && String(reply.error.message).startsWith('Unknown tool')
        ? { jsonrpc: '2.0', id: ask.id!, result: { content: [], isError: true } }
        : reply,
    ),
  ),

  quirk(
    'wrong-form-told-in-result',
    { what: 'What is wrong in a form that was filled in is told by an ordinary result, which quotes it.' },
    ...onWrongForm(/filled in wrongly/, content => `This does not fit the form: ${content}`),
  ),

  quirk(
    'second-handshake-refused-otherwise',
    { what: 'Whatever is out of order is refused with a code of the server itself.' },
    onReply('*', (reply, ask) =>
      isObject(reply.error) && reply.error.code === codes.invalidRequest
        ? refusal(ask, 17, 'Out of order')
        : reply,
    ),
  ),
];

/** JSON with a blank after each separator that is not inside a text. */
function spaced(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[,:[\]{}]/g, token =>
    token.startsWith('"') ? token : ` ${token} `,
  );
}
