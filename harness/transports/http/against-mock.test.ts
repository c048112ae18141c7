/** The harness as client of both HTTP transports, against the mock, over real sockets. */

import { afterEach, describe, expect, test } from 'vitest';
import type { HttpOptions } from '../../../mocks/server/http.js';
import { type RevisionId, revisions, type TransportId } from '../../../spec/revisions.js';
import { resultOf } from '../../record/message.js';
import { dialerTo, quick, rawServer, served } from './links.test.util.js';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

const find = (id: RevisionId) => revisions.find(r => r.id === id)!;
const newest = revisions.at(-1)!;

/** A mock, and an open conversation with the mock. */
async function opened(transport: TransportId, http: HttpOptions = {}, revision = newest) {
  const server = await served({}, http);
  cleanUp.push(server.close);
  const dialer = dialerTo(server.addressOf(transport), transport);
  cleanUp.push(dialer.end);
  const { peer, exchange } = await dialer.open(revision);
  return { server, dialer, peer, exchange, http: peer.link.http!, conversation: peer.conversation };
}

const forms: readonly (readonly [TransportId, HttpOptions['answers']])[] = [
  ['streamable-http', 'sse'],
  ['streamable-http', 'json'],
  ['http-sse', 'sse'],
];

describe.each(forms)('%s, answers as %s', (transport, answers) => {
  test.each(revisions)('$id: handshake, list, call, leave', async revision => {
    const { server, dialer, peer, exchange, conversation, http } = await opened(
      transport,
      answers ? { answers } : {},
      revision,
    );
    expect(resultOf(exchange)?.protocolVersion).toBe(revision.id);
    const list = await peer.request('tools/list');
    expect(resultOf(list)?.tools).toHaveLength(5);
    const call = await peer.request('tools/call', { name: 'test_simple_text', arguments: {} });
    expect(resultOf(call)?.content).toHaveLength(1);
    const streamable = transport === 'streamable-http';
    expect(http.sessionId !== undefined).toBe(streamable);
    const posted = conversation.httpOf(call.request)!;
    expect(posted.requestHeader('mcp-protocol-version')).toBe(
      streamable && revision.protocolVersionHeader ? revision.id : undefined,
    );
    if (streamable) {
      expect(posted.contentType).toBe(answers === 'json' ? 'application/json' : 'text/event-stream');
      expect(posted.received.map(m => m.id)).toEqual([call.request.id]);
      expect(server.mock.sessions.ids).toHaveLength(1);
      expect(http.listening?.isStream).toBe(true);
    } else {
      expect(http.messageUrl).toContain('/messages?sessionId=');
      expect(http.listening!.events[0]).toMatchObject({ event: 'endpoint' });
    }
    await dialer.end();
    await expect.poll(() => server.mock.sessions).toEqual({ ids: [], older: 0 });
    const last = conversation.http().findLast(e => e.request?.method === 'DELETE');
    expect(last?.status).toBe(streamable ? 204 : undefined);
    expect(conversation.http().every(e => e.end)).toBe(true);
    expect(dialer.closed).toHaveLength(1);
  });
});

describe('messages are exchanged in both directions', () => {
  test('a request to the client during a call arrives on the stream of this call', async () => {
    const { peer, conversation } = await opened('streamable-http');
    const call = await peer.request('tools/call', { name: 'test_sampling', arguments: { prompt: 'hello' } });
    expect(JSON.stringify(resultOf(call))).toContain('A reply from mcp-conform');
    const [asked] = conversation.requests({ by: 'subject', method: 'sampling/createMessage' });
    expect(conversation.httpOf(asked!)).toBe(conversation.httpOf(call.request));
    const answer = conversation.replies({ by: 'peer' })[0]!;
    expect(conversation.httpOf(answer)).toMatchObject({ status: 202, body: undefined });
  });

  test('a message that belongs to no call arrives on the stream opened with GET', async () => {
    const { peer, conversation, http } = await opened('streamable-http');
    await peer.request('tools/call', { name: 'test_list_change', arguments: {} });
    await peer.waitFor(m => m.method === 'notifications/resources/list_changed');
    const changes = conversation.notifications({ by: 'subject' });
    expect(changes.map(m => m.frame.stream)).toEqual(['get', 'get', 'get']);
    expect(http.listening!.events.map(e => e.messages.length)).toContain(1);
  });

  test('a revision with batches gets one response per request of a batch', async () => {
    const { peer, conversation } = await opened('streamable-http', {}, find('2025-03-26'));
    const exchanges = await peer.batch([
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', id: 'b', method: 'tools/list' },
    ]);
    expect(exchanges.map(e => e.reply?.id)).toEqual(['a', 'b']);
    const http = conversation.httpOf(exchanges[0]!.request)!;
    expect([http.sent.length, http.received.length]).toEqual([2, 2]);
  });

  test('a cancelled call gets no response, and its stream ends', async () => {
    const { peer, conversation, http } = await opened('streamable-http');
    const call = peer.start('tools/call', { name: 'test_slow', arguments: { durationMs: 5_000 } });
    await peer.pause();
    peer.cancel(call);
    expect((await call.done).reply).toBeUndefined();
    expect(await http.over(conversation.httpOf(call.request)!)).toBe(true);
  });
});

describe('broken streams', () => {
  test('the response of a dropped stream arrives on a GET that names the last event', async () => {
    const { peer, conversation, http } = await opened('streamable-http');
    const call = peer.start('tools/call', { name: 'test_slow', arguments: { durationMs: 300 } });
    const post = conversation.httpOf(call.request)!;
    await http.block(post, event => event.id !== undefined);
    http.drop(post);
    const { reply } = await call.done;
    expect(reply?.kind).toBe('result');
    const resumed = conversation.httpOf(reply!)!;
    expect(resumed.resumes).toBe(post.number);
    expect(resumed.requestHeader('last-event-id')).toBe(post.events.at(-1)!.id);
    expect([post.closedBy, reply!.frame.stream]).toEqual(['client', 'get']);
  });

  test('a response without event ids is lost with its stream, and the call ends immediately', async () => {
    const { peer, conversation, http } = await opened('streamable-http', { resumable: false });
    const call = peer.start('tools/call', { name: 'test_slow', arguments: { durationMs: 5_000 } });
    const post = conversation.httpOf(call.request)!;
    await http.until(post, e => e.isStream);
    http.drop(post);
    expect(await call.done).toMatchObject({ reply: undefined, deadline: undefined });
    expect(await peer.barrier()).toBe(true);
  });

  test('a server that closes connections early is polled after the time in its `retry` field', async () => {
    const { peer, conversation } = await opened('streamable-http', { polling: true });
    const call = await peer.request('tools/call', { name: 'test_slow', arguments: { durationMs: 50 } });
    expect(call.reply?.kind).toBe('result');
    const [post, poll] = [conversation.httpOf(call.request)!, conversation.httpOf(call.reply!)!];
    expect([post.closedBy, poll.resumes]).toEqual(['server', post.number]);
    const retry = Number(post.events.find(e => e.retry)!.retry);
    expect(poll.request!.at - post.end!.at).toBeGreaterThanOrEqual(retry - 2);
  });

  test('a tool that closes the connection before its response gets a resumed stream', async () => {
    const { peer, conversation } = await opened('streamable-http');
    const call = await peer.request('tools/call', { name: 'test_reconnection', arguments: {} });
    expect(conversation.httpOf(call.reply!)!.resumes).toBe(conversation.httpOf(call.request)!.number);
  });

  test('a message repeated on a resumed stream is in the conversation once', async () => {
    const { peer, conversation, http } = await opened('streamable-http');
    const call = await peer.request('tools/list');
    const again = await http.openGet({ lastEventId: conversation.httpOf(call.request)!.events[0]!.id! });
    await http.over(again);
    expect(again.received.map(m => [m.id, m.frame.replay])).toEqual([[call.request.id, true]]);
    expect(conversation.repliesTo(call.request)).toHaveLength(1);
  });

  test('an expired session ends the conversation', async () => {
    const { server, peer, http } = await opened('streamable-http');
    server.mock.expire(http.sessionId!);
    const exchange = await peer.request('tools/list');
    expect(exchange.reply).toBeUndefined();
    expect(peer.ended).toBe(true);
    expect(peer.link.failure?.reason).toContain('404');
  });

  test('the end of the stream of the older transport ends the conversation', async () => {
    const { peer, http } = await opened('http-sse', {}, revisions[0]!);
    http.drop(http.listening!);
    await peer.pause();
    expect(peer.ended).toBe(true);
  });
});

describe('requests made by a scenario', () => {
  test('are sent unchanged and are recorded', async () => {
    const { http, conversation } = await opened('streamable-http');
    const wrong = await http.fetch({
      body: { jsonrpc: '2.0', id: 9, method: 'ping' },
      headers: { 'mcp-session-id': 'nobody' },
    });
    expect(wrong).toMatchObject({ status: 404, closedBy: 'server', received: [] });
    expect(wrong.refusal).toMatchObject({ message: expect.stringContaining('session') });
    expect(wrong.sent[0]!.frame.deliberate).toBe(true);
    expect((await http.fetch({ bare: true, method: 'GET' })).status).toBe(400);
    expect((await http.fetch({ body: 'no JSON' })).status).toBe(400);
    expect((await http.fetch({ url: '/elsewhere' })).status).toBe(404);
    expect((await http.fetch({ headers: { Origin: 'http://evil.example' } })).status).toBe(403);
    expect((await http.fetch({ method: 'DELETE' })).status).toBe(204);
    expect(conversation.http().map(e => e.number)).toEqual(conversation.http().map((_, i) => i + 1));
  });

  test('the reply to a message sent by a scenario reaches the peer', async () => {
    const { peer, http } = await opened('streamable-http');
    const ping = peer.startMessage(
      { jsonrpc: '2.0', id: 'mine', method: 'ping' },
      { via: body => void http.send({ body, headers: { Accept: '*/*' }, polite: true }) },
    );
    expect((await ping.done).reply?.id).toBe('mine');
  });

  test('secrets are absent from the record', async () => {
    const server = await served();
    cleanUp.push(server.close);
    const headers = { Authorization: 'Bearer top-secret', 'X-Api-Key': 'also-secret' };
    const dialer = dialerTo(server.addressOf('streamable-http'), 'streamable-http', quick, { headers });
    cleanUp.push(dialer.end);
    const { peer } = await dialer.open(newest);
    await peer.link.http!.fetch({ headers: { Cookie: 'crumb' } });
    const text = JSON.stringify(dialer.history.events);
    expect(text).not.toMatch(/top-secret|also-secret|crumb/);
    expect(text).toMatch(/Bearer ~[0-9a-f]{8}/);
  });
});

test('many conversations leave no session, stream or socket open', async () => {
  const server = await served();
  cleanUp.push(server.close);
  const dialer = dialerTo(server.addressOf('streamable-http'), 'streamable-http');
  const opened = await Promise.all(Array.from({ length: 20 }, () => dialer.open(newest)));
  for (let round = 0; round < 50; round++) await Promise.all(opened.map(({ peer }) => peer.request('ping')));
  expect(server.mock.sessions.ids).toHaveLength(20);
  await dialer.end();
  expect(server.mock.sessions.ids).toEqual([]);
  expect(dialer.closed.flatMap(c => c.http()).filter(e => !e.end)).toEqual([]);
  await expect.poll(server.connections).toBe(0);
});

test('a GET that stays open with another type than that of a stream is not waited for', async () => {
  const server = await rawServer(socket => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
  });
  cleanUp.push(server.close);
  const dialer = dialerTo(server.address, 'streamable-http', { ...quick, answer: 60_000 });
  cleanUp.push(dialer.end);
  const peer = await dialer.dial(newest);
  const get = await peer.link.http!.openGet();
  expect(get.outcome).toBe('status 200');
  expect(get.end).toBeUndefined();
});
