/** The reference server without faults, for each revision. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../spec/json-rpc.js';
import { latestRevision, revisions } from '../../spec/revisions.js';
import { vocabularyOf } from '../../spec/vocabulary.js';
import { featuresOf } from './features.js';
import { TestConnection } from './test-connection.test.util.js';

const lists: readonly (readonly [method: string, key: string])[] = [
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
];

async function walk(
  talk: TestConnection,
  method: string,
  key: string,
): Promise<{ items: JsonObject[]; pages: number }> {
  const items: JsonObject[] = [];
  let cursor: JsonObject[string] | undefined;
  for (let pages = 1; ; pages++) {
    const { result } = await talk.ask(method, cursor === undefined ? {} : { cursor });
    items.push(...((result as JsonObject)[key] as JsonObject[]));
    cursor = (result as JsonObject).nextCursor;
    if (cursor === undefined) return { items, pages };
  }
}

const opened = async (version: string, capabilities?: JsonObject): Promise<TestConnection> => {
  const talk = TestConnection.with({}, version);
  await talk.open(capabilities);
  return talk;
};

describe.each(revisions)('$id', revision => {
  const vocabulary = vocabularyOf(revision);
  const features = featuresOf(revision);

  test('initialize returns the requested version', async () => {
    const answer = await TestConnection.with({}, revision.id).open();
    expect(vocabulary.validate('InitializeResult', answer.result!)).toEqual([]);
    expect(answer.result).toMatchObject({ protocolVersion: revision.id });
  });

  test('every list has pages and contains only features of the revision', async () => {
    const talk = await opened(revision.id);
    for (const [method, key] of lists) {
      const { items, pages } = await walk(talk, method, key);
      expect(pages).toBeGreaterThan(1);
      expect(new Set(items.map(i => i.name)).size).toBe(items.length);
    }
    const { items } = await walk(talk, 'tools/list', 'tools');
    expect(items.some(t => t.name === 'test_audio_content')).toBe(features.audio);
    expect(items.some(t => 'outputSchema' in t)).toBe(features.structured);
    expect(items.some(t => 'annotations' in t)).toBe(features.annotations);
  });

  test('each tool without arguments, prompt and resource returns a result that matches the schema', async () => {
    const talk = await opened(revision.id);
    const tools = (await walk(talk, 'tools/list', 'tools')).items;
    for (const { name } of tools.filter(t => !(t.inputSchema as JsonObject).required)) {
      const { result } = await talk.call(String(name), name === 'test_slow' ? { durationMs: 3 } : undefined);
      expect(vocabulary.validate('CallToolResult', result!), String(name)).toEqual([]);
    }
    for (const { uri } of (await walk(talk, 'resources/list', 'resources')).items) {
      const { result } = await talk.ask('resources/read', { uri: uri! });
      expect(vocabulary.validate('ReadResourceResult', result!)).toEqual([]);
    }
    for (const prompt of (await walk(talk, 'prompts/list', 'prompts')).items) {
      const names = ((prompt.arguments ?? []) as JsonObject[]).map(
        a => [String(a.name), 'test://x'] as const,
      );
      const params = { name: prompt.name!, arguments: Object.fromEntries(names) };
      const { result } = await talk.ask('prompts/get', params);
      expect(vocabulary.validate('GetPromptResult', result!)).toEqual([]);
    }
  });

  test('each error has the code of the revision', async () => {
    const talk = TestConnection.with({}, revision.id);
    const code = async (method: string, params?: JsonObject) =>
      ((await talk.ask(method, params)).error as JsonObject | undefined)?.code;
    expect(await code('tools/list')).toBe(-32600);
    expect(await code('ping')).toBeUndefined();
    await talk.open();
    expect(await code('no/such')).toBe(-32601);
    expect(await code('tools/call', {})).toBe(-32602);
    expect(await code('tools/call', { name: 'none' })).toBe(-32602);
    expect(await code('prompts/get', { name: 'none' })).toBe(-32602);
    expect(await code('prompts/get', { name: 'test_prompt_with_arguments' })).toBe(-32602);
    expect(await code('resources/read', { uri: 'test://none' })).toBe(features.notFoundCode);
    expect(await code('resources/read', { uri: 'none' })).toBe(-32602);
    expect(await code('tools/list', { cursor: 'none' })).toBe(-32602);
    expect(await code('logging/setLevel', { level: 'loud' })).toBe(-32602);
    const wrong = await talk.call('test_echo', {});
    if (features.argumentErrorsAsResult) expect(wrong.result).toMatchObject({ isError: true });
    else expect(wrong.error).toMatchObject({ code: -32602 });
  });

  test('an invalid message gets the error response of the schema, and a notification gets no response', async () => {
    const talk = await opened(revision.id);
    talk.write('garbage');
    talk.write('');
    talk.send({ jsonrpc: '2.0', method: 'notifications/none' });
    talk.send({ id: 50, method: 'ping' });
    await talk.ask('ping');
    const errors = talk.messages.filter(m => 'error' in m);
    expect(errors).toMatchObject([{ error: { code: -32700 } }, { id: 50, error: { code: -32600 } }]);
    for (const error of errors)
      expect(vocabulary.validate(vocabulary.envelopeDefinition('error'), error)).toEqual([]);
  });

  test('an array is handled as a batch where the revision has batches', async () => {
    const talk = await opened(revision.id);
    const ping = (id: string) => ({ jsonrpc: '2.0', id, method: 'ping' });
    talk.send([ping('a'), { jsonrpc: '2.0', method: 'notifications/none' }, ping('b')]);
    talk.send([{ jsonrpc: '2.0', method: 'notifications/none' }]);
    await talk.ask('ping');
    const [, answer, pong] = talk.messages;
    if (revision.batches) expect(answer).toMatchObject([{ id: 'a' }, { id: 'b' }]);
    else expect(answer).toMatchObject({ error: { code: -32600 } });
    if (revision.batches) expect(pong).toMatchObject({ result: {} });
  });
});

describe('sessions', () => {
  test('initialize with an unknown version returns the newest version', async () => {
    expect((await TestConnection.with({}, 'unheard of').open()).result).toMatchObject({
      protocolVersion: latestRevision.id,
    });
  });

  test('a cancelled tools/call gets no response', async () => {
    const talk = await opened(latestRevision.id);
    talk.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'test_slow' } });
    talk.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
    await talk.ask('ping');
    talk.end();
    expect(await talk.exited).toBe(0);
    expect(talk.messages.some(m => m.id === 'slow')).toBe(false);
  });

  test('notifications/progress carries the given token and increases', async () => {
    const talk = await opened(latestRevision.id);
    await talk.call('test_tool_with_progress', undefined, { progressToken: 0 });
    const params = talk.notes('notifications/progress').map(n => n.params as JsonObject);
    expect(params.map(p => [p.progressToken, p.progress])).toEqual([
      [0, 0],
      [0, 50],
      [0, 100],
    ]);
  });

  test('no notifications/message is below the level of logging/setLevel', async () => {
    const talk = await opened(latestRevision.id);
    await talk.ask('logging/setLevel', { level: 'critical' });
    await talk.call('test_log_levels');
    const levels = talk.notes('notifications/message').map(n => (n.params as JsonObject).level);
    expect(levels).toEqual(['critical', 'alert', 'emergency']);
  });

  test('list changes are sent to all clients, notifications/resources/updated only to subscribers', async () => {
    const talk = await opened(latestRevision.id);
    await talk.call('test_list_change');
    for (const list of ['tools', 'prompts', 'resources'])
      expect(talk.notes(`notifications/${list}/list_changed`)).toHaveLength(1);
    const uri = 'test://watched-resource';
    for (const method of ['ping', 'resources/subscribe', 'resources/unsubscribe']) {
      await talk.ask(method, { uri });
      await talk.call('test_update_resource');
    }
    expect(talk.notes('notifications/resources/updated')).toHaveLength(1);
  });

  test('the server sends only requests that the client has declared', async () => {
    const shy = await opened(latestRevision.id);
    for (const name of ['test_roots', 'test_elicitation_url', 'test_elicitation_sep1330_enums'])
      expect((await shy.call(name)).result).toMatchObject({ isError: true });
    expect((await shy.call('test_sampling', { prompt: 'Hi' })).result).toMatchObject({ isError: true });
    expect(shy.messages.some(m => 'method' in m)).toBe(false);
  });

  test('the server uses results of the client and reports its errors', async () => {
    const talk = await opened(latestRevision.id, { roots: {}, elicitation: {} });
    const roots = talk.call('test_roots');
    const { id } = await talk.until(m => m.method === 'roots/list');
    talk.send({ jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///here' }] } });
    expect(JSON.stringify(await roots)).toContain('file:///here');
    const form = talk.call('test_elicitation', { message: 'Who?' });
    const asked = await talk.until(m => m.method === 'elicitation/create');
    talk.send({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: { username: 7 } } });
    expect((await form).result).toMatchObject({ isError: true });
  });

  test('completion/complete returns at most 100 candidates and their total', async () => {
    const talk = await opened(latestRevision.id);
    const { result } = await talk.ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'test://template/{id}/data' },
      argument: { name: 'id', value: '' },
    });
    expect(result).toMatchObject({ completion: { total: 150, hasMore: true } });
    expect(((result as JsonObject).completion as JsonObject).values).toHaveLength(100);
  });
});
