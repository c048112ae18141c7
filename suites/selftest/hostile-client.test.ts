/** Clients that misbehave: each run ends, reports the violations, and leaves no process. */

import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runClient } from '../../harness/run/client/run.js';
import { type ClientSubject, spawnClient } from '../../harness/run/client/subject.js';
import { freePort } from '../../harness/run/free-port.js';
import { alive } from '../../harness/subject/alive.test.util.js';
import { defaultTiming, type Timing } from '../../harness/time/timing.js';
import { definedRevisions, type Revision, type TransportId } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe, type Trial } from './run-mock.js';

const client = fileURLToPath(new URL('./hostile-client/client.mjs', import.meta.url));
const listsFirst = fileURLToPath(new URL('./hostile-client/lists-first.mjs', import.meta.url));
const waitsForUser = fileURLToPath(new URL('./hostile-client/waits-for-user.mjs', import.meta.url));
const httpClient = fileURLToPath(new URL('./hostile-client/over-http.mjs', import.meta.url));

interface Outcome extends Trial {
  readonly pids: readonly number[];
}

/** For clients that do not respond or do not exit: each of these timeouts is waited for. */
const short = { ...defaultTiming, answer: 1_000, exit: 300 };

/** Modes of such clients; the others have the default timeouts, because they start late on a machine with other work. */
const lateModes = /silent|hangs|deaf|hoards|pings|floods/;

interface CollectOptions {
  readonly timing?: Timing;
  /** The client sends without an end, so that it takes the whole CPU: whether a run shows what the test is about. */
  readonly shown?: (trial: Trial) => boolean;
  readonly maxMs?: number;
  readonly cases?: RegExp;
  readonly revision?: Revision;
}

const gotNoCpu = /got (no|\d+ %) CPU/;

/** All reasons of a report, one in each line. */
const reasonsOf = ({ report }: Trial): string =>
  [report.unjudged?.reason, ...report.runs.flatMap(r => r.findings.map(f => f.message))].join('\n');

/** Why a client that never connects is not judged; on a busy machine the reason is the machine. */
const wasInactive =
  /did not connect: the client was inactive and was terminated|did not connect: .* got .* CPU|late for .*the machine is busy/;

async function collect(
  subject: ClientSubject,
  transport: TransportId = 'stdio',
  {
    timing = defaultTiming,
    shown,
    maxMs,
    cases = /client\/(lifecycle\/(handshake|bare|slow)|ping\/)/,
    revision,
  }: CollectOptions = {},
): Promise<Outcome> {
  const selected = (name: string) => cases.test(name);
  const limits = { ...(maxMs && { maxMs }), ...(revision && { revision }) };
  const options = { subject, suite, transport, timing, selected, ...limits };
  let trial = await observe(runClient(options));
  // a run without a CPU shows nothing about the client: the next one has more time, of which the start is a smaller part
  const showsNothing = () => (shown ? !shown(trial) : gotNoCpu.test(trial.report.unjudged?.reason ?? ''));
  let { answer } = timing;
  for (let more = 5; more > 0 && gotNoCpu.test(reasonsOf(trial)) && showsNothing(); more--) {
    if (!shown) answer *= 2;
    trial = await observe(runClient({ ...options, timing: { ...timing, answer } }));
  }
  const pids = trial.wire.flatMap(event => (event.kind === 'open' && event.pid ? [event.pid] : []));
  return { ...trial, pids };
}

const warnsOfPings = (trial: Trial): boolean => grades(trial, 'warning').includes('ping.not-excessive');

const timingFor = (mode: string): CollectOptions => {
  if (!lateModes.test(mode)) return {};
  return { timing: short, ...(/pings|floods/.test(mode) && { shown: warnsOfPings }) };
};

const hostile = (mode: string): Promise<Outcome> =>
  collect(spawnClient(process.execPath, [client, mode]), 'stdio', timingFor(mode));

const overHttp = (mode: string): Promise<Outcome> =>
  collect(spawnClient(process.execPath, [httpClient, mode]), 'streamable-http', timingFor(mode));

const grades = ({ report }: Trial, grade: string): string[] => [
  ...new Set(report.runs.flatMap(r => r.findings.filter(f => f.grade === grade).map(f => f.requirement))),
];

// most of a run is waiting
describe.concurrent('a client that misbehaves', () => {
  // `scouts` first uses a separate connection to detect a server of a newer era
  test.each(['polite', 'scouts'])('%s: supports no scripts, and is judged by its messages', async mode => {
    const outcome = await hostile(mode);
    expect(outcome.report.exitCode).toBe(0);
    expect(outcome.report.summary).toMatchObject({ violation: 0, inconclusive: 0, error: 0 });
    expect(outcome.report.summary.pass).toBeGreaterThan(15);
    expect(outcome.report.summary.notObserved).toBeGreaterThan(5);
    expect(outcome.pids.filter(alive)).toEqual([]);
  });

  test('tries: the second connection is judged when the first one is only a test', async () => {
    const outcome = await hostile('tries');
    expect(grades(outcome, 'violation')).toEqual([]);
    expect(outcome.pids.filter(alive)).toEqual([]);
  });

  test.each([
    ['silent', wasInactive],
    ['complains', /did not connect: the client exited with code 3/],
    [
      'modern',
      /sent no request in \S+, only server\/discover \(error -32601\); the client exited with code 0/,
    ],
  ])('%s: is not judged, and the reason is reported', async (mode, reason) => {
    const { report, pids } = await hostile(mode);
    expect(report.unjudged?.reason).toMatch(reason);
    expect(report.exitCode).toBe(3);
    expect(pids.filter(alive)).toEqual([]);
  });

  test('complains: the end of its stderr output is in the report', async () => {
    const { report } = await hostile('complains');
    expect(report.unjudged?.details.join('\n')).toContain('cannot find its settings');
  });

  test('a run that reaches its time limit reports the limit', async () => {
    const outcome = await collect(spawnClient(process.execPath, [client, 'silent']), 'stdio', { maxMs: 400 });
    expect(outcome.report.unjudged?.reason).toContain('time limit of 0.4 s (--max-time)');
    expect(outcome.report.exitCode).toBe(3);
    expect(outcome.pids.filter(alive)).toEqual([]);
  });

  test('a command that does not exist', async () => {
    const { report } = await collect(spawnClient('mcp-conform-no-such-program'));
    expect(report.exitCode).toBe(3);
    expect(report.unjudged?.reason).toMatch(/could not be started/);
  });

  test.each<[mode: string, ...violations: string[]]>([
    ['hangs', 'jsonrpc.request-answered-once'],
    ['floods', 'stdio.client-stdin-pure'],
    ['deaf'],
    ['twice'],
    ['crashes'],
    ['orphans'],
  ])('%s: is judged nevertheless, and no process remains', async (mode, ...violations) => {
    const outcome = await hostile(mode);
    expect(outcome.report.unjudged).toBeNull();
    expect(grades(outcome, 'error')).toEqual([]);
    expect(grades(outcome, 'violation')).toEqual(violations);
    expect(outcome.report.summary.pass).toBeGreaterThan(10);
    expect(outcome.pids.filter(alive)).toEqual([]);
  });
});

describe.concurrent('a client over HTTP that misbehaves', () => {
  test.each<[mode: string, ...violations: string[]]>([
    ['polite'],
    ['twice'],
    ['hangs'],
    ['deaf'],
    ['crashes'],
    ['hoards'],
    ['garbles', 'streamable-http.post-body'],
    ['forgets', 'lifecycle.respect-capabilities', 'streamable-http.client-sends-session'],
  ])('%s: is judged nevertheless, and no process remains', async (mode, ...violations) => {
    const outcome = await overHttp(mode);
    expect(outcome.report.unjudged).toBeNull();
    expect(grades(outcome, 'error')).toEqual([]);
    expect(grades(outcome, 'violation').sort()).toEqual(violations);
    expect(outcome.report.summary.pass).toBeGreaterThan(10);
    expect(outcome.pids.filter(alive)).toEqual([]);
  });

  test('apart: a case finds the request that it waits for in a later session', async () => {
    const { report, findings, wire, pids } = await collect(
      spawnClient(process.execPath, [httpClient, 'apart']),
      'streamable-http',
      { cases: /client\/ping\/during-a-call/ },
    );
    expect(report.summary).toMatchObject({ violation: 0, inconclusive: 0, error: 0 });
    const passed = findings.filter(f => f.requirement === 'ping.answered-empty' && f.verdict === 'pass');
    expect(passed.length).toBeGreaterThan(0);
    expect(wire.filter(({ kind }) => kind === 'deadline')).toEqual([]);
    expect(pids.filter(alive)).toEqual([]);
  });

  test('authorizes: the reason says what the client requested instead, and that no response required it', async () => {
    const { report } = await overHttp('authorizes');
    expect(report.exitCode).toBe(3);
    expect(report.unjudged?.reason).toBe(
      'The client sent no message, only GET /.well-known/oauth-protected-resource (status 404), ' +
        'GET /.well-known/oauth-authorization-server (status 404); the client exited with code 1.',
    );
    expect(report.unjudged?.details[0]).toContain('before a server has required it with status 401');
  });

  test('proposes: the reason names the request of a client that is of another era only', async () => {
    const subject = spawnClient(process.execPath, [httpClient, 'proposes']);
    const { report } = await collect(subject, 'streamable-http', { revision: definedRevisions.at(-1)! });
    expect(report.exitCode).toBe(3);
    expect(report.unjudged?.reason).toMatch(
      /sent no request in \S+, only initialize for \S+ \(error -32022\);/,
    );
  });

  test('outdated: a client that proposes a revision without Streamable HTTP is judged in one that it accepts', async () => {
    const { report } = await overHttp('outdated');
    expect([report.unjudged, report.runs.map(r => r.revision)]).toEqual([null, ['2025-11-25']]);
  });

  test('leaves: is not judged, and the report says how it ended and what it printed', async () => {
    const { report } = await overHttp('leaves');
    expect(report.unjudged?.reason).toMatch(
      /proposes protocolVersion "2024-11-05" and sends nothing after the response, which was on an event stream: the client exited with code 4\.$/,
    );
    expect(report.unjudged?.details).toEqual(['stderr: the response is not JSON']);
  });

  test('lists-first: a request before the stream was lost does not show that the client gave up', async () => {
    const subject = spawnClient(process.execPath, [listsFirst]);
    const cases = /client\/(streams\/polling|streamable-http\/lone)/;
    const { report, findings } = await collect(subject, 'streamable-http', { cases });
    expect(report.runs.flatMap(r => r.findings).map(f => `${f.grade} ${f.requirement}: ${f.actual}`)).toEqual(
      [],
    );
    const passed = new Set(findings.filter(f => f.verdict === 'pass').map(f => f.requirement));
    for (const name of ['client-polls', 'client-respects-retry', 'client-reads-lone-cr'])
      expect([...passed]).toContain(`streamable-http.${name}`);
  });

  test.each([
    ['prints', 'pass'],
    // a client without scripts: what cannot be judged is not observed
    ['shows', 'none'],
  ])(
    'waits-for-user %s: the address of the authorization request is followed where it can be read',
    async (mode, verdict) => {
      const subject = spawnClient(process.execPath, [waitsForUser, mode]);
      const cases = /client\/authorization\/(flow\/plain|discovery\/unannounced-none)/;
      const { failed, findings, pids } = await collect(subject, 'streamable-http', { cases });
      expect([...failed.keys()]).toEqual([]);
      const verdicts = findings
        .filter(f => f.requirement === 'auth.client-reacts-to-401')
        .map(f => f.verdict);
      expect(verdicts).toContain(verdict);
      expect(pids.filter(alive)).toEqual([]);
    },
  );

  test('opens: a printed address that the client requests itself is one authorization request', async () => {
    const subject = spawnClient(process.execPath, [waitsForUser, 'opens']);
    const cases = /client\/authorization\/tokens\/refused-for-good/;
    const { failed, findings } = await collect(subject, 'streamable-http', { cases });
    expect([...failed.keys()]).toEqual([]);
    const judged = findings.filter(f => f.requirement === 'auth.client-reacts-to-401').map(f => f.verdict);
    expect(judged).toContain('pass');
  });

  test('prints, with one callback port for all processes: its authorizations run one at a time', async () => {
    const subject = spawnClient(process.execPath, [waitsForUser, 'prints', String(await freePort())]);
    const cases = /client\/authorization\/(flow|discovery|metadata)\//;
    const { failed, wire, pids } = await collect(subject, 'streamable-http', { cases });
    const said = wire.map(event => (event.kind === 'stderr' ? event.text : '')).join('');
    expect(said.match(/Please authorize/g)!.length).toBeGreaterThan(10);
    expect(said).not.toContain('EADDRINUSE');
    expect([...failed.keys()]).not.toContain('auth.client-reacts-to-401');
    expect(pids.filter(alive)).toEqual([]);
  });

  test('silent: is not judged, and the reason is reported', async () => {
    const outcome = await overHttp('silent');
    expect(outcome.report.unjudged?.reason).toMatch(wasInactive);
    expect(outcome.pids.filter(alive)).toEqual([]);
  });
});

// these use a whole CPU, so that they run alone
describe('a client that sends without an end', () => {
  test('prints: endless output is no activity', async () => {
    const printed = /^not run: .*the client printed without an end, sent nothing, and was terminated/m;
    const starved = /^not run: the client got too little CPU time \d+ times before/m;
    const outcome = await collect(spawnClient(process.execPath, [client, 'prints']), 'stdio', {
      timing: short,
      shown: trial => printed.test(reasonsOf(trial)),
      // so many that some are left after four launches were lost
      cases: /client\//,
    });
    // on a busy machine no process that wants the whole CPU gets it
    expect(reasonsOf(outcome)).toMatch(starved.test(reasonsOf(outcome)) ? gotNoCpu : printed);
    expect(outcome.pids.filter(alive)).toEqual([]);
  });

  test('pings: an endless series of pings is reported', async () => {
    const outcome = await hostile('pings');
    expect(warnsOfPings(outcome)).toBe(true);
    expect(outcome.pids.filter(alive)).toEqual([]);
  });

  test('floods: an endless series of pings is reported', async () => {
    const outcome = await overHttp('floods');
    expect(warnsOfPings(outcome)).toBe(true);
    expect(outcome.pids.filter(alive)).toEqual([]);
  });
});
