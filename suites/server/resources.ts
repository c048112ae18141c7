/** server/resources. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { declares } from '../../harness/record/conversation.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { describe, type Expect } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { stillResponds } from '../shared/probe.js';
import { callEach, changesSince, quickTools, uris } from './beside-calls.js';
import { completedArguments } from './completed.js';
import { checkListChange, lastSeq, noteErrors, provoked, requestList, sampled } from './lists.js';
import { expectNotFound } from './not-found.js';

/** URIs that no server offers. The response is left to the server, as long as the server continues to run. */
const hostile = [
  '',
  'no-scheme',
  'test://\u0000',
  'test://[',
  '://',
  `test://${'x'.repeat(50_000)}`,
  'test://%zz/../../..',
];

const watched = { uri: 'test://watched-resource' };
const update = { name: 'test_update_resource', arguments: {} };
const updates = [
  'resources.updated-notification',
  'resources.unsubscribe-ends-updates',
  'resources.updated-only-after-subscribe',
] as const;

/** A variable `{name}` without an operator. */
const simpleVariable = /\{([a-z0-9_]+)\}/gi;

/** @param template the template of the URI @param read the exchange, with a result */
function expectUniform(
  expect: Expect<'resources.template-mime-type-uniform'>,
  template: JsonObject | undefined,
  read: Exchange,
): void {
  const stated = template?.mimeType;
  if (stated === undefined)
    expect.notObserved('resources.template-mime-type-uniform', 'the template states no MIME type');
  else
    expect('resources.template-mime-type-uniform', read).result(r =>
      contents(r.contents).every(c => [undefined, stated].includes(c.mimeType))
        ? undefined
        : `mimeType ${JSON.stringify(stated)}`,
    );
}

/** Steps to the parent directory in several spellings, and a file that every Unix host has. */
const upwards: readonly (readonly [step: string, target: string])[] = [
  ['../', 'etc/passwd'],
  ['%2e%2e/', 'etc/passwd'],
  ['%2e%2e%2f', 'etc%2fpasswd'],
  ['%252e%252e%252f', 'etc%252fpasswd'],
  ['..%5c', 'etc%5cpasswd'],
  ['....//', 'etc/passwd'],
];

/** Whether a result contains the first line of /etc/passwd. */
const showsAccounts = (exchange: Exchange): boolean =>
  contents(resultOf(exchange)?.contents).some(({ text, blob }) =>
    /^root:[^:\n]*:0:0:/m.test(`${asText(text)}\n${Buffer.from(asText(blob), 'base64').toString('latin1')}`),
  );

const contents = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);

export const scenarios = [
  scenario('server/resources/list', {
    title:
      'resources/list of a server that declares resources gets a result, and resources/templates/list too if it has any',
    verifies: ['resources.list-answered'],
    async run(context) {
      await requestList(context, 'resources.list-answered', 'resources/list');
      await context.peer.request('resources/templates/list');
    },
  }),

  scenario('server/resources/read-listed', {
    title: 'resources/read of listed resources returns well-formed results',
    verifies: ['base.schema-valid'],
    async run({ peer, expect, known }) {
      if (known.resources.length === 0) expect.notObserved('base.schema-valid', 'no resource is listed');
      const sized = known.resources.filter(r => r.size !== undefined);
      const read: Exchange[] = [];
      for (const { uri } of new Set([...sized.slice(0, 2), ...sampled(known.resources, 3)]))
        if (uri !== undefined) read.push(await peer.request('resources/read', { uri }));
      noteErrors(expect, read);
    },
  }),

  scenario('server/resources/read-binary', {
    title: 'resources/read returns binary data as a blob',
    verifies: ['resources.text-only-for-text', 'resources.binary-encoded'],
    fixtures: ['resource test://static-binary'],
    async run({ peer, expect }) {
      const read = await peer.request('resources/read', { uri: 'test://static-binary' });
      expect('resources.text-only-for-text', read).result(r =>
        contents(r.contents).every(c => typeof c.blob === 'string' && c.text === undefined)
          ? undefined
          : 'a blob, and no text',
      );
    },
  }),

  scenario('server/resources/read-by-template', {
    title: 'resources/read of a template URI returns the MIME type that the template states',
    verifies: ['resources.template-mime-type-uniform'],
    fixtures: ['template test://template/{id}/data'],
    async run({ peer, expect, known }) {
      const template = known.templates.find(t => t.uriTemplate === 'test://template/{id}/data');
      const read = await peer.request('resources/read', { uri: 'test://template/123/data' });
      expectUniform(expect, template, read);
    },
  }),

  scenario('server/resources/read-completed', {
    title:
      'resources/read of a template URI that the server completes returns the MIME type that the template states',
    verifies: ['resources.template-mime-type-uniform'],
    async run({ peer, expect, known }) {
      const templates = declares(peer.declared, 'completions') ? known.templates.slice(0, 3) : [];
      let reads = 0;
      for (const template of templates) {
        const uriTemplate = asText(template.uriTemplate);
        const names = [...uriTemplate.matchAll(simpleVariable)].map(([, name = '']) => name);
        // other operators of RFC 6570 have other expansions
        if (names.length === 0 || uriTemplate.split('{').length - 1 !== names.length) continue;
        const values = await completedArguments(peer, { type: 'ref/resource', uri: uriTemplate }, names);
        if (!values) continue;
        const uri = uriTemplate.replace(simpleVariable, (_, name) => encodeURIComponent(values[name]!));
        const read = await peer.request('resources/read', { uri });
        if (!resultOf(read)) continue;
        reads++;
        expectUniform(expect, template, read);
      }
      if (reads === 0)
        expect.notObserved(
          'resources.template-mime-type-uniform',
          'no template was completed by the server and read',
        );
    },
  }),

  scenario('server/resources/read-unknown', {
    title: 'resources/read of an unknown resource gets the error of the revision',
    verifies: [
      'resources.not-found-code-32002',
      'resources.not-found-code-32602',
      'resources.no-empty-contents-when-missing',
    ],
    async run({ peer, expect, known }) {
      const example = known.resources.find(r => typeof r.uri === 'string')?.uri as string | undefined;
      const scheme = /^[a-z][a-z0-9+.-]*:\/*/i.exec(example ?? '')?.[0] ?? 'test://';
      const read = await peer.request('resources/read', { uri: `${scheme}mcp-conform/no-such-resource` });
      await expectNotFound(peer, expect, read);
    },
  }),

  scenario('server/resources/hostile-uris', {
    title: 'resources/read with malformed or very long URIs leaves the server usable',
    verifies: ['resources.uris-validated'],
    async run({ peer, expect }) {
      const reads = [];
      for (const uri of hostile)
        reads.push(await peer.request('resources/read', { uri }, { deliberate: true }));
      reads.push(await peer.request('resources/read', {}, { deliberate: true }));
      reads.push(await peer.request('resources/read', { uri: 7 }, { deliberate: true }));
      const alive = await peer.barrier();
      const fatal = reads.find(read => !read.reply);
      const http = fatal && peer.conversation.httpOf(fatal.request);
      const evidence = alive ? [reads.at(-1)] : [fatal ?? reads.at(-1), http?.response, http?.end];
      expect.that('resources.uris-validated', stillResponds(peer, alive, evidence));
      // a result without contents serves no resource: base.schema-valid
      const served = reads.slice(-2).find(read => Array.isArray(resultOf(read)?.contents));
      expect.that('resources.uris-validated', {
        ok: !served,
        expected: 'no contents for a request without a URI',
        evidence: [served ?? reads.at(-1)],
        actual: served ? describe(served) : 'none',
      });
    },
  }),

  scenario('server/resources/traversal', {
    title: 'resources/read with steps to a parent directory returns no file outside of the served area',
    verifies: ['resources.path-traversal-sanitized'],
    async run({ peer, expect, known }) {
      const row = 'resources.path-traversal-sanitized';
      const listed = known.resources.map(r => asText(r.uri)).find(uri => uri.startsWith('file://'));
      if (listed === undefined) throw new NotObserved('no resource with a file URI is listed');
      const read = (uri: string) => peer.request('resources/read', { uri }, { deliberate: true });
      const plain = await read('file:///etc/passwd');
      if (showsAccounts(plain)) throw new NotObserved('the served area contains /etc');
      const directory = listed.slice(0, listed.lastIndexOf('/') + 1);
      for (const [up, target] of upwards) {
        const exchange = await read(`${directory}${up.repeat(12)}${target}`);
        if (!exchange.reply) continue;
        const actual = 'the accounts of the host';
        expect.that(row, {
          ok: !showsAccounts(exchange),
          expected: 'no file outside',
          evidence: [plain, exchange],
          actual,
        });
      }
    },
  }),

  scenario('server/resources/subscribe', {
    title: 'resources/subscribe and resources/unsubscribe get a result',
    verifies: ['resources.subscribe-methods-answered'],
    async run({ peer, known }) {
      const fixture = known.resources.find(r => r.uri === watched.uri);
      const uri = (fixture ?? known.resources[0])?.uri;
      if (uri === undefined) throw new NotObserved('no resource is listed');
      const other = known.resources.find(r => r.uri !== uri)?.uri;
      for (const one of other === undefined ? [uri] : [uri, other]) {
        await peer.request('resources/subscribe', { uri: one });
        await peer.request('resources/unsubscribe', { uri: one });
      }
    },
  }),

  scenario('server/resources/updates', {
    title: 'notifications/resources/updated arrives during a subscription, and not after it',
    verifies: updates,
    fixtures: ['resource test://watched-resource', 'tool test_update_resource'],
    async run({ peer, expect, known }) {
      const method = 'notifications/resources/updated';
      const listening = await peer.listen({ resourceSubscriptions: [watched.uri] });
      const agreed = listening.id === undefined ? undefined : listening.shownBy?.params?.notifications;
      const isCovered = !isObject(agreed) || [agreed.resourceSubscriptions].flat().includes(watched.uri);
      if (!listening.isAccepted || !isCovered) {
        await listening.stop();
        expect.notObserved(updates, 'the server refuses the subscription');
        return;
      }
      // without a handshake a server may replace a subscription by the next one
      const other = peer.conversation.isStateless
        ? undefined
        : known.resources.find(r => typeof r.uri === 'string' && r.uri !== watched.uri);
      // a subscription to another resource, and its end, leave this one as it is
      const second = other && (await peer.listen({ resourceSubscriptions: [asText(other.uri)] }));
      const { call, told } = await provoked(peer, method, () => peer.request('tools/call', update));
      await second?.stop();
      expect.that('resources.updated-notification', {
        ok: !!told,
        expected: method,
        evidence: [call, told],
        actual: 'none',
      });
      if (told && second) {
        const again = await provoked(peer, method, () => peer.request('tools/call', update));
        expect.that('resources.updated-notification', {
          ok: !!again.told,
          expected: `${method} after the end of another subscription`,
          evidence: [again.call, again.told],
          actual: 'none',
        });
      }
      await listening.stop();
      // messages in transit on another stream arrive before the response to this ping
      await peer.barrier();
      const unheard = await peer.request('tools/call', update);
      return () => expect.noViolation('resources.unsubscribe-ends-updates', [unheard]);
    },
  }),

  scenario('server/resources/list-changed', {
    title: 'a server that declares listChanged sends notifications/resources/list_changed',
    verifies: ['resources.list-changed-notification'],
    fixtures: ['tool test_list_change'],
    run: at =>
      checkListChange(at, 'resources.list-changed-notification', 'notifications/resources/list_changed'),
  }),

  scenario('server/resources/beside-calls', {
    title: 'while tools are called, updates of resources arrive during a subscription, and not after it',
    verifies: ['resources.updated-only-after-subscribe', 'resources.unsubscribe-ends-updates'],
    era: 'legacy',
    async run({ peer, expect, known, waitUntilTried }) {
      const rows = ['resources.updated-only-after-subscribe', 'resources.unsubscribe-ends-updates'] as const;
      const subscribed = uris(known);
      if (!declares(peer.declared, 'resources.subscribe') || subscribed.length === 0)
        throw new NotObserved('there is no resource to subscribe to');
      await waitUntilTried();
      const tools = quickTools(known);
      if (tools.length === 0) throw new NotObserved('no tool may be called');
      const since = lastSeq(peer);
      const listening = await peer.listen({ resourceSubscriptions: subscribed });
      await callEach(peer, tools);
      await peer.barrier();
      const told = changesSince(peer, since).find(m => m.method === 'notifications/resources/updated');
      await listening.stop();
      // messages in transit on another stream arrive before the response to this ping
      await peer.barrier();
      if (!told) throw new NotObserved('no tool changes a resource');
      await callEach(peer, tools);
      await peer.barrier();
      return () => {
        for (const row of rows) expect.noViolation(row, [told]);
      };
    },
  }),
];
