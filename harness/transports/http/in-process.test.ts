import { once } from 'node:events';
import { expect, test } from 'vitest';
import { suite } from '../../../suites/index.js';
import { Summary } from '../../report/summary.js';
import { run } from '../../run/server/run.js';
import type { PlainHandler } from '../../subject/plain-http.js';
import { type FetchHandler, url } from '../../subject/subject.js';
import { InProcess } from './in-process.js';

interface Seen {
  status?: number;
  headers: string[];
  body: string;
  error?: Error;
}

/** Sends one request; the response is in the record when the promise resolves. */
function send(
  fetch: FetchHandler,
  onData: (abort: (reason: Error) => void) => void = () => {},
  plain?: PlainHandler,
  headers = ['X-Two', '1', 'X-Two', '2'],
) {
  const seen: Seen = { headers: [], body: '' };
  return new Promise<Seen>(resolve => {
    new InProcess(fetch, plain).dispatch(
      {
        origin: 'http://localhost',
        path: '/mcp?a=1',
        method: 'POST',
        headers,
        body: 'é',
      },
      {
        onResponseStart: (controller, status) => {
          seen.status = status;
          seen.headers = (controller.rawHeaders as Buffer[]).map(String);
        },
        onResponseData: (controller, chunk) => {
          seen.body += chunk.toString();
          onData(reason => controller.abort(reason));
        },
        onResponseEnd: () => resolve(seen),
        onResponseError: (_, error) => resolve({ ...seen, error }),
      },
    );
  });
}

test('the handler receives the request unchanged, and its response arrives with status, headers and body', async () => {
  const seen = await send(async request => {
    const heard = [request.method, request.url, request.headers.get('x-two'), await request.text()];
    return Response.json(heard, { status: 201, headers: { 'Mcp-Session-Id': 's' } });
  });
  expect(seen.status).toBe(201);
  expect(JSON.parse(seen.body)).toEqual(['POST', 'http://localhost/mcp?a=1', '1, 2', 'é']);
  expect(seen.headers).toEqual(expect.arrayContaining(['mcp-session-id', 's']));
});

test('a handler that throws is a broken connection', async () => {
  const { status, error } = await send(() => Promise.reject(new Error('no')));
  expect(status).toBeUndefined();
  expect(error).toMatchObject({ code: 'ECONNRESET' });
});

test('a client that disconnects aborts the signal and cancels the stream', async () => {
  const gone: Promise<unknown>[] = [];
  const { body, error } = await send(
    request => {
      gone.push(once(request.signal, 'abort'));
      let cancelled = () => {};
      gone.push(new Promise<void>(resolve => (cancelled = resolve)));
      const start = (controller: ReadableStreamDefaultController) =>
        controller.enqueue(Buffer.from('data: 1\n\n'));
      return new Response(new ReadableStream({ start, cancel: () => cancelled() }));
    },
    abort => abort(new Error('enough')),
  );
  expect(body).toBe('data: 1\n\n');
  expect(error?.message).toBe('enough');
  await Promise.all(gone);
});

const unused: FetchHandler = () => Promise.reject(new Error('not called'));

test('a plain handler receives what a standard handler receives, and its response arrives in the same way', async () => {
  const headers = { 'content-type': 'text/plain', 'mcp-session-id': 's' };
  const standard = await send(async request => {
    const heard = [request.method, request.url, [...request.headers], await request.text()];
    return new Response(JSON.stringify(heard), { status: 201, headers });
  });
  const seen = await send(unused, undefined, async ({ method, url, headers: received, pieces }) => {
    const heard = [method, url.href, [...received], Buffer.concat(pieces).toString()];
    return { status: 201, headers: Object.entries(headers), body: JSON.stringify(heard) };
  });
  expect(seen).toEqual(standard);
});

test('headers that the Fetch standard changes or refuses reach the standard handler', async () => {
  const plain: PlainHandler = () => Promise.reject(new Error('not called'));
  const fetch: FetchHandler = request => new Response(request.headers.get('x-a'));
  expect((await send(fetch, undefined, plain, ['X-A', ' a '])).body).toBe('a');
  expect((await send(fetch, undefined, plain, ['X-A', '\u2026'])).error).toMatchObject({
    code: 'ECONNRESET',
  });
});

test('a client that disconnects stops the stream of a plain handler', async () => {
  let stopped = 0;
  const { body, error } = await send(
    unused,
    abort => abort(new Error('enough')),
    async () => ({
      status: 200,
      headers: [],
      body: {
        start(writer) {
          writer.write(Buffer.from('data: 1\n\n'));
          writer.write(Buffer.from('data: 2\n\n'));
          return () => stopped++;
        },
      },
    }),
  );
  expect([body, error?.message, stopped]).toEqual(['data: 1\n\n', 'enough', 1]);
});

test('a stream of a plain handler that is reset is a broken connection', async () => {
  const { status, error } = await send(unused, undefined, async () => ({
    status: 200,
    headers: [],
    body: {
      start(writer) {
        setImmediate(() => writer.reset());
        return () => {};
      },
    },
  }));
  expect(status).toBe(200);
  expect(error).toMatchObject({ code: 'ECONNRESET' });
});

test('a server with only failed responses is reported as no server', async () => {
  const subject = url('http://localhost/mcp', { fetch: () => Promise.reject(new Error('no')) });
  const summary = new Summary();
  for await (const event of run({ subject, suite, timing: { answer: 500, exit: 100, quiet: 10 } }))
    summary.add(event);
  expect(summary.report().exitCode).toBe(3);
  expect(summary.report().unjudged?.reason).toContain('http://localhost/mcp did not answer initialize');
});
