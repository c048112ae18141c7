import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { entry } from '../harness/grouped.js';
import { formats } from './formats.js';
import { compileSchemas } from './generate.js';
import { isObject, type Json, type Role } from './json-rpc.js';
import { overlays } from './overlay.js';
import { definedRevisions, type Revision, type RevisionId } from './revisions.js';
import { definitionsOf, mutants, type Schemas, validSamples } from './samples.js';
import { vocabularyOf } from './vocabulary.js';

const published = path.resolve(fileURLToPath(new URL('../../shared/spec', import.meta.url)));
const revision = (id: RevisionId): Revision => definedRevisions.find(r => r.id === id)!;

it('the generated schemas are up to date', () => {
  expect(compileSchemas({ check: true }), 'run "npm run spec" and commit the result').toEqual([]);
});

/** A case where the schemas of this project deliberately accept a value that the published schema refuses. */
interface Exception {
  readonly name: string;
  readonly why: string;
  readonly revisions: readonly RevisionId[];
  readonly definitions: readonly string[];
  /** The entries of `overlay.ts` that cause the difference; none when the types alone cause it. */
  readonly overlays: readonly string[];
  /** The simplest case, for each definition it concerns directly. */
  readonly examples: Readonly<Record<string, Json>>;
  /** The value with the disputed part replaced: both schemas have to accept it. */
  repair(value: Json): Json;
}

const inErrors = (repair: (id: Json | undefined) => Json | undefined) => (value: Json) => {
  const one = (message: Json): Json => {
    if (!isObject(message) || !('error' in message)) return message;
    const id = repair(message.id);
    return id === undefined ? message : { ...message, id };
  };
  return Array.isArray(value) ? value.map(one) : one(value);
};

const exceptions: readonly Exception[] = [
  {
    name: 'id null in an error',
    why: 'JSON-RPC 2.0 section 5: the id is null when the id of the request is unreadable.',
    revisions: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
    definitions: [
      'JSONRPCError',
      'JSONRPCErrorResponse',
      'JSONRPCBatchResponse',
      'JSONRPCMessage',
      'JSONRPCResponse',
      'URLElicitationRequiredError',
      'HeaderMismatchError',
      'MissingRequiredClientCapabilityError',
      'UnsupportedProtocolVersionError',
    ],
    overlays: [
      'JSONRPCError/properties/id',
      'JSONRPCErrorResponse/properties/id',
      'URLElicitationRequiredError/properties/id',
      'HeaderMismatchError/properties/id',
      'MissingRequiredClientCapabilityError/properties/id',
      'UnsupportedProtocolVersionError/properties/id',
    ],
    examples: {
      JSONRPCError: { jsonrpc: '2.0', id: null, error: { code: -32700, message: '' } },
      JSONRPCErrorResponse: { jsonrpc: '2.0', id: null, error: { code: -32700, message: '' } },
      URLElicitationRequiredError: {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32042, message: '', data: { elicitations: [] } },
      },
      HeaderMismatchError: { jsonrpc: '2.0', id: null, error: { code: -32020, message: '' } },
      MissingRequiredClientCapabilityError: {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32021, message: '', data: { requiredCapabilities: {} } },
      },
      UnsupportedProtocolVersionError: {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32022, message: '', data: { supported: [], requested: '' } },
      },
    },
    repair: inErrors(id => (id === null ? 0 : undefined)),
  },
  {
    name: 'no id in an error',
    why: 'basic/transports: the body of a refused POST is possibly an error response that has no id.',
    revisions: ['2025-03-26', '2025-06-18'],
    definitions: ['JSONRPCError', 'JSONRPCBatchResponse', 'JSONRPCMessage'],
    overlays: ['JSONRPCError/required'],
    examples: { JSONRPCError: { jsonrpc: '2.0', error: { code: -32700, message: '' } } },
    repair: inErrors(id => (id === undefined ? 0 : undefined)),
  },
  {
    name: 'a fractional number in a filled-in form',
    why: 'client/elicitation: a number field also accepts fractions; the published TypeScript has the type number.',
    revisions: ['2025-06-18', '2025-11-25', '2026-07-28'],
    definitions: ['ElicitResult', ...containing('2026-07-28', 'ElicitResult')],
    overlays: [],
    examples: { ElicitResult: { action: 'accept', content: { height: 1.5 } } },
    repair: below(['content'], json => (typeof json === 'number' ? Math.round(json) : json)),
  },
  {
    name: 'null or a fraction in settings',
    why: 'schema#jsonvalue: the published TypeScript has number and null; the published JSON Schema lost both.',
    revisions: ['2026-07-28'],
    definitions: containing('2026-07-28', 'JSONValue').filter(name => !/^JSON(Object|Array)$/.test(name)),
    overlays: ['JSONValue'],
    examples: {
      ClientCapabilities: { extensions: { 'x/y': { a: [null] } } },
      ServerCapabilities: { logging: { share: 0.5 } },
    },
    repair: below(
      ['experimental', 'extensions', 'context', 'tools', 'form', 'url', 'logging', 'completions', 'metadata'],
      plain,
    ),
  },
  {
    name: 'null or a fraction as JSON',
    why: 'As above.',
    revisions: ['2026-07-28'],
    definitions: ['JSONValue', 'JSONObject', 'JSONArray'],
    overlays: ['JSONValue'],
    examples: { JSONValue: null, JSONObject: { a: 0.5 }, JSONArray: [null] },
    repair: plain,
  },
];

/** The definitions that contain another one, directly or not. */
function containing(id: RevisionId, name: string): string[] {
  const { definitions } = vocabularyOf(revision(id)).schema;
  const found = new Set([name]);
  for (const _ of Object.keys(definitions))
    for (const [other, schema] of Object.entries(definitions))
      if ([...found].some(inner => JSON.stringify(schema).includes(`/${inner}"`))) found.add(other);
  found.delete(name);
  return [...found];
}

/** Changes all values below the members with these names, wherever they are. */
function below(names: readonly string[], change: (json: Json) => Json): (value: Json) => Json {
  const inside = (json: Json): Json => change(onMembers(json, (_, member) => inside(member)));
  const search = (json: Json): Json =>
    onMembers(json, (name, member) => (names.includes(name) ? inside(member) : search(member)));
  return search;
}

function onMembers(json: Json, change: (name: string, member: Json) => Json): Json {
  if (Array.isArray(json)) return json.map(item => change('', item));
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, change(name, member)]));
}

/** JSON as the published schema defines it: without fractions and without null. */
function plain(json: Json): Json {
  if (json === null) return 0;
  if (typeof json === 'number') return Math.round(json);
  return onMembers(json, (_, member) => plain(member));
}

describe('agreement with the published schemas', () => {
  it('every entry of the overlay with kind `departs` is listed here', () => {
    const listed = exceptions.flatMap(exception => exception.overlays);
    const departures = overlays
      .filter(overlay => overlay.kind === 'departs')
      .map(overlay => overlay.at.join('/'));
    expect(new Set(departures)).toEqual(new Set(listed));
  });

  for (const { id } of definedRevisions) {
    const file = path.join(published, id, 'schema.json');
    if (!existsSync(file)) {
      test.skip(`${id} skipped: ../shared does not exist`);
      continue;
    }
    const schemas = JSON.parse(readFileSync(file, 'utf8')) as Schemas;
    const vocabulary = vocabularyOf(revision(id));

    it(`${id} has the same definitions`, () => {
      expect([...vocabulary.definitions].sort()).toEqual(Object.keys(definitionsOf(schemas)).sort());
    });

    const theirs = validatorOf(schemas);
    const ours = (definition: string, value: Json) => vocabulary.validate(definition, value).length === 0;
    const here = exceptions.filter(exception => exception.revisions.includes(id));
    /** The exception for a value that only the schemas of this project accept. */
    const covering = (definition: string, value: Json) =>
      here.find(({ definitions, repair }) => {
        const repaired = repair(value);
        return definitions.includes(definition) && theirs(definition, repaired) && ours(definition, repaired);
      });

    it.each(here)(`${id} differs: $name`, exception => {
      const concerned = Object.entries(exception.examples).filter(([name]) =>
        vocabulary.definitions.has(name),
      );
      expect(concerned.length).toBeGreaterThan(0);
      for (const [definition, value] of concerned) {
        expect(vocabulary.validate(definition, value)).toEqual([]);
        expect(theirs(definition, value)).toBe(false);
        expect(covering(definition, value)).toBe(exception);
      }
    });

    it(`${id} gives the same verdict for samples and their mutants`, () => {
      const counts = { accepted: 0, refused: 0, excused: 0 };
      const wrong: string[] = [];
      const compare = (definition: string, value: Json) => {
        const verdict = theirs(definition, value);
        counts[verdict ? 'accepted' : 'refused']++;
        if (ours(definition, value) === verdict) return;
        if (!verdict && covering(definition, value)) counts.excused++;
        else wrong.push(`${definition}: published ${verdict}, ours ${!verdict}: ${JSON.stringify(value)}`);
      };
      for (const definition of vocabulary.definitions) {
        const samples = validSamples(schemas, definition, 100);
        expect(samples.filter(sample => !theirs(definition, sample))).toEqual([]);
        for (const [index, sample] of samples.entries())
          for (const value of [sample, ...mutants(sample, 8, `${definition} ${index}`)])
            compare(definition, value);
      }
      if (process.env.SPEC_COUNTS) console.log(id, vocabulary.definitions.size, counts);
      expect(wrong.slice(0, 10)).toEqual([]);
      // Both verdicts occur often in the comparison.
      expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(10_000);
    });
  }
});

describe('published examples', () => {
  const folder = path.join(published, '2026-07-28', 'examples');
  if (!existsSync(folder)) {
    test.skip('skipped: ../shared does not exist');
    return;
  }
  const examples = readdirSync(folder).flatMap(definition =>
    readdirSync(path.join(folder, definition)).map(file => ({ definition, file })),
  );

  it('there are 129', () => {
    expect(examples).toHaveLength(129);
  });

  it.each(examples)('$definition/$file is accepted', ({ definition, file }) => {
    const value = JSON.parse(readFileSync(path.join(folder, definition, file), 'utf8')) as Json;
    expect(vocabularyOf(revision('2026-07-28')).validate(definition, value)).toEqual([]);
  });
});

/** The unchanged published schema, in its own dialect, with the formats of ajv-formats. */
function validatorOf(schemas: Schemas): (definition: string, value: Json) => boolean {
  const ajv = schemas.$defs ? new Ajv2020({ strict: false }) : new Ajv({ strict: false });
  formatsPlugin.default(ajv, ['byte', 'uri', 'uri-template']);
  ajv.addSchema(schemas, 'published');
  const where = schemas.$defs ? '$defs' : 'definitions';
  // `getSchema` resolves the address each time
  const checks = new Map<string, ValidateFunction>();
  const checkOf = (definition: string) =>
    entry(checks, definition, () => ajv.getSchema(`published#/${where}/${definition}`)!);
  return (definition, value) => checkOf(definition)(value) as boolean;
}

describe('vocabulary', () => {
  const askedByClient = [
    'completion/complete → CompleteResult',
    'initialize → InitializeResult',
    'logging/setLevel → EmptyResult',
    'ping → EmptyResult',
    'prompts/get → GetPromptResult',
    'prompts/list → ListPromptsResult',
    'resources/list → ListResourcesResult',
    'resources/read → ReadResourceResult',
    'resources/subscribe → EmptyResult',
    'resources/templates/list → ListResourceTemplatesResult',
    'resources/unsubscribe → EmptyResult',
    'tools/call → CallToolResult',
    'tools/list → ListToolsResult',
  ];
  const askedByServer = [
    'ping → EmptyResult',
    'roots/list → ListRootsResult',
    'sampling/createMessage → CreateMessageResult',
  ];
  const elicitation = ['elicitation/create → ElicitResult'];
  const tasks = [
    'tasks/cancel → CancelTaskResult',
    'tasks/get → GetTaskResult',
    'tasks/list → ListTasksResult',
    'tasks/result → GetTaskPayloadResult',
  ];
  const saidByClient = ['cancelled', 'initialized', 'progress', 'roots/list_changed'];
  const saidByServer = [
    'cancelled',
    'message',
    'progress',
    'prompts/list_changed',
    'resources/list_changed',
    'resources/updated',
    'tools/list_changed',
  ];

  const requests = (id: RevisionId, side: Role): string[] => {
    const vocabulary = vocabularyOf(revision(id));
    return [...vocabulary.requests[side]]
      .map(method => `${method} → ${vocabulary.resultDefinition(side, method)}`)
      .sort();
  };
  const notifications = (id: RevisionId, side: Role): string[] =>
    [...vocabularyOf(revision(id)).notifications[side]]
      .map(method => method.replace(/^notifications\//, ''))
      .sort();

  it.each<[RevisionId, Record<'asksServer' | 'asksClient' | 'tellsServer' | 'tellsClient', string[]>]>([
    ['2024-11-05', { asksServer: [], asksClient: [], tellsServer: [], tellsClient: [] }],
    ['2025-03-26', { asksServer: [], asksClient: [], tellsServer: [], tellsClient: [] }],
    ['2025-06-18', { asksServer: [], asksClient: elicitation, tellsServer: [], tellsClient: [] }],
    [
      '2025-11-25',
      {
        asksServer: tasks,
        asksClient: [...elicitation, ...tasks],
        tellsServer: ['tasks/status'],
        tellsClient: ['elicitation/complete', 'tasks/status'],
      },
    ],
  ])('%s: methods and results of each side', (id, more) => {
    expect(requests(id, 'client')).toEqual([...askedByClient, ...more.asksServer].sort());
    expect(requests(id, 'server')).toEqual([...askedByServer, ...more.asksClient].sort());
    expect(notifications(id, 'client')).toEqual([...saidByClient, ...more.tellsServer].sort());
    expect(notifications(id, 'server')).toEqual([...saidByServer, ...more.tellsClient].sort());
  });

  it.each(definedRevisions)('$id: every definition named by the vocabulary exists', ({ id }) => {
    const vocabulary = vocabularyOf(revision(id));
    for (const side of ['client', 'server'] as const) {
      const methods = [...vocabulary.requests[side], ...vocabulary.notifications[side]];
      const named = methods.map(method => vocabulary.messageDefinition(side, method)!);
      expect(named.every(name => vocabulary.definitions.has(name))).toBe(true);
    }
    for (const kind of ['request', 'notification', 'result', 'error'] as const)
      expect(vocabulary.definitions).toContain(vocabulary.envelopeDefinition(kind));
  });

  it('2026-07-28: methods and results of each side', () => {
    expect(requests('2026-07-28', 'client')).toEqual(
      [
        'completion/complete → CompleteResult',
        'prompts/get → InputRequiredResult | GetPromptResult',
        'prompts/list → ListPromptsResult',
        'resources/list → ListResourcesResult',
        'resources/read → InputRequiredResult | ReadResourceResult',
        'resources/templates/list → ListResourceTemplatesResult',
        'server/discover → DiscoverResult',
        'subscriptions/listen → SubscriptionsListenResult',
        'tools/call → InputRequiredResult | CallToolResult',
        'tools/list → ListToolsResult',
      ].sort(),
    );
    expect(requests('2026-07-28', 'server')).toEqual([]);
    expect(notifications('2026-07-28', 'client')).toEqual(['cancelled']);
    expect(notifications('2026-07-28', 'server')).toEqual(
      [...saidByServer, 'subscriptions/acknowledged'].sort(),
    );
  });

  it('has no definition for methods of the other side and for unknown methods', () => {
    const vocabulary = vocabularyOf(revision('2025-11-25'));
    expect(vocabulary.messageDefinition('server', 'tools/call')).toBeUndefined();
    expect(vocabulary.resultDefinition('client', 'roots/list')).toBeUndefined();
    expect(vocabulary.resultDefinition('client', 'toString')).toBeUndefined();
    expect(vocabulary.messageDefinition('client', 'ping')).toBe('PingRequest');
    expect(() => vocabulary.validate('NoSuchThing', {})).toThrow('has no definition "NoSuchThing"');
  });

  it('the result of a request with a task member is a task or an ordinary result', () => {
    const vocabulary = vocabularyOf(revision('2025-11-25'));
    const definition = vocabulary.resultDefinition('client', 'tools/call', { name: 'x', task: {} })!;
    const task = { taskId: 'a', status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null };
    expect(vocabulary.validate(definition, { task })).toEqual([]);
    expect(vocabulary.validate(definition, { content: [] })).toEqual([]);
    expect(vocabulary.validate(definition, { task: { ...task, ttl: 0.5 } })).toEqual([
      { path: '/task/ttl', message: 'must be integer or null' },
    ]);
    expect(vocabulary.validate('CallToolResult', { task })).toHaveLength(1);
    expect(vocabulary.resultDefinition('server', 'elicitation/create', { task: {} })).toBe(
      'ElicitResult | CreateTaskResult',
    );
    expect(vocabulary.resultDefinition('server', 'sampling/createMessage', { task: {} })).toBe(
      'CreateMessageResult | CreateTaskResult',
    );
    expect(vocabulary.resultDefinition('client', 'prompts/get', { name: 'x', task: {} })).toBe(
      'GetPromptResult',
    );
    expect(vocabularyOf(revision('2025-06-18')).resultDefinition('client', 'tools/call', { task: {} })).toBe(
      'CallToolResult',
    );
  });

  it('is built once', () => {
    expect(vocabularyOf(revision('2025-06-18'))).toBe(vocabularyOf(revision('2025-06-18')));
  });
});

describe('problems', () => {
  const problems = (definition: string, value: Json): string[] =>
    vocabularyOf(revision('2025-11-25'))
      .validate(definition, value)
      .map(problem => `${problem.path || '.'} ${problem.message}`);

  it('of a union are those of the variant that its discriminator names', () => {
    expect(problems('CallToolResult', { content: [{ type: 'image', data: 'a b', mimeType: 3 }] })).toEqual([
      '/content/0/data must be base64 (RFC 4648, padded)',
      '/content/0/mimeType must be string',
    ]);
    expect(
      problems('CompleteRequestParams', { ref: { type: 'ref/prompt' }, argument: { name: '', value: '' } }),
    ).toEqual(["/ref must have required property 'name'"]);
    expect(
      problems('ElicitRequestParams', { mode: 'url', message: '', url: 'https://a', elicitationId: 3 }),
    ).toEqual(['/elicitationId must be string']);
  });

  it('of a union without a known discriminator list the possible values', () => {
    expect(problems('ContentBlock', { type: 'movie' })).toEqual([
      '/type must be "text" or "image" or "audio" or "resource" or "resource_link"',
    ]);
    expect(problems('ContentBlock', { text: 'x' })).toEqual([". must have required property 'type'"]);
    expect(problems('ContentBlock', 'x')).toEqual(['. must be object']);
  });

  it('of a union whose variants have no discriminator are those of the nearest variant', () => {
    expect(problems('JSONRPCMessage', { jsonrpc: '1.0', id: 1, method: 'x' })).toEqual([
      '/jsonrpc must be "2.0"',
    ]);
    expect(problems('JSONRPCMessage', { jsonrpc: '2.0', id: 1.5, result: {} })).toEqual([
      '/id must be string or integer',
    ]);
    expect(problems('EmbeddedResource', { type: 'resource', resource: { uri: 'a:b' } })).toEqual([
      "/resource must have required property 'text', or must have required property 'blob'",
    ]);
  });

  it('of nested unions, and of variants without a name', () => {
    const form = (field: Json) => ({
      message: '',
      requestedSchema: { type: 'object', properties: { field } },
    });
    expect(problems('ElicitRequestFormParams', form({ type: 'number', minimum: '1' }))).toEqual([
      '/requestedSchema/properties/field/minimum must be number',
    ]);
    expect(problems('ElicitRequestFormParams', form({ type: 'object' }))).toEqual([
      '/requestedSchema/properties/field/type must be "string" or "integer" or "number" or "boolean" or "array"',
    ]);
    expect(problems('ElicitResult', { action: 'accept', content: { a: 0.5, b: null, c: [1] } })).toEqual([
      '/content/b must be array or string or number or boolean',
      '/content/c/0 must be string',
    ]);
  });
});

describe('formats', () => {
  const { byte, uri, 'uri-template': template } = formats;

  it('URIs of any scheme are accepted', () => {
    const good = [
      ...[
        'file:///path',
        'test://static-text',
        'demo://resource/1',
        'memo://x',
        'urn:isbn:0451450523',
        'about:blank',
      ],
      ...[
        'file:///C:/x',
        'mailto:a@b.c',
        'custom://',
        'http://[::1]:3000/x',
        'https://u:p@h:1/a/?q=1&r=/?#f?',
        'A+b.c-1:x',
      ],
      ...[
        'data:image/png;base64,iVBORw0KGgo=',
        "x://a/%41~!$&'()*+,;=:@",
        'git://example.com',
        'http://[v1.a:b]/',
      ],
    ];
    expect(good.filter(text => !uri(text))).toEqual([]);
    fc.assert(fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), uri), { seed: 1 });
    expect(uri(`data:,${'a'.repeat(5_000_000)}`)).toBe(true);
  });

  it('relative references and unescaped characters are refused', () => {
    const bad = [
      '',
      'x',
      '/x',
      '//h/x',
      '1a:b',
      'test://template/{id}/data',
      'file:///a b',
      'file:///%4',
      'a:b#c#d',
    ];
    const worse = [
      'https://exämple.com',
      'x://a?b=[1]',
      'http://[::1',
      'http://[::g]/',
      'http://h:port/',
      'a:\n',
      'a:b\n',
    ];
    expect([...bad, ...worse].filter(uri)).toEqual([]);
    const forbidden = fc.constantFrom(...' "<>\\^`{|}');
    fc.assert(
      fc.property(fc.webUrl(), forbidden, (url, char) => !uri(url + char)),
      { seed: 1 },
    );
  });

  it('plain URIs and all expressions of RFC 6570 are accepted as URI templates', () => {
    const good = ['', 'file:///a', 'test://template/{id}/data', 'a{+b,c.d:3,e*}{?f}', "it's", 'x://%7B/ä'];
    const bad = ['{', '}', '{}', '{a', '{a b}', '{a:0}', 'a b', '%4', '{a,}'];
    expect(good.filter(text => !template(text))).toEqual([]);
    expect(bad.filter(template)).toEqual([]);
  });

  it('base64 requires padding and the standard alphabet', () => {
    fc.assert(
      fc.property(fc.uint8Array(), bytes => byte(Buffer.from(bytes).toString('base64'))),
      { seed: 1 },
    );
    expect(
      ['Q', 'QQ', 'QQ=', 'QQ===', '====', 'Q===', 'QQ==\n', 'QQ==QQ==', 'QU\nJD', 'Q-_Q', 'a b='].filter(
        byte,
      ),
    ).toEqual([]);
    expect(byte('QUJD'.repeat(2_000_000))).toBe(true);
  });
});
