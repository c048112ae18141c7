/** `npm run bench`: how fast the tool is, measured in one run so that the ratios can be trusted on a busy machine. */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { suite } from '../suites/index.js';
import { benchClients } from './bench/clients.js';
import { median, type Row } from './bench/row.js';
import { benchWatch } from './bench/watch.js';
import { type Conversation, History } from './history.js';
import { judgeEach } from './judge.js';
import { run } from './run.js';
import type { RunEvent } from './run-event.js';
import { spawn } from './subject.js';
import { Summary } from './summary.js';

const bin = fileURLToPath(new URL('./entry/bin.js', import.meta.url));

const time = (action: () => void): number => {
  const start = performance.now();
  action();
  return performance.now() - start;
};

const node = (args: readonly string[]) => () => void spawnSync(process.execPath, args);

async function fullRun(): Promise<{ events: RunEvent[]; seconds: number; busy: number }> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const events: RunEvent[] = [];
  for await (const event of run({
    subject: spawn(process.execPath, [bin, 'mock', 'server']),
    suite,
    fixtures: true,
  }))
    events.push(event);
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  return { events, seconds, busy: (used.user + used.system) / 1e6 / seconds };
}

function judgeThroughput(events: readonly RunEvent[]): number {
  const wire = events.flatMap(e => (e.kind === 'wire' ? [e.event] : []));
  const rounds = Math.ceil(100_000 / wire.length);
  let judged = 0;
  const ms = time(() => {
    for (let round = 0; round < rounds; round++) {
      const conversations: Conversation[] = [...History.from(wire, 'server').conversations.values()];
      for (const conversation of conversations) judgeEach(conversation, suite.rules, () => judged++);
    }
  });
  if (judged === 0) throw new Error('Nothing was judged.');
  return (wire.length * rounds) / (ms / 1000);
}

const row: Row = (what, figure, target = '') =>
  console.log(`${what.padEnd(44)}${figure.padStart(14)}  ${target}`);

const bare = median(Array.from({ length: 11 }, () => time(node(['-e', '0']))));
const version = median(Array.from({ length: 11 }, () => time(node([bin, '--version']))));
const help = median(Array.from({ length: 5 }, () => time(node([bin, 'server', '--help']))));
row('node -e 0, ms', bare.toFixed(0));
row('mcp-conform --version / node -e 0', (version / bare).toFixed(2), 'target ≤ 2.5');
row('mcp-conform server --help / node -e 0', (help / bare).toFixed(2));

await fullRun(); // warms the file cache and the compiler
const runs = [await fullRun(), await fullRun(), await fullRun()];
const seconds = median(runs.map(r => r.seconds));
const { events } = runs.find(r => r.seconds === seconds)!;
const summary = new Summary();
for (const event of events) summary.add(event);
const { summary: totals } = summary.report();
row('full run against the mock, stdio, s', seconds.toFixed(2), 'target ≤ 3');
row('checks', String(totals.checks));
row('checks per second', (totals.checks / seconds).toFixed(0), 'target ≥ 1000');
row('messages', String(totals.messages));
row('requirements judged', String(totals.requirementsJudged));
row('processes started', String(totals.processesStarted));
row('share of the time our process waited', `${(100 * (1 - Math.min(1, runs[0]!.busy))).toFixed(0)} %`);
const perSecond = judgeThroughput(events);
row('judge, events per second', perSecond.toFixed(0), 'target ≥ 100000');

benchClients(row);
await benchWatch(row);
