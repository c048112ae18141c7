/** server/tools. */

import { rateLimited } from '../../harness/judge/rate-limit.js';
import { NotObserved } from '../../harness/peer/deferred.js';
import { declares } from '../../harness/record/conversation.js';
import { type Exchange, errorOf, resultOf } from '../../harness/record/message.js';
import { isNetworkFailure } from '../../harness/record/network-failure.js';
import { type Fixture, scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type Json, type JsonObject, ownMember } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import { noTool } from '../shared/callable.js';
import { lacksSomething } from '../shared/defaults.js';
import { callEach, changesSince, quickTools, toolsOf } from './beside-calls.js';
import { callAll, callToRefuse } from './calls.js';
import { checkListChange, lastSeq, listTools, noteErrors, requestList } from './lists.js';
import { unknownNames } from './unknown-names.js';
import { isRateLimited } from './unrelated-refusals.js';

const offline = 'the tool could not reach the network';

/** Fixture tools with a fixed result, and the rows that their results show to the rules. */
const answering: readonly (readonly [slug: string, tool: string, shows: readonly RequirementId[]])[] = [
  ['text', 'test_simple_text', ['base.schema-valid']],
  ['image', 'test_image_content', ['base.schema-valid', 'tools.media-content-encoding']],
  [
    'embedded-resource',
    'test_embedded_resource',
    ['base.schema-valid', 'tools.embedded-resource-capability'],
  ],
  ['mixed-content', 'test_multiple_content_types', ['base.schema-valid', 'tools.media-content-encoding']],
];

const linksIn = (call: Exchange): JsonObject[] => {
  const content = resultOf(call)?.content;
  return Array.isArray(content) ? content.filter(isObject).filter(c => c.type === 'resource_link') : [];
};

/** The first required member of a schema that is a text, and nothing else. */
function requiredText(schema: Json | undefined): string | undefined {
  if (!isObject(schema) || !isObject(schema.properties) || !Array.isArray(schema.required)) return undefined;
  const { properties } = schema;
  return schema.required.map(asText).find(name => {
    const property = ownMember(properties, name);
    return isObject(property) && property.type === 'string';
  });
}

export const scenarios = [
  scenario('server/tools/list', {
    title: 'tools/list of a server that declares tools gets a result',
    verifies: ['tools.list-answered'],
    run: context => requestList(context, 'tools.list-answered', 'tools/list'),
  }),

  ...answering.map(([slug, tool, shows]) =>
    scenario(`server/tools/call-${slug}`, {
      title: `a tools/call result with ${slug.replace('-', ' ')} is well formed, with and without arguments`,
      verifies: shows,
      fixtures: [`tool ${tool}` as Fixture],
      async run({ peer }) {
        await Promise.all([
          peer.request('tools/call', { name: tool }),
          peer.request('tools/call', { name: tool, arguments: {} }),
        ]);
      },
    }),
  ),

  scenario('server/tools/call-resource-link', {
    title: 'a tools/call result with a resource link is well formed',
    verifies: ['tools.resource-link-content'],
    fixtures: ['tool test_resource_link'],
    async run({ peer, expect }) {
      expect(
        'tools.resource-link-content',
        await peer.request('tools/call', { name: 'test_resource_link' }),
      ).result();
    },
  }),

  scenario('server/tools/call-audio', {
    title: 'a tools/call result with audio is well formed',
    verifies: ['tools.media-content-encoding'],
    fixtures: ['tool test_image_content'],
    async run({ peer, known }) {
      // the first revision has no audio, and a server may omit the tool there
      const audio = known.tools.some(t => t.name === 'test_audio_content');
      await peer.request('tools/call', { name: audio ? 'test_audio_content' : 'test_image_content' });
    },
  }),

  scenario('server/tools/call-what-may-be-called', {
    title: 'results of tools that are safe to call are well formed',
    // unknown tools may be slow: other cases do not wait for them
    isolation: 'slow',
    isSlow: known => known.callable.length > 0,
    verifies: ['base.schema-valid', 'tools.resource-link-content'],
    async run({ peer, expect, known, discoverRoles }) {
      const end = known.callable.length > 0 ? await discoverRoles() : undefined;
      if (!end) expect.notObserved('base.schema-valid', noTool(known, 'exists'));
      const calls = peer.conversation.exchanges({ by: 'peer', method: 'tools/call' });
      if (end) noteErrors(expect, calls);
      const linking = calls.filter(call => linksIn(call).length > 0);
      if (linking.length > 0) expect.noViolation('tools.resource-link-content', linking);
      else expect.notObserved('tools.resource-link-content', noTool(known, 'returns a resource link'));
      // the target of a link need not exist for a client
      if (declares(peer.declared, 'resources'))
        for (const { uri } of linking.flatMap(linksIn).slice(0, 3))
          if (uri !== undefined) await peer.request('resources/read', { uri });
      return end;
    },
  }),

  scenario('server/tools/call-structured', {
    title: 'a tool with an output schema returns structured content that fits the schema, and a copy as text',
    verifies: ['tools.output-schema-conformance', 'tools.structured-content-text-copy'],
    async run({ peer, expect, known, tool }) {
      const typed = known.callable.filter(c => known.tools.some(t => t.name === c.name && t.outputSchema));
      const calls = [
        ...(known.toolsByRole.has('structured') ? [tool('structured')] : []),
        ...typed.slice(0, 5),
      ];
      const structured = [];
      if (calls.length > 0) await listTools(peer);
      for (const { reply, ...exchange } of await callAll(peer, calls, known)) {
        // a slow tool
        if (!reply) continue;
        const result = resultOf({ reply, ...exchange });
        if (result?.structuredContent !== undefined) structured.push(result);
        // a tool may fail with generated arguments
        else if (result && result.isError !== true) return;
      }
      if (structured.length > 0) return;
      expect.notObserved(
        'tools.output-schema-conformance',
        noTool(known, 'with an output schema returns structured content'),
      );
      expect.notObserved(
        'tools.structured-content-text-copy',
        noTool(known, 'with an output schema returns structured content'),
      );
    },
  }),

  scenario('server/tools/call-failing', {
    title: 'tools/call of a tool that fails returns a result with isError',
    verifies: ['tools.execution-error-in-result'],
    fixtures: ['role error'],
    async run({ peer, expect, tool }) {
      const call = await peer.request('tools/call', tool('error'));
      expect('tools.execution-error-in-result', call).result(r =>
        r.isError === true ? undefined : 'isError true',
      );
    },
  }),

  scenario('server/tools/call-unknown-name', {
    title: 'tools/call with an unknown tool name is refused',
    verifies: ['tools.unknown-tool-protocol-error', 'tools.unknown-tool-code'],
    async run({ peer, expect }) {
      for (const name of unknownNames(peer, 'tool')) {
        const call = await peer.request('tools/call', { name, arguments: {} });
        expect('tools.unknown-tool-protocol-error', call).error();
        if (call.reply?.kind === 'error') expect('tools.unknown-tool-code', call).error(-32602);
        else expect.notObserved('tools.unknown-tool-code', 'the call gets no error');
      }
    },
  }),

  scenario('server/tools/call-without-arguments', {
    title: 'tools/call without arguments is not refused as invalid for a tool that needs none',
    verifies: ['tools.fitting-arguments-accepted'],
    async run({ peer, expect, known }) {
      const row = 'tools.fitting-arguments-accepted';
      const tool = known.callable.find(
        ({ name, arguments: args }) => !known.slowTools.has(name) && Object.keys(args).length === 0,
      );
      if (!tool) throw new NotObserved(noTool(known, 'is quick and needs no argument'));
      const empty = await peer.requestOrCancel('tools/call', { name: tool.name, arguments: {} });
      if (!resultOf(empty)) throw new NotObserved('the call with empty arguments gets no result');
      const without = await peer.requestOrCancel('tools/call', { name: tool.name });
      if (!without.reply) return expect.notObserved(row, 'the call gets no response');
      expect.that(row, {
        ok: errorOf(without)?.code !== -32602,
        expected: 'a response other than error -32602',
        evidence: [empty, without],
        actual: JSON.stringify(errorOf(without)),
      });
    },
  }),

  scenario('server/tools/call-malformed', {
    title: 'tools/call without a valid tool name gets a protocol error',
    verifies: ['tools.malformed-call-protocol-error'],
    async run({ peer, expect }) {
      for (const params of [{}, { name: 7 }, { name: null, arguments: {} }]) {
        const call = await peer.request('tools/call', params, { deliberate: true });
        expect('tools.malformed-call-protocol-error', call).error();
      }
    },
  }),

  scenario('server/tools/call-with-list-or-text', {
    title: 'tools/call with arguments that are a list or a text gets a protocol error',
    verifies: ['tools.malformed-call-protocol-error'],
    async run({ peer, expect, known }) {
      const row = 'tools.malformed-call-protocol-error';
      const usual = known.callable.find(({ name }) => !known.slowTools.has(name));
      if (!usual) throw new NotObserved(noTool(known, 'is quick'));
      for (const wrong of [['x'], 'x']) {
        const call = await callToRefuse(peer, usual, { name: usual.name, arguments: wrong });
        if (call.reply) expect(row, call).error();
        else expect.notObserved(row, 'the call gets no response');
      }
    },
  }),

  scenario('server/tools/call-with-wrong-arguments', {
    title: 'tools/call with arguments that violate the input schema is refused',
    verifies: ['tools.inputs-validated', 'tools.input-validation-execution-error'],
    async run({ peer, expect, known }) {
      const needy = known.callable.filter(({ name, arguments: args }) =>
        lacksSomething(known.tools.find(t => t.name === name)?.inputSchema, Object.keys(args)),
      );
      if (needy.length === 0) {
        expect.notObserved('tools.inputs-validated', noTool(known, 'has a required argument'));
        expect.notObserved(
          'tools.input-validation-execution-error',
          noTool(known, 'has a required argument'),
        );
      }
      for (const tool of needy.slice(0, 5)) {
        const call = await callToRefuse(peer, tool, { name: tool.name, arguments: {} });
        if (isRateLimited(peer, call)) throw new NotObserved(rateLimited);
        if (!call.reply) continue;
        if (isNetworkFailure(call)) {
          expect.notObserved('tools.inputs-validated', offline);
          expect.notObserved('tools.input-validation-execution-error', offline);
          continue;
        }
        const refused = call.reply.kind === 'error' || resultOf(call)?.isError === true;
        expect.that('tools.inputs-validated', {
          ok: refused,
          expected: 'a JSON-RPC error, or a result with isError',
          evidence: [call],
          actual: 'a result',
        });
        if (refused) expect('tools.input-validation-execution-error', call).result();
        else
          expect.notObserved('tools.input-validation-execution-error', 'the server did not refuse the call');
      }
    },
  }),

  scenario('server/tools/call-with-object-for-text', {
    title: 'tools/call with an object in place of a required text is refused',
    verifies: ['tools.inputs-validated'],
    async run({ peer, expect, known }) {
      const row = 'tools.inputs-validated';
      const calls = known.callable.flatMap(tool => {
        const text = requiredText(known.tools.find(t => t.name === tool.name)?.inputSchema);
        return text === undefined || known.slowTools.has(tool.name) ? [] : [{ tool, text }];
      });
      if (calls.length === 0) throw new NotObserved(noTool(known, 'is quick and requires a text'));
      for (const { tool, text } of calls.slice(0, 3)) {
        const args = { ...tool.arguments, [text]: { 'mcp-conform': true } };
        const call = await callToRefuse(peer, tool, { name: tool.name, arguments: args });
        if (isRateLimited(peer, call)) throw new NotObserved(rateLimited);
        if (!call.reply || isNetworkFailure(call)) {
          expect.notObserved(row, call.reply ? offline : 'the call gets no response');
          continue;
        }
        expect.that(row, {
          ok: call.reply.kind === 'error' || resultOf(call)?.isError === true,
          expected: `a JSON-RPC error, or a result with isError, for an object as ${text}`,
          evidence: [call],
          actual: 'a result',
        });
      }
    },
  }),

  scenario('server/tools/name-in-other-case', {
    title: 'tools/call with a tool name in other letter case is refused',
    verifies: ['tools.name-case-sensitive'],
    async run({ peer, expect, known }) {
      const swap = (name: string) => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase());
      const taken = new Set(known.tools.map(t => t.name));
      const tool = known.callable.find(t => !taken.has(swap(t.name)));
      if (!tool) throw new NotObserved(noTool(known, 'has letters in its name'));
      const served = (e: Exchange) => e.reply?.kind === 'result' && resultOf(e)?.isError !== true;
      if (served(await peer.request('tools/call', { name: peer.unused('tool'), arguments: {} })))
        throw new NotObserved('the server accepts any tool name');
      const call = await callToRefuse(peer, tool, { ...tool, name: swap(tool.name) });
      if (!call.reply) expect.notObserved('tools.name-case-sensitive', 'the call gets no response');
      else
        expect.that('tools.name-case-sensitive', {
          ok: !served(call),
          expected: 'the unknown tool name to be refused',
          evidence: [call],
          actual: 'a result',
        });
    },
  }),

  scenario('server/tools/calls-in-parallel', {
    title: 'calls in flight at the same time each get their own response',
    verifies: ['jsonrpc.response-id-matches', 'jsonrpc.request-answered-once'],
    fixtures: ['tool test_echo'],
    async run({ peer, expect }) {
      const texts = Array.from({ length: 10 }, (_, n) => `echo-${n}-`);
      const call = (text: string) => peer.request('tools/call', { name: 'test_echo', arguments: { text } });
      const answers = await Promise.all(texts.map(call));
      const told = answers.map(answer => JSON.stringify(resultOf(answer) ?? null));
      if (!told.some(text => text.includes('echo-')))
        throw new NotObserved('no response contains the text of its call');
      const wrong = answers.find((_, n) => texts.some((text, m) => m !== n && told[n]!.includes(text)));
      expect.that('jsonrpc.response-id-matches', {
        ok: !wrong,
        expected: 'the response to this call',
        evidence: [wrong ?? answers[0]],
        actual: 'the text of another call',
      });
    },
  }),

  scenario('server/tools/list-changed', {
    title: 'a server that declares listChanged sends notifications/tools/list_changed',
    verifies: ['tools.list-changed-notification'],
    fixtures: ['tool test_list_change'],
    run: at => checkListChange(at, 'tools.list-changed-notification', 'notifications/tools/list_changed'),
  }),

  scenario('server/tools/list-changed-by-any-tool', {
    title: 'a server that declares listChanged reports a change of its tools that a tool causes',
    verifies: ['tools.list-changed-notification'],
    async run({ peer, expect, known, waitUntilTried }) {
      const row = 'tools.list-changed-notification';
      const changed = 'notifications/tools/list_changed';
      if (!declares(peer.declared, 'tools.listChanged'))
        throw new NotObserved('the server does not declare listChanged');
      await waitUntilTried();
      const listening = await peer.listen({ toolsListChanged: true });
      if (!listening.isAccepted || !peer.hasOwnStream) {
        await listening.stop();
        throw new NotObserved('the server offers no stream for the notification');
      }
      const tools = quickTools(known);
      const middle = Math.ceil(tools.length / 2);
      let listed = await toolsOf(peer);
      for (const called of [tools.slice(0, middle), tools.slice(middle)]) {
        const before = listed;
        const since = lastSeq(peer);
        await callEach(peer, called);
        const after = called.length ? await toolsOf(peer) : before;
        listed = after;
        if (!before || !after || before.names === after.names) continue;
        // the change is visible to this client: the notification is due
        const isTold = () => changesSince(peer, since).some(m => m.method === changed);
        const ok = await peer.waitUntilDeadline(isTold);
        // a list that changes on its own shows nothing
        const again = await toolsOf(peer);
        if (!ok && again?.names !== after.names) continue;
        expect.that(row, {
          ok,
          expected: changed,
          evidence: [before.last, after.last],
          actual: 'another list of tools, without a notification',
        });
        // a tool that switches something switches it back: other cases compare lists with those of other processes
        for (const tool of called) {
          await callEach(peer, [tool]);
          if ((await toolsOf(peer))?.names === before.names) break;
        }
        await listening.stop();
        return;
      }
      await listening.stop();
      throw new NotObserved('no tool changes the list of tools');
    },
  }),
];
