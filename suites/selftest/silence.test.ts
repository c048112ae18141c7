/**
 * Silence where a result is due is a failure while the conversation lives: in each scenario, each request of the harness
 * is left without a response once, and a requirement fails. Where none does, the table has the reason.
 */

import { expect, test } from 'vitest';
import type { Event } from '../../harness/record/event.js';
import { run } from '../../harness/run/server/run.js';
import { inProcess } from '../../harness/subject/subject.js';
import { clientFault } from '../../mocks/client/fault.js';
import { fault } from '../../mocks/fault.js';
import { mockServer } from '../../mocks/server/server.js';
import { isObject, type Json, type JsonObject, parseJson } from '../../spec/json-rpc.js';
import { revisions } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe, steadily, type Trial } from './run-mock.js';
import { tryMockClient } from './run-mock-client.js';

const isRequest = (m: Json): m is JsonObject => isObject(m) && typeof m.method === 'string' && 'id' in m;

const slowTool = 'a tool may be slow: the call is cancelled';
const deliberate = 'the message is not a valid request, or the text says nothing of it';
const cancelled = 'the scenario cancels the request';

/** Requests that a subject may leave without a response, or that are cancelled: scenario, method, reason. */
const legal: readonly (readonly [scenario: string, method: string, why: string])[] = [
  ['client/base/garbage', 'ping', deliberate],
  ['client/cancellation/by-the-server', 'sampling/createMessage', cancelled],
  ['server/base/wrong-envelope', 'notifications/cancelled', deliberate],
  ['server/base/wrong-envelope', 'ping', deliberate],
  ['server/cancellation/cancel-a-call', 'tools/call', cancelled],
  ['server/cancellation/cancel-one-of-two', 'tools/call', cancelled],
  ['server/cancellation/too-late', 'ping', cancelled],
  ['server/dialects/tuples', 'tools/call', slowTool],
  ['server/lifecycle/minimal-client', 'tools/call', slowTool],
  ['server/lifecycle/slow-handshake', 'ping', deliberate],
  ['server/resources/beside-calls', 'tools/call', slowTool],
  ['server/stdio/input-ends-during-a-call', 'tools/call', 'the input ends before the response'],
  ['server/stdio/input-ends-idle', 'tools/call', slowTool],
  ['server/task-questions/one', 'tasks/result', 'the task waits for its input'],
  ['server/task-questions/two', 'tasks/result', 'the task waits for its input'],
  ['server/task-requests/cancelled', 'tools/call', cancelled],
  ['server/task-requests/needing-input', 'tools/call', cancelled],
  ['server/task-requests/with-some-notices', 'tools/call', cancelled],
  ['server/task-requests/without-notices', 'tools/call', cancelled],
  ['server/tasks/any-tool', 'tasks/result', 'a task of an unknown tool may be long'],
  ['server/tasks/forbidden', 'tools/call', 'the second call gets its response'],
  ['server/tools/call-structured', 'tools/call', slowTool],
  ['server/tools/call-with-object-for-text', 'tools/call', slowTool],
  ['server/tools/call-without-arguments', 'tools/call', slowTool],
  ['server/tools/call-what-may-be-called', 'tools/call', slowTool],
  ['server/tools/call-with-list-or-text', 'tools/call', 'the second call gets its response'],
  ['server/tools/call-with-wrong-arguments', 'tools/call', 'the second call gets its response'],
  ['server/tools/list-changed-by-any-tool', 'tools/call', slowTool],
  ['server/tools/name-in-other-case', 'tools/call', 'the second call gets its response'],
];

const revision = revisions.find(({ id }) => id === '2025-11-25')!;

/** One of the requests of the harness in a run: the first, second, … one with a method. */
interface Nth {
  readonly method: string;
  readonly nth: number;
}

/** Finds a request; none without one. */
function chosenRequest(wanted?: Nth) {
  let seen = 0;
  const chosen = new WeakSet<object>();
  const incoming = (message: Json): Json => {
    if (wanted && isRequest(message) && message.method === wanted.method && ++seen === wanted.nth)
      chosen.add(message);
    return message;
  };
  return {
    incoming,
    isChosen: (ask: JsonObject) => chosen.has(ask),
    isSent: () => wanted !== undefined && seen >= wanted.nth,
  };
}

const about = { what: 'One request gets no response.', breaks: ['jsonrpc.request-answered-once'] } as const;

interface Attempted {
  readonly trial: Trial;
  /** The chosen request was sent. */
  readonly isSent: boolean;
}

/** Runs one scenario; a repetition of the trial counts the requests anew. */
type Attempt = (scenario: string, wanted?: Nth) => Promise<Attempted>;

const tryServer: Attempt = async (scenario, wanted) => {
  let chosen = chosenRequest();
  const trial = await steadily(() => {
    chosen = chosenRequest(wanted);
    const { incoming, isChosen } = chosen;
    const silent = fault(
      'silent-once',
      { ...about, breaks: [...about.breaks] },
      {
        incoming,
        request: ask => (isChosen(ask) ? undefined : ask),
      },
    );
    const server = mockServer({ delayMs: 2, faults: [silent] });
    return observe(
      run({
        subject: inProcess(streams => server.serve(streams)),
        transport: 'stdio',
        suite,
        revision,
        fixtures: true,
        seed: 1,
        runs: 0,
        timing: { answer: 1_000, exit: 250, quiet: 20 },
        jobs: 16,
        selected: name => name.endsWith(scenario),
      }),
    );
  });
  return { trial, isSent: chosen.isSent() };
};

const tryClient: Attempt = async (scenario, wanted) => {
  let chosen = chosenRequest();
  const trial = await tryMockClient(revision, {
    selected: name => name.endsWith(scenario),
    get faults() {
      chosen = chosenRequest(wanted);
      const { incoming, isChosen } = chosen;
      return [
        clientFault(
          'client-silent-once',
          { ...about, breaks: [...about.breaks] },
          {
            incoming,
            reply: (reply, ask) => (isChosen(ask) ? undefined : reply),
          },
        ),
      ];
    },
  });
  return { trial, isSent: chosen.isSent() };
};

/** The requests of the harness in a case; a few of each method. */
function requestsOf(wire: readonly Event[], by: 'client' | 'server'): Nth[] {
  const times = new Map<string, number>();
  return wire.flatMap(event => {
    if (event.kind !== 'frame' || event.by !== by) return [];
    const json = parseJson(event.text);
    return (Array.isArray(json) ? json : [json ?? null]).filter(isRequest).flatMap(m => {
      const method = String(m.method);
      const nth = (times.get(method) ?? 0) + 1;
      times.set(method, nth);
      return event.case === 0 || Array.isArray(json) || nth > 4 ? [] : [{ method, nth }];
    });
  });
}

const names: readonly string[] = suite.scenarios.map(({ name }) => name);

/** Their number of requests depends on how long a task takes: one that is not sent again shows nothing. */
const isAboutTasks = (scenario: string): boolean => scenario.includes('/task');

test.concurrent.each([
  ['server', 'client', tryServer, (name: string) => !name.startsWith('server/generated/')],
  ['client', 'server', tryClient, (name: string) => !/authorization|http/.test(name)],
] as const)('a %s that does not respond fails a requirement', async (role, by, attempt, isOfTest) => {
  const unnoticed = new Set<string>();
  const queue = names.filter(name => name.startsWith(`${role}/`) && isOfTest(name));
  const known = new Set(legal.map(([name, method]) => `${name} ${method}`));
  const isNoticed = async (name: string, wanted: Nth) => {
    const { trial, isSent } = await attempt(name, wanted);
    return trial.failed.size > 0 || (!isSent && isAboutTasks(name));
  };
  const work = async () => {
    for (let name = queue.shift(); name; name = queue.shift())
      for (const wanted of requestsOf((await attempt(name)).trial.wire, by)) {
        const which = `${name} ${wanted.method}`;
        if (known.has(which)) continue;
        // on a busy machine the order of requests that are sent at the same time changes
        let left = 4;
        while (left > 0 && !(await isNoticed(name, wanted))) left--;
        if (left === 0) unnoticed.add(which);
      }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  expect([...unnoticed]).toEqual([]);
});
