import { describe, expect, it } from 'vitest';
import { mockServer } from '../../../mocks/server/server.js';
import { console } from '../../../reports/console.js';
import { written } from '../../../reports/samples.test.util.js';
import { revisions } from '../../../spec/revisions.js';
import { suite } from '../../../suites/index.js';
import { chooseSubject } from '../../entry/subject.js';
import type { RunEvent } from '../../report/run-event.js';
import { Summary } from '../../report/summary.js';
import { inProcess, url } from '../../subject/subject.js';
import { run } from './run.js';

describe('a server over several transports', () => {
  const [address, older] = ['http://localhost/mcp', 'http://localhost/sse'];
  const withHandshake = { revisions: revisions.map(r => r.id) };
  const overStdio = mockServer(withHandshake);
  const overHttp = mockServer({ ...withHandshake, faults: ['result-null'] });

  it('is tested in one run, which compares the results', async () => {
    const http = overHttp.http();
    const summary = new Summary();
    const events: RunEvent[] = [];
    for await (const event of run({
      subject: inProcess(streams => overStdio.serve(streams)),
      transport: 'stdio',
      further: [
        { subject: url(address, { fetch: request => http.fetch(request) }), transport: 'streamable-http' },
        { subject: url(older, { fetch: request => http.fetch(request) }), transport: 'http-sse' },
      ],
      suite,
      selected: name => name.includes('/server/ping/'),
      seed: 1,
    })) {
      summary.add(event);
      events.push(event);
    }
    http.close();
    const report = summary.report();
    expect(report.runs.map(r => [r.revision, r.transport])).toEqual([
      ['2025-11-25', 'stdio'],
      ['2025-11-25', 'streamable-http'],
      ['2024-11-05', 'http-sse'],
    ]);
    const broken = report.runs.map(r => r.findings.filter(f => f.grade === 'violation'));
    expect(broken.map(findings => findings.length > 0)).toEqual([false, true, true]);
    expect(broken[1]![0]!.reproduce).toContain(`--url ${address}`);
    expect(events.filter(e => e.kind === 'run-end')).toHaveLength(1);
    expect(written(console, events, { columns: 200 })).toContain(
      'differs: jsonrpc.result-object fails on streamable-http, http-sse, passes on stdio',
    );
  });
});

describe('options for several transports', () => {
  const words = { header: [], env: [], revision: 'latest' };
  const choose = (transport: string[], address: string[], command = ['server']) =>
    chooseSubject(command, { ...words, transport, url: address });

  it('a command starts the server of the URL, or the server on stdio', () => {
    expect(choose(['streamable-http'], ['http://a/mcp'])).toMatchObject([{ subject: { process: {} } }]);
    const [stdio, sse] = choose(['stdio', 'http-sse'], ['http://a/sse']);
    expect([stdio.transport, sse?.transport]).toEqual(['stdio', 'http-sse']);
    expect(sse?.subject).not.toHaveProperty('process');
  });

  it('each HTTP transport has its own URL, or all have the same one', () => {
    const addresses = (given: string[]) =>
      choose(['http-sse', 'streamable-http'], given, []).map(
        ({ subject }) => 'url' in subject && subject.url,
      );
    expect(addresses(['http://a/sse', 'http://a/mcp'])).toEqual(['http://a/sse', 'http://a/mcp']);
    expect(addresses(['http://a/'])).toEqual(['http://a/', 'http://a/']);
  });

  it.each([
    [['stdio', 'stdio'], [], 'the same transport twice'],
    [['streamable-http'], [], 'needs the --url'],
    [['stdio'], ['http://a'], 'exclude each other'],
    [['http-sse'], ['http://a', 'http://b'], 'once for each HTTP --transport'],
  ])('%j with %j is refused', (transport, address, message) => {
    expect(() => choose(transport, address)).toThrow(message);
  });
});
