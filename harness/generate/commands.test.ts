import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definedRevisions, type Revision } from '../../spec/revisions.js';
import { vocabularyOf } from '../../spec/vocabulary.js';
import { type Command, commandsOf } from './commands.js';
import type { Ask, CommandSetting } from './requests.js';

const known = {
  tools: [
    { name: 'add', inputSchema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } },
    { name: 'danger', inputSchema: { type: 'object' } },
    { name: 'odd', inputSchema: { type: 'object', required: ['a'], properties: { a: { $ref: 'x:y' } } } },
  ],
  prompts: [{ name: 'hello', arguments: [{ name: 'who', required: true }, { name: 'tone' }] }],
  resources: [
    { uri: 'test://a', name: 'a' },
    { uri: 'test://b', name: 'b' },
  ],
  templates: [{ uriTemplate: 'test://{+id,x:3}/{?q*}', name: 't' }],
};
const everything = {
  tools: {},
  prompts: {},
  resources: { subscribe: true },
  logging: {},
  completions: {},
  tasks: {},
};
const setting = (revision: Revision, more: Partial<CommandSetting> = {}): CommandSetting => ({
  revision,
  capabilities: everything,
  known,
  mayCall: new Set(['add', 'odd']),
  ...more,
});
const sequences = (s: CommandSetting) => fc.sample(commandsOf(s).arbitrary, { numRuns: 600, seed: 4 });
const asksOf = (command: Command): readonly Ask[] =>
  command.do === 'together' ? command.asks : [command.ask];
const methodsOf = (s: CommandSetting) =>
  [
    ...new Set(
      sequences(s)
        .flat()
        .flatMap(asksOf)
        .map(a => a.method),
    ),
  ].sort();

const legacy = definedRevisions.filter(({ era }) => era === 'legacy');
const modern = definedRevisions.filter(({ era }) => era === 'modern');

describe('command sequences', () => {
  it.each(definedRevisions)('$id: every request of the vocabulary is generated or explained', revision => {
    const { unsupported } = commandsOf(setting(revision));
    const asked = methodsOf(setting(revision));
    const explained = unsupported.map(line => line.split(':')[0]!);
    const all = [...vocabularyOf(revision).requests.client].filter(method => method !== 'initialize');
    expect([...new Set([...asked, ...explained])].sort()).toEqual(all.sort());
    expect(asked).not.toContain('initialize');
    expect(explained.filter(method => !method.startsWith('tasks/'))).toEqual(['tools/call']);
    expect(unsupported.join()).toContain('"odd" is never called: #/properties/a: $ref');
  });

  it.each(definedRevisions)('$id: parameters fit their definition', revision => {
    const vocabulary = vocabularyOf(revision);
    for (const { method, params } of sequences(setting(revision)).flat().flatMap(asksOf)) {
      const definition = vocabulary.messageDefinition('client', method)!;
      // Additions of the era and the peer to every request.
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': revision.id,
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const envelope = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
      expect(vocabulary.validate(definition, envelope)).toEqual([]);
    }
  });

  it('contain only requests with a declared capability', () => {
    const bare = setting(legacy.at(-1)!, { capabilities: {} });
    expect(methodsOf(bare)).toEqual(['ping']);
    const unsubscribable = setting(legacy.at(-1)!, { capabilities: { resources: {} } });
    expect(methodsOf(unsubscribable)).toEqual([
      'ping',
      'resources/list',
      'resources/read',
      'resources/templates/list',
    ]);
    const undeclarable = legacy.filter(revision => revision.undeclarable.includes('completions'));
    for (const revision of undeclarable)
      expect(methodsOf(setting(revision, { capabilities: {} }))).toContain('completion/complete');
  });

  it('call only allowed tools, with valid arguments', () => {
    const calls = sequences(setting(legacy.at(-1)!))
      .flat()
      .flatMap(asksOf)
      .filter(({ method }) => method === 'tools/call');
    expect(new Set(calls.map(({ params }) => params?.name))).toEqual(new Set(['add']));
    expect(calls.every(({ params }) => Number.isInteger((params!.arguments as { a: number }).a))).toBe(true);
    const none = commandsOf(setting(legacy.at(-1)!, { mayCall: new Set() }));
    expect(none.unsupported).toContain('tools/call: no tool is allowed to be called');
  });

  it('unsubscribe only from open subscriptions, also while they shrink', () => {
    const met: (readonly Command[])[] = [];
    const { arbitrary } = commandsOf(setting(legacy.at(-1)!));
    const isUnsubscribe = (command: Command) => asksOf(command)[0]?.method === 'resources/unsubscribe';
    const run = fc.check(
      fc.property(arbitrary, commands => {
        met.push(commands);
        return !commands.some(isUnsubscribe);
      }),
      { seed: 1, numRuns: 1_000 },
    );
    expect(run.counterexample?.[0].map(command => asksOf(command)[0]!.method)).toEqual([
      'resources/subscribe',
      'resources/unsubscribe',
    ]);
    const followsSubscribe = (commands: readonly Command[]): boolean => {
      const open = new Set<unknown>();
      return commands.flatMap(asksOf).every(({ method, params }) => {
        if (method === 'resources/subscribe') open.add(params?.uri);
        return method !== 'resources/unsubscribe' || open.delete(params?.uri);
      });
    };
    expect(met.every(followsSubscribe)).toBe(true);
  });

  it('neither cancel nor run in parallel requests that change subscriptions or the log level', () => {
    const mixed = sequences(setting(legacy.at(-1)!))
      .flat()
      .filter(command => command.do !== 'ask');
    expect(new Set(mixed.map(command => command.do))).toEqual(new Set(['cancel', 'together']));
    const methods = new Set(mixed.flatMap(asksOf).map(ask => ask.method));
    expect([...methods].filter(method => /subscribe|setLevel/.test(method))).toEqual([]);
    expect(mixed.some(command => command.do === 'together' && command.asks.length > 2)).toBe(true);
  });

  it('cancel every subscriptions/listen request', () => {
    for (const revision of modern) {
      const listens = sequences(setting(revision))
        .flat()
        .filter(c => asksOf(c).some(a => a.method === 'subscriptions/listen'));
      expect(new Set(listens.map(command => command.do))).toEqual(new Set(['cancel']));
    }
  });

  it('are plain JSON data', () => {
    const list = sequences(setting(legacy.at(-1)!));
    expect(JSON.parse(JSON.stringify(list))).toEqual(list);
    expect(Math.max(...list.map(commands => commands.length))).toBe(12);
  });
});
