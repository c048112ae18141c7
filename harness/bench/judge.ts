/** Speed of judging recorded conversations, from stored events to findings, with all rules. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { latestRevision } from '../../spec/revisions.js';
import { grouped } from '../grouped.js';
import { judgeEach } from '../judge/judge.js';
import type { Event } from '../record/event.js';
import { handshakeMethods } from '../record/handshake.js';
import { History } from '../record/history.js';
import type { Suite } from '../run/plan.js';
import { fullRun, wireOf } from './mock.js';
import { medianOf, type Part } from './results-table.js';

/** Number of warm-up rounds until all rules are compiled, and number of measured rounds. */
const rounds = { warm: 60, counted: 50 };
/** Number of messages of a long conversation. */
const long = 50_000;

export const judging =
  (suite: Suite): Part =>
  async sheet => {
    const recorded = wireOf((await fullRun(suite, latestRevision)).events);
    let findings = 0;
    const rate = (events: readonly Event[], clock: () => number): number => {
      const began = clock();
      findings = 0;
      for (const conversation of History.from(events, 'server').conversations.values())
        judgeEach(conversation, suite.rules, () => findings++);
      return events.length / (clock() - began);
    };
    for (let n = 0; n < rounds.warm; n++) rate(recorded, wall);
    const perSecond = await medianOf(rounds.counted, () => rate(recorded, wall));
    sheet.add('events of a recorded full run', recorded.length);
    sheet.add('  findings', findings);
    sheet.add('  judge, events per second', perSecond, { atLeast: 100_000 });
    sheet.add(
      '  the same by CPU time of all threads',
      await medianOf(rounds.counted, () => rate(recorded, processor)),
    );
    const [short, whole] = [prolonged(recorded, long / 10), prolonged(recorded, long)];
    const onShort = await medianOf(5, () => rate(short, wall));
    const onWhole = await medianOf(3, () => rate(whole, wall));
    sheet.add(`one conversation of ${long} messages, events per second`, onWhole);
    sheet.add('  the same / one of a tenth; about 1 when judging is linear', onWhole / onShort, {
      atLeast: 0.5,
    });
  };

const wall = (): number => performance.now() / 1000;

function processor(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The longest conversation of a record, repeated with other ids up to the required number of messages. */
function prolonged(events: readonly Event[], messages: number): Event[] {
  const links = grouped(events, e => e.link);
  const longest = [...links.values()].sort((a, b) => b.length - a.length)[0]!;
  const start =
    longest.findIndex(e => e.kind === 'frame' && e.text.includes(`"${handshakeMethods.notification}"`)) + 1;
  const told = longest.slice(start).filter(e => e.kind === 'frame' && e.text.startsWith('{"jsonrpc":"2.0"'));
  const all = longest.slice(0, start);
  for (let time = 1; all.length < messages; time++)
    for (const event of told.slice(0, messages - all.length))
      all.push(event.kind === 'frame' ? { ...event, text: retold(event.text, time) } : event);
  return all.map((event, n) => ({ ...event, seq: n + 1 }));
}

function retold(text: string, time: number): string {
  let message: JsonObject;
  try {
    message = JSON.parse(text) as JsonObject;
  } catch {
    return text;
  }
  const params = isObject(message.params)
    ? renewed(message.params, time, 'requestId', 'progressToken')
    : undefined;
  const meta = isObject(params?._meta) ? renewed(params._meta, time, 'progressToken') : undefined;
  return JSON.stringify({
    ...renewed(message, time, 'id'),
    ...(params && { params: meta ? { ...params, _meta: meta } : params }),
  });
}

function renewed(object: JsonObject, time: number, ...names: readonly string[]): JsonObject {
  const other = (id: Json): Json =>
    typeof id === 'number' ? id + time * 1_000_000 : typeof id === 'string' ? `${id} ${time}` : id;
  const mine = names.filter(name => name in object).map(name => [name, other(object[name]!)] as const);
  return { ...object, ...Object.fromEntries(mine) };
}
