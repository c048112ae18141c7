/**
 * Clients that run many cases in one start: the verdicts equal those with one start per case, even when the
 * start ends early.
 */

import { expect, test } from 'vitest';
import { runClient } from '../../harness/run/client/run.js';
import { inProcessClient } from '../../harness/run/client/subject.js';
import type { ClientTask } from '../../harness/scenario/client-task.js';
import { declined, nonsense } from '../../harness/scenario/script.js';
import type { Timing } from '../../harness/time/timing.js';
import { mockClient } from '../../mocks/client/client.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import { latestRevision } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe } from './run-mock.js';

const timing: Timing = { answer: 3_000, exit: 500, quiet: 40 };

/** Cases that begin with a new connection, and cases that share a conversation. */
const selected = (name: string) => /client\/(lifecycle|ping|pagination|tools)\//.test(name);

const isRestart = (step: Json): boolean => Array.isArray(step) && step[0] === 'restart';

const restarts = ({ script }: ClientTask): number => (script as Json[]).filter(isRestart).length;

type Perform = (task: ClientTask) => Promise<number>;

/** A driver around the reference client. @param starts the number of starts so far, this one included */
type Driver = (task: ClientTask, perform: Perform, starts: number) => Promise<number>;

const play = (driver: Driver) => playWith({}, driver);

interface PlayOptions {
  readonly faults?: readonly string[];
  /** The client asks for further steps, as the driver of a client with a command may. */
  readonly asksAgain?: boolean;
  /** The cases; default: `selected`. */
  readonly cases?: (name: string) => boolean;
}

async function playWith({ asksAgain = false, cases = selected, ...options }: PlayOptions, driver: Driver) {
  const client = mockClient({ ...options, graceMs: 60 });
  let starts = 0;
  const inProcess = inProcessClient((task, streams) =>
    driver(task, given => client.perform(given, streams), ++starts),
  );
  const subject = asksAgain ? { ...inProcess, command: ['mock-client'] } : inProcess;
  const transport = 'streamable-http';
  const events = runClient({
    subject,
    suite,
    selected: cases,
    timing,
    transport,
    revision: latestRevision,
    jobs: 3,
  });
  const { findings, report, wire } = await observe(events);
  const told = new Set(findings.map(f => `${f.requirement} ${f.verdict}`));
  return { told: [...told].sort(), report, wire, starts, cases: report.runs[0]!.cases.length };
}

/** A driver that does not support the step `restart`, like all drivers before the step existed. */
const unaware = () => play(async (task, perform) => (restarts(task) > 0 ? declined : perform(task)));

/** The first parts of a script. */
function first(count: number, task: ClientTask): ClientTask {
  let seen = 0;
  const script = (task.script as Json[]).filter(step => {
    if (isRestart(step)) seen++;
    return seen < count;
  });
  return { ...task, script };
}

test.concurrent('one start runs many cases, and a driver without support for this gets the same verdicts', async () => {
  const together = await play((task, perform) => perform(task));
  const apart = await unaware();
  expect(together.told).toEqual(apart.told);
  expect(together.report.exitCode).toBe(0);
  expect(together.cases).toBeGreaterThan(15);
  // three starts to probe the client, and three for parallel cases
  expect(together.starts).toBe(3 + 3);
  expect(apart.starts).toBeGreaterThan(apart.cases / 2);
});

const askingAgain = (driver: Driver) => playWith({ asksAgain: true }, driver);

/** The address of further steps in the last step of a script. */
const stepsOf = ({ script }: ClientTask): string | undefined => {
  const [verb, place] = (script as Json[][]).at(-1)!;
  return verb === 'restart' ? ((place as { steps?: string }).steps ?? undefined) : undefined;
};

/** The same task without the address of further steps. */
const withoutSteps = (task: ClientTask): ClientTask => ({
  ...task,
  script: (task.script as Json[]).slice(0, -1),
});

/** The same task without the addresses of scripts that run beside this one. */
const withoutBeside = (task: ClientTask): ClientTask => ({
  ...task,
  script: (task.script as Json[][]).map(step =>
    isRestart(step) ? [step[0]!, { ...(step[1] as JsonObject), beside: [] }] : step,
  ),
});

test.concurrent('a client that asks for further steps, for one script in each process, goes on with the process of the probe', async () => {
  const asking = await askingAgain((task, perform) => perform(withoutBeside(task)));
  expect(asking.told).toEqual((await unaware()).told);
  expect(asking.report.exitCode).toBe(0);
  expect(asking.starts).toBe(1 + 3);
});

test.concurrent('a client that runs several scripts side by side is started twice', async () => {
  const asking = await askingAgain((task, perform) => perform(task));
  expect(asking.told).toEqual((await unaware()).told);
  expect(asking.report.exitCode).toBe(0);
  expect(asking.starts).toBe(1 + 1);
});

test.concurrent('a client that does not ask for further steps, although the script offers them, gets no failure', async () => {
  const { told, starts } = await askingAgain((task, perform) =>
    perform(stepsOf(task) === undefined ? task : withoutSteps(task)),
  );
  expect(told).toEqual((await unaware()).told);
  expect(starts).toBe(3 + 3);
});

/** Ways to fail with further steps. The first process asks in each of them. */
const failures: Readonly<Record<string, (steps: string) => Promise<number>>> = {
  'exits when it has got them': async steps => {
    await (await fetch(steps)).text();
    return 3;
  },
  'leaves before it has got them': async steps => {
    await fetch(steps, { signal: AbortSignal.timeout(50) }).catch(() => {});
    return 0;
  },
  'asks again and does nothing': async steps => {
    for (;;) if ((await (await fetch(steps)).text()) === '[]') return 0;
  },
};

for (const [way, fail] of Object.entries(failures))
  test.concurrent(`a client that asks for further steps and ${way} misses no case`, async () => {
    const { told, report } = await askingAgain(async (task, perform) => {
      const steps = stepsOf(task);
      if (steps === undefined) return perform(task);
      return (await perform(withoutSteps(task))) || fail(steps);
    });
    expect(told).toEqual((await unaware()).told);
    expect(report.exitCode).toBe(0);
  });

/** Ways to fail with steps, while other scripts of the process have theirs. */
const failuresBeside: Readonly<Record<string, () => Promise<number>>> = {
  'exits when it has got steps': async () => 3,
  'hangs when it has got steps': () => new Promise(() => {}),
};

/** Runs the scripts of a task side by side. @param fail what happens with the steps that come fourth */
async function performBeside(
  task: ClientTask,
  perform: Perform,
  fail: () => Promise<number>,
): Promise<number> {
  let given = 0;
  const go = async (url: string): Promise<number> => {
    for (;;) {
      const script = (await (await fetch(url)).json()) as Json[];
      if (script.length === 0) return 0;
      if (++given === 4) return fail();
      await perform(withoutSteps({ ...task, script }));
    }
  };
  const code = await perform(withoutSteps(task));
  const steps = stepsOf(task);
  if (steps === undefined) return code;
  const [, place] = (task.script as Json[][]).at(-1)!;
  const { beside = [] } = place as { beside?: string[] };
  return new Promise(exit => {
    const all = [steps, ...beside].map(async url => (await go(url)) && exit(3));
    void Promise.all(all).then(() => exit(0));
  });
}

for (const [way, fail] of Object.entries(failuresBeside))
  test.concurrent(`a client that runs several scripts side by side and ${way} for one misses no case`, async () => {
    const { told, report, starts } = await askingAgain((task, perform) => performBeside(task, perform, fail));
    expect(told).toEqual((await unaware()).told);
    expect(report.exitCode).toBe(0);
    expect(starts).toBeGreaterThan(1 + 1);
  });

/** Begins a session and leaves it, like a client that looks first whether the server requires a token. */
async function beginSession({ address }: ClientTask): Promise<void> {
  const params = {
    protocolVersion: latestRevision.id,
    capabilities: {},
    clientInfo: { name: 'mock', version: '1' },
  };
  const response = await fetch((address as { url: string }).url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'first', method: 'initialize', params }),
  });
  await response.text();
}

test.concurrent('a client that leaves its first session after initialize is judged by its second one', async () => {
  const aboutLists = (told: readonly string[]) => told.filter(row => /^(pagination|tools)\./.test(row));
  const { told } = await play(async (task, perform) => {
    if (restarts(task) > 0) return declined;
    if ((task.script as Json[][])[0]?.[0] === 'connect') await beginSession(task);
    return perform(task);
  });
  expect(aboutLists(told)).toEqual(aboutLists((await unaware()).told));
});

test.concurrent('a client that exits in the middle gets no failures and misses no cases', async () => {
  const { told, report } = await play((task, perform) => perform(restarts(task) > 1 ? first(2, task) : task));
  expect(told).toEqual((await unaware()).told);
  expect(report.exitCode).toBe(0);
});

test.concurrent('a client that ignores the step `restart` is started for each case', async () => {
  const { told } = await play((task, perform) => {
    const script = (task.script as Json[]).filter(step => !isRestart(step));
    return perform({ ...task, script });
  });
  expect(told).toEqual((await unaware()).told);
});

test.concurrent('a client that hangs in the middle is terminated and started again', async () => {
  const { told, report } = await play(async (task, perform, starts) => {
    if (starts !== 4) return perform(task);
    await perform(first(2, task));
    return new Promise<number>(() => {});
  });
  expect(told).toEqual((await unaware()).told);
  expect(report.exitCode).toBe(0);
});

test.concurrent('a program of the official suite gets no failure for requests that its scenario prescribes', async () => {
  const faults = ['client-asks-undeclared'];
  const lists: Json = [['connect'], ['list', 'tools'], ['close']];
  const official = await playWith({ faults }, async (task, perform) =>
    task.official.name === 'initialize' ? perform({ ...task, script: lists }) : 1,
  );
  const blamed = 'lifecycle.respect-capabilities fail';
  expect(official.told).not.toContain(blamed);
  // a program that connects in every scenario is responsible for its requests
  const own = await playWith({ faults }, (task, perform) => perform({ ...task, script: lists }));
  expect(own.told).toContain(blamed);
});

const isNonsense = ({ script }: ClientTask): boolean => JSON.stringify(script) === JSON.stringify(nonsense);

/** A client with a task of its own: it ignores the script. */
const alwaysLists =
  (more: (task: ClientTask) => Json = () => []) =>
  (task: ClientTask, perform: Perform) =>
    perform({ ...task, script: [['connect'], ['list', 'tools'], ...(more(task) as Json[]), ['close']] });

test.concurrent('a client that ignores scripts is not started for cases that an earlier visit judges', async () => {
  const ignoring = await play(alwaysLists());
  // this one does more with the script that no client supports, so that each case needs a start
  const other = await play(alwaysLists(task => (isNonsense(task) ? [['list', 'prompts']] : [])));
  expect(ignoring.told).toEqual(other.told);
  expect(ignoring.cases).toBe(other.cases);
  expect(other.starts).toBeGreaterThanOrEqual(other.cases);
  expect(ignoring.starts).toBeLessThan(other.starts);
});

test.concurrent('the findings on a client that ignores scripts do not depend on visits that judge several cases', async () => {
  const faulty = (driver: Driver) => playWith({ faults: ['client-asks-undeclared'] }, driver);
  const ignoring = await faulty(alwaysLists());
  const other = await faulty(alwaysLists(task => (isNonsense(task) ? [['list', 'prompts']] : [])));
  expect(ignoring.told).toEqual(other.told);
  expect(ignoring.told).toContain('lifecycle.respect-capabilities fail');
});

test.concurrent('a client that follows no page gets the response to its call in the case about line ends', async () => {
  const { wire } = await playWith(
    { faults: ['client-first-page-only'], cases: name => name.endsWith('/lone-carriage-returns') },
    (task, perform) => perform(task),
  );
  const texts = (side: 'client' | 'server') =>
    wire.flatMap(event => (event.kind === 'frame' && event.by === side ? event.text : []));
  expect(texts('client').some(text => text.includes('"tools/call"'))).toBe(true);
  expect(texts('server').some(text => text.includes('"isError":false'))).toBe(true);
});

test.concurrent('a client that lists twice before it calls gets both lists', async () => {
  const isList = (step: Json): boolean => JSON.stringify(step) === '["list","tools"]';
  const { told, wire } = await playWith(
    { cases: name => /\/(stream-refused|polling)$/.test(name) },
    (task, perform) =>
      perform({
        ...task,
        script: (task.script as Json[]).flatMap(step => (isList(step) ? [step, step] : [step])),
      }),
  );
  expect(told.filter(row => row.endsWith(' fail'))).toEqual([]);
  const called = wire.filter(event => event.kind === 'frame' && event.text.includes('"tools/call"'));
  expect(called.length).toBeGreaterThan(0);
});

test.concurrent('a client that never connects is not started for a server that requires a token', async () => {
  let starts = 0;
  const subject = inProcessClient(() => {
    starts++;
    return new Promise(() => {});
  });
  const short: Timing = { answer: 100, exit: 50, quiet: 20 };
  const { report } = await observe(
    runClient({ subject, suite, timing: short, transport: 'streamable-http', revision: latestRevision }),
  );
  expect(report.unjudged?.reason).toContain('did not connect');
  // one with an invalid script, one at a usual server
  expect(starts).toBe(2);
});
