/** server/tools: the requests of a client for tools, and its use of the results. */

import type { Conversation } from '../../harness/record/conversation.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Step } from '../../harness/scenario/script.js';
import { deliberately, pages } from '../../harness/scenario/serve.js';
import { type JsonObject, ownMember } from '../../spec/json-rpc.js';
import { unreadLines } from '../rules/derived/lines.js';
import { allOf } from './eras.js';
import { goesOn } from './parts.js';
import { says, tool } from './world.js';

/** A tool with an unknown dialect: the client decides which results fit the output schema. */
const strangelyDescribed: JsonObject = {
  ...tool('strange'),
  inputSchema: { $schema: 'https://example.invalid/dialect', type: 'object', properties: {} },
  outputSchema: { $schema: 'https://example.invalid/dialect', type: 'object', properties: {} },
};

/** Invalid results, by the tool. */
const malformed: Readonly<Record<string, JsonObject>> = {
  broken: { content: [{ type: 'image', mimeType: 'image/png' }, 42] },
  'unknown-content': { content: [{ type: 'x-unknown', text: 'Sound?' }] },
  'no-content': {},
};

/** The requests of the client with this method, in all its conversations. */
const asked = (conversations: readonly Conversation[], method: string): Exchange[] =>
  conversations.flatMap(conversation => conversation.exchanges({ by: 'subject', method }));

export const scenarios = [
  scenario.client('client/tools/list-and-call', {
    title: 'a client lists the tools and calls them with valid arguments',
    verifies: [
      'base.schema-valid',
      'base.params-object',
      'base.method-of-own-side',
      'jsonrpc.request-id-unique-in-session',
      'jsonrpc.request-id-string-or-integer',
    ],
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text'],
      ['call', 'add_numbers', { a: 5, b: 3 }],
      ['call', 'test_error_handling'],
      ['close'],
    ],
    isolation: 'shared',
  }),

  scenario.client('client/tools/bare-result', {
    title: 'a client treats a tool result without isError as a success',
    verifies: ['base.lawful-results-taken'],
    serve: { 'tools/call': { content: [{ type: 'text', text: 'Done.' }] } },
    does: [['connect'], ['list', 'tools'], ['call', 'test_simple_text'], goesOn, ['close']],
    isolation: 'shared',
    async run({ peer, expect, scripted }) {
      const row = 'base.lawful-results-taken';
      await peer.caseOver();
      const [call] = peer.requestsOfCase('tools/call');
      const next =
        call?.reply && peer.conversation.requests({ by: 'subject' }).find(m => m.seq > call.reply!.seq);
      if (next) expect.noViolation(row, [call, next]);
      else if (call?.reply && scripted)
        expect.that(row, { ok: false, expected: 'the next request', evidence: [call], actual: 'none' });
      else expect.notObserved(row, 'the client had no further request to send');
    },
  }),

  ...(['legacy', 'modern'] as const).map(era =>
    scenario.client(`client/tools/unsupported-dialect${era === 'modern' ? '-stateless' : ''}`, {
      title: 'a client continues with the other tools when one tool has a schema with an unknown dialect',
      era,
      // a client that reads no event stream has no list; with a handshake it has no conversation
      ...(era === 'modern' && { http: { answers: 'json' } }),
      verifies: ['json-schema.unsupported-dialect-error'],
      serve: {
        'tools/list': deliberately(pages([[strangelyDescribed, tool('sound')]])),
        'tools/call': deliberately({ ...says('Sound.'), structuredContent: {} }),
      },
      does: [['connect'], ['list', 'tools'], ['call', 'strange'], ['call', 'sound'], ['close']],
      async run(context) {
        const { peer, expect, scripted } = context;
        const row = 'json-schema.unsupported-dialect-error';
        // some clients open a conversation for each request
        const conversations = await allOf(context);
        const listed = asked(conversations, 'tools/list').find(exchange => resultOf(exchange));
        // the client decides whether it calls the tool with the unknown dialect
        const sound = asked(conversations, 'tools/call').find(
          ({ request }) => request.params?.name === 'sound',
        );
        if (sound) expect.noViolation(row, [listed, sound]);
        else if (listed && scripted && unreadLines(peer.conversation).length === 0)
          expect.that(row, {
            ok: false,
            expected: 'a call of the other tool',
            evidence: [listed],
            actual: 'none',
          });
        else expect.notObserved(row, 'the client had no tool to call');
      },
    }),
  ),

  scenario.client('client/tools/malformed-result', {
    title: 'invalid tool results leave a client usable',
    verifies: ['tools.client-validates-results'],
    serve: {
      'tools/list': pages([[...Object.keys(malformed), 'sound'].map(name => tool(name))]),
      'tools/call': deliberately(({ name }) => ownMember(malformed, name) ?? says('Sound.')),
    },
    does: [
      ['connect'],
      ['list', 'tools'],
      ...Object.keys(malformed).map((name): Step => ['call', name]),
      ['call', 'sound'],
      ['close'],
    ],
    async run(context) {
      const { expect, scripted } = context;
      const calls = asked(await allOf(context), 'tools/call');
      const broken = calls.findLast(({ request }) => request.params?.name !== 'sound');
      const sound = calls.find(({ request }) => request.params?.name === 'sound');
      if (!broken?.reply) return;
      if (scripted)
        expect.that('tools.client-validates-results', {
          ok: sound !== undefined,
          expected: 'the next call',
          evidence: [broken, sound],
          actual: 'none',
        });
      else if (sound) expect.noViolation('tools.client-validates-results', [broken, sound]);
    },
  }),
];
