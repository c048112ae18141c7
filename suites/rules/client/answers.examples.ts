import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { latestRevision, type Revision, revisions } from '../../../spec/revisions.js';
import type { Example, ExampleTable } from '../example.test.util.js';
import {
  asked,
  error,
  handshake,
  initializedTwice,
  type Line,
  notification,
  opened,
  request,
  result,
} from '../record.test.util.js';
import { answeredWith, complete, enveloped, serverInfo } from '../stateless.test.util.js';

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const form = (more: object = {}): Line => [
  's',
  request(1, 'elicitation/create', { message: 'm', requestedSchema: schema, ...more } as never),
];
const pageAt = (url: string): Line => [
  's',
  request(1, 'elicitation/create', { mode: 'url', message: 'm', url, elicitationId: 'e' }),
];
const page = pageAt('https://e.com/');
const answer = (body: Json): Line => ['c', result(1, body)];
const refusal = (code: number): Line => ['c', error(1, code)];
const accept = answer({ action: 'accept', content: { n: 1 } });

/** A client that declares only these capabilities. */
const declaring =
  (client: Json, ...lines: Line[]) =>
  (revision: Revision): Line[] => [...handshake(revision, {}, client), ...lines];

const sample = (more: object = {}): Line => [
  's',
  request(1, 'sampling/createMessage', { messages: [], maxTokens: 9, ...more } as never),
];
const tools = [{ name: 'a', inputSchema: schema }];
const says = answer({ role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } });
const uses = (name: string, input: Json = { n: 1 }): Line =>
  answer({
    role: 'assistant',
    model: 'm',
    stopReason: 'toolUse',
    content: [{ type: 'tool_use', id: 'u', name, input }],
  });

const listRoots: Line = ['s', request(1, 'roots/list')];
const roots = (...uris: string[]): Line => answer({ roots: uris.map(uri => ({ uri })) });

const declares = (client: JsonObject) => ({ 'io.modelcontextprotocol/clientCapabilities': client });

/** A question in the result of a request that declares only these capabilities; its retry declares all. */
const askedWith = (client: JsonObject, question: JsonObject, given: JsonObject): Example => ({
  era: 'modern',
  lines: [
    ['c', enveloped(1, 'tools/call', { name: 't' }, declares(client))],
    [
      's',
      {
        jsonrpc: '2.0',
        id: 1,
        result: { resultType: 'input_required', inputRequests: { q: question }, _meta: serverInfo },
      },
    ],
    ['c', enveloped(2, 'tools/call', { name: 't', inputResponses: { q: given } })],
    ['s', complete(2, { content: [] })],
  ],
});
/** A further request that declares nothing. */
const thenNothing = (example: Example): Example => ({
  ...example,
  lines: [
    ...(example.lines as readonly Line[]),
    ['c', enveloped(3, 'tools/call', { name: 't' }, declares({}))],
    ['s', complete(3, { content: [] })],
  ],
});
const askForm: JsonObject = {
  method: 'elicitation/create',
  params: { message: 'm', requestedSchema: schema as JsonObject },
};
const accepted: JsonObject = { action: 'accept', content: { n: 1 } };
const oneRoot: JsonObject = { roots: [{ uri: 'file:///a' }] };
const askModel = (more: JsonObject = {}): JsonObject => ({
  method: 'sampling/createMessage',
  params: { messages: [], maxTokens: 9, ...more },
});
const said: JsonObject = { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } };

const page1 = asked(2, 'tools/list', undefined, { tools: [], nextCursor: ' a b ' });
const lastPage = asked(3, 'tools/list', { cursor: ' a b ' }, { tools: [] });
const listing = (id: number, cursor: string): Line => ['c', request(id, 'tools/list', { cursor })];

/** A list of two pages, whose second page is fetched again. */
const walkAgain = (hints: JsonObject): Line[] => [
  ...answeredWith(1, 'tools/list', {}, { tools: [], nextCursor: 'b', cacheScope: 'private', ...hints }),
  ...answeredWith(2, 'tools/list', { cursor: 'b' }, { tools: [], cacheScope: 'private', ...hints }),
  ...answeredWith(3, 'tools/list', { cursor: 'b' }, { tools: [], cacheScope: 'private', ...hints }),
];

const neverReleased = (revision: Revision): Line => [
  's',
  result('init', {
    protocolVersion: revision.id.replace(/^\d{4}/, '1900'),
    capabilities: {},
    serverInfo: { name: 's', version: '1' },
  }),
];
const [oldest] = revisions;
const isNewer = (revision: Revision): boolean => revision !== oldest;
/** A client that requests the oldest revision and gets this revision instead. */
const asksForOldest = (revision: Revision): Line[] => [
  handshake(oldest!)[0]!,
  ...handshake(revision).slice(1),
];
/** A client that requests a version that is derived from this revision. */
const askingFor =
  (version: (id: string) => string) =>
  (revision: Revision): Line[] => [
    handshake({ ...revision, id: version(revision.id) as Revision['id'] })[0]!,
    ...handshake(revision).slice(1),
  ];
/** A request or its response under another id. */
const withOtherId = (line: Line): Line =>
  'kind' in line ? line : [line[0], { ...(line[1] as JsonObject), id: 'other' }];
const everyTool: Line = ['c', request(2, 'tools/list')];

export const examples: ExampleTable = {
  'elicitation.capability-declared': {
    good: [opened(form(), accept)],
    legal: [
      declaring({}, form(), refusal(-32602)),
      declaring({}, form(), answer({ action: 'cancel' })),
      { lines: opened(form()), isUnobserved: true },
      thenNothing(askedWith({ elicitation: {} }, askForm, accepted)),
    ],
    bad: [
      { lines: declaring({}, form(), accept), shows: 'accepted' },
      // the declaration of another request does not count
      askedWith({}, askForm, accepted),
    ],
  },
  'elicitation.accept-content-matches': {
    good: [opened(form(), accept)],
    legal: [{ lines: opened(form(), answer({ action: 'decline' })), shows: 'declined' }],
    bad: [
      { lines: opened(form(), answer({ action: 'accept', content: { n: 'one' } })), shows: 'value' },
      { lines: opened(form(), answer({ action: 'accept', content: {} })), shows: 'required-missing' },
    ],
  },
  'elicitation.refusal-without-content': {
    good: [opened(form(), answer({ action: 'decline' }))],
    legal: [{ lines: opened(form(), answer({ action: 'cancel', content: {} })), shows: 'empty-content' }],
    bad: [
      { lines: opened(form(), answer({ action: 'cancel', content: { n: 1 } })), shows: 'content' },
      opened(page, answer({ action: 'decline', content: { n: 1 } })),
    ],
  },
  'elicitation.url-accept-without-content': {
    good: [{ lines: opened(page, answer({ action: 'accept' })), shows: 'none' }],
    bad: [{ lines: opened(page, accept), shows: 'content' }],
  },
  'elicitation.undeclared-mode-error': {
    good: [declaring({ elicitation: { form: {} } }, page, refusal(-32602))],
    legal: [
      { lines: declaring({ elicitation: { form: {}, url: {} } }, page, refusal(-32603)), shows: 'declared' },
    ],
    bad: [
      { lines: declaring({ elicitation: { form: {} } }, page, refusal(-32603)), shows: 'other-code' },
      { lines: declaring({ elicitation: {} }, page, answer({ action: 'decline' })), shows: 'result' },
    ],
  },
  'elicitation.omitted-mode-is-form': {
    good: [opened(form(), accept)],
    legal: [
      { lines: opened(form()), isUnobserved: true },
      opened(['s!', request(1, 'elicitation/create', { message: 'm', requestedSchema: 7 })], refusal(-32602)),
      declaring({ elicitation: { url: {} } }, form(), refusal(-32602)),
      // a request without parameters
      declaring({ elicitation: { url: {} } }, ['s', request(1, 'elicitation/create')], refusal(-32602)),
      declaring({ elicitation: {} }, ['s', request(1, 'elicitation/create')], answer({ action: 'decline' })),
    ],
    bad: [
      { lines: opened(form(), refusal(-32603)), shows: 'refused' },
      // the client knows the form where its mode is named
      declaring(
        { elicitation: {} },
        form(),
        refusal(-32601),
        withOtherId(form({ mode: 'form' })),
        withOtherId(accept),
      ),
      {
        lines: declaring({ elicitation: {} }, form(), refusal(-32602)),
        also: ['elicitation.one-mode-at-least'],
      },
    ],
  },
  'elicitation.one-mode-at-least': {
    good: [declaring({ elicitation: { form: {} } }, form({ mode: 'form' }), accept)],
    bad: [
      {
        lines: declaring({ elicitation: { form: {} } }, form({ mode: 'form' }), refusal(-32603)),
        shows: 'all-refused',
      },
      // a client that knows no elicitation refuses it without regard to the mode
      declaring({ elicitation: { form: {} } }, form(), refusal(-32601)),
      declaring({ elicitation: {} }, form({ mode: 'form' }), refusal(-32601)),
      {
        lines: declaring(
          { elicitation: { form: {}, url: {} } },
          form({ mode: 'form' }),
          refusal(-32603),
          withOtherId(page),
          withOtherId(refusal(-32603)),
        ),
        also: ['elicitation.declared-url-supported'],
      },
    ],
  },
  'elicitation.declared-url-supported': {
    good: [declaring({ elicitation: { url: {} } }, page, answer({ action: 'accept' }))],
    legal: [
      {
        lines: declaring({ elicitation: { url: {} } }, page, answer({ action: 'decline' })),
        shows: 'declined',
      },
      {
        lines: declaring(
          { elicitation: { url: {} } },
          page,
          refusal(-32602),
          withOtherId(page),
          withOtherId(answer({ action: 'accept' })),
        ),
        shows: 'one-refused',
      },
      // only https counts
      declaring({ elicitation: { form: {}, url: {} } }, pageAt('http://localhost:8000/x'), refusal(-32602)),
      declaring(
        { elicitation: { form: {}, url: {} } },
        pageAt('http://localhost/?next=https:'),
        refusal(-32602),
      ),
      { lines: opened(form({ url: 'https://e.com/' }), accept), isUnobserved: true },
    ],
    bad: [
      {
        lines: declaring({ elicitation: { form: {}, url: {} } }, page, refusal(-32602)),
        shows: 'all-refused',
      },
    ],
  },
  'lifecycle.client-sends-initialize': {
    good: [r => handshake(r)],
    bad: [
      {
        lines: r => [['c', request(0, 'initialize', { protocolVersion: r.id, capabilities: {} })]],
        shows: 'client-info-incomplete',
      },
      ...[
        { protocolVersion: undefined },
        { capabilities: undefined },
        { clientInfo: { name: 'c' } },
        { clientInfo: { version: '1' } },
      ].map(change => (r: Revision): Line[] => [
        [
          'c',
          request(0, 'initialize', {
            protocolVersion: r.id,
            capabilities: {},
            clientInfo: { name: 'c', version: '1' },
            ...change,
          } as never),
        ],
      ]),
    ],
  },
  'lifecycle.client-sends-initialized': {
    good: [opened(everyTool)],
    legal: [
      { lines: r => handshake(r, { tools: {} }).slice(0, 2), shows: 'disconnects' },
      // nothing but responses, and another initialize
      r => [...handshake(r).slice(0, 2), ['s', request(7, 'ping')], ['c', result(7)]],
      r => [...handshake(r).slice(0, 2), ...handshake(r).slice(0, 2).map(withOtherId)],
      // on another connection the request may arrive first
      {
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: r => [
          ...handshake(r, { tools: {} }).slice(0, 2),
          everyTool,
          ['c', notification('notifications/initialized')],
        ],
      },
    ],
    bad: [
      { lines: r => [...handshake(r, { tools: {} }).slice(0, 2), everyTool], shows: 'never' },
      {
        lines: r => [
          ...handshake(r, { tools: {} }).slice(0, 2),
          everyTool,
          ['c', notification('notifications/initialized')],
        ],
        shows: 'after-request',
      },
      {
        lines: r => [...handshake(r).slice(0, 2), ['c', request(7, 'notifications/initialized')]],
        also: ['jsonrpc.notification-without-id'],
      },
      r => [
        ...handshake(r, {}, { roots: { listChanged: true } }).slice(0, 2),
        ['c', notification('notifications/roots/list_changed')],
      ],
      // before the response
      r => {
        const [ask, reply, said] = handshake(r);
        return [ask!, said!, reply!];
      },
    ],
  },
  'lifecycle.client-waits-for-initialize': {
    good: [r => handshake(r)],
    legal: [
      {
        lines: r => {
          const [ask, ...rest] = handshake(r);
          return [ask!, ['c', request(1, 'ping')], ...rest, ['s', result(1)]];
        },
        shows: 'ping',
      },
      // the first one is given up
      r => [handshake(r)[0]!, ...handshake(r)],
      // the second one is a session of its own
      r => [...handshake(r), ...handshake(r)],
    ],
    bad: [
      {
        lines: r => {
          const [ask, ...rest] = handshake(r, { tools: {} });
          return [ask!, everyTool, ...rest];
        },
        shows: 'early-request',
      },
      {
        lines: initializedTwice,
        also: ['jsonrpc.request-id-unique-in-session'],
        shows: 'second-initialize',
      },
      r => {
        const [ask, answer, ...rest] = handshake(r);
        return [ask!, withOtherId(ask!), answer!, withOtherId(answer!), ...rest];
      },
    ],
  },
  'lifecycle.client-disconnects-on-version': {
    good: [r => [handshake(r)[0]!, neverReleased(r)]],
    legal: [
      r => [handshake(r)[0]!, neverReleased(r), ['c', request(1, 'ping')]],
      r => [handshake(r)[0]!, neverReleased(r), ['s', request(7, 'ping')], ['c', result(7)]],
    ],
    bad: [
      {
        lines: r => [handshake(r)[0]!, neverReleased(r), ['c', notification('notifications/initialized')]],
        shows: 'continues',
      },
    ],
  },
  'lifecycle.client-version-form': {
    good: [r => handshake(r)],
    legal: [
      { lines: askingFor(id => id.replace(/^\d{4}/, '2999')), shows: 'unknown-date' },
      { lines: askingFor(() => 'DRAFT-v2'), shows: 'draft' },
    ],
    bad: [
      { lines: askingFor(() => '1.0'), shows: 'no-version' },
      { lines: askingFor(() => 'latest'), shows: 'word' },
      { lines: askingFor(id => `v${id}`), shows: 'prefix' },
      askingFor(id => `${id}-x`),
    ],
  },
  'lifecycle.client-version-latest': {
    good: [
      { lines: handshake, when: revision => revision === latestRevision },
      { lines: revision => asksForOldest(revision).slice(0, 2), when: isNewer, shows: 'disconnects' },
    ],
    legal: [
      r => handshake(r),
      { lines: r => [...asksForOldest(r).slice(0, 2), ['c', request(1, 'ping')]], when: isNewer },
      {
        lines: r => [...asksForOldest(r).slice(0, 2), ['s', request(7, 'ping')], ['c', result(7)]],
        when: isNewer,
      },
    ],
    bad: [{ lines: asksForOldest, when: isNewer, shows: 'continues-newer' }],
  },
  'pagination.cursor-opaque': {
    good: [opened(...page1, ...lastPage)],
    bad: [
      { lines: opened(...page1, listing(3, 'a b')), shows: 'trimmed' },
      // an error shows no cursor
      opened(['c', request(2, 'tools/list')], ['s', error(2)], listing(3, 'x')),
    ],
  },
  'pagination.cursor-not-persisted': {
    good: [opened(everyTool)],
    bad: [{ lines: opened(listing(2, 'x')), shows: 'first-request' }],
  },
  'pagination.missing-next-cursor-is-end': {
    good: [opened(...page1, ...lastPage)],
    legal: [
      { lines: opened(...page1, ...lastPage, ['c', request(4, 'tools/list')]), shows: 'new-listing' },
      {
        lines: opened(
          ...page1,
          ...asked(4, 'tools/list', undefined, { tools: [], nextCursor: ' a b ' }),
          ...lastPage,
          listing(5, ' a b '),
        ),
        shows: 'two-at-once',
      },
      { lines: opened(...page1), isUnobserved: true },
      // the page may be fetched again while it is fresh
      {
        era: 'modern',
        lines: walkAgain({ ttlMs: 60_000 }),
      },
    ],
    bad: [
      { lines: opened(...page1, ...lastPage, listing(4, ' a b ')), shows: 'old-cursor' },
      opened(...asked(2, 'tools/list', undefined, { tools: [] }), listing(3, 'x'), [
        'c',
        request(4, 'tools/list'),
      ]),
      { era: 'modern', lines: walkAgain({ ttlMs: 0 }) },
    ],
  },
  'roots.capability-declared': {
    good: [opened(listRoots, roots('file:///a'))],
    legal: [{ lines: declaring({}, listRoots, refusal(-32601)), shows: 'refused' }],
    bad: [
      { lines: declaring({}, listRoots, roots('file:///a')), shows: 'listed' },
      // the client supports roots: the code of its error is free
      declaring({}, listRoots, roots('file:///a'), ['s', request(2, 'roots/list')], ['c', error(2, -32603)]),
      askedWith({}, { method: 'roots/list' }, oneRoot),
    ],
  },
  'roots.unsupported-error': {
    good: [declaring({}, listRoots, refusal(-32601))],
    legal: [
      { lines: opened(listRoots, refusal(-32603)), shows: 'declared' },
      { lines: declaring({}, listRoots), isUnobserved: true },
    ],
    bad: [
      { lines: declaring({}, listRoots, refusal(-32603)), shows: 'other-code' },
      { lines: declaring({}, listRoots, roots()), shows: 'empty-list' },
      declaring({}, listRoots, ['s', request(2, 'roots/list')], ['c', error(2, -32603)]),
    ],
  },
  'roots.uri-file-scheme': {
    good: [opened(listRoots, roots('file:///a'))],
    bad: [
      { lines: opened(listRoots, roots('file:///a', 'https://e.com/')), shows: 'other-scheme' },
      opened(listRoots, roots('x-file:///a')),
    ],
  },
  'roots.uri-unique': {
    good: [opened(listRoots, roots('file:///a', 'file:///b'))],
    legal: [{ lines: opened(listRoots, roots()), isUnobserved: true }],
    bad: [{ lines: opened(listRoots, roots('file:///a', 'file:///a')), shows: 'twice' }],
  },
  'roots.uris-validated': {
    good: [
      { lines: opened(listRoots, roots('file:///a/.hidden/b..c')), shows: 'dots' },
      { lines: opened(listRoots, roots('file:///a/./b')), shows: 'same-folder' },
    ],
    bad: [
      { lines: opened(listRoots, roots('file:///a/../b')), shows: 'parent' },
      { lines: opened(listRoots, roots('file:///a/%2e%2E')), shows: 'encoded' },
    ],
  },
  'sampling.capability-declared': {
    good: [opened(sample(), says)],
    legal: [thenNothing(askedWith({ sampling: {} }, askModel(), said))],
    bad: [{ lines: declaring({}, sample(), says), shows: 'result' }, askedWith({}, askModel(), said)],
  },
  'sampling.tools-capability-declared': {
    good: [opened(sample({ tools }), uses('a'))],
    legal: [
      // no tools, and no response
      {
        lines: opened(sample(), says, [
          's',
          request(2, 'sampling/createMessage', { messages: [], maxTokens: 9, tools } as never),
        ]),
        isUnobserved: true,
      },
    ],
    bad: [
      {
        lines: declaring({ sampling: {} }, sample({ tools }), uses('a')),
        also: ['sampling.client-refuses-undeclared-tools'],
        shows: 'tool-used',
      },
    ],
  },
  'sampling.client-refuses-undeclared-tools': {
    good: [declaring({ sampling: {} }, sample({ tools }), refusal(-32602))],
    legal: [
      { lines: declaring({ sampling: {} }, sample(), says), shows: 'no-tools' },
      declaring({ sampling: {} }, sample({ tools })),
      declaring({ sampling: {} }, ['s', request(1, 'sampling/createMessage')], refusal(-32602)),
    ],
    bad: [
      { lines: declaring({ sampling: {} }, sample({ tools }), says), shows: 'tools-ignored' },
      askedWith({ sampling: {} }, askModel({ tools: tools as never }), said),
      declaring({ sampling: {} }, sample({ toolChoice: { mode: 'auto' } }), says),
    ],
  },
  'sampling.tool-choice-none': {
    good: [opened(sample({ tools, toolChoice: { mode: 'none' } }), says)],
    bad: [{ lines: opened(sample({ tools, toolChoice: { mode: 'none' } }), uses('a')), shows: 'used' }],
  },
  'sampling.tool-choice-required': {
    good: [opened(sample({ tools, toolChoice: { mode: 'required' } }), uses('a'))],
    legal: [
      {
        lines: opened(sample({ tools, toolChoice: { mode: 'required' } }), refusal(-32603)),
        shows: 'refused',
      },
      {
        lines: opened(sample({ tools, toolChoice: { mode: 'required' } }), [
          'c',
          result(1, {
            role: 'assistant',
            model: 'm',
            content: { type: 'text', text: 'x' },
            stopReason: 'maxTokens',
          }),
        ]),
        shows: 'truncated',
      },
      // the tool has been used already
      opened(
        sample({
          tools,
          toolChoice: { mode: 'required' },
          messages: [
            { role: 'user', content: { type: 'text', text: 'x' } },
            { role: 'assistant', content: { type: 'tool_use', id: 'u', name: 'a', input: { n: 1 } } },
            { role: 'user', content: [{ type: 'tool_result', toolUseId: 'u', content: [] }] },
          ],
        }),
        says,
      ),
    ],
    bad: [{ lines: opened(sample({ tools, toolChoice: { mode: 'required' } }), says), shows: 'not-used' }],
  },
  'sampling.tool-use-fits-tools': {
    good: [opened(sample({ tools }), uses('a'))],
    bad: [
      { lines: opened(sample({ tools }), uses('b')), shows: 'not-offered' },
      { lines: opened(sample({ tools }), uses('a', { n: 'one' })), shows: 'input-invalid' },
    ],
  },
};
