/** Why a requirement had no occasion in a run: what the subject did not send. */

import type { Role } from '../../spec/json-rpc.js';
import { requirement } from '../../spec/requirement.js';
import { entry } from '../grouped.js';
import type { Event } from '../record/event.js';
import { isOccasionOf, type Occasion, occasionsOf } from './occasion.js';
import type { RequirementReport } from './report.js';
import type { RevisionStart, RunStart } from './run-event.js';

/** Reason of a case in which the subject did not go as far as the check. */
export const unexercised = 'the test never reached this point';

/** The side whose events are the cause of a finding; those of a gateway show as what it sends to its client. */
export const sideOf = ({ side }: Pick<RevisionStart, 'side'>, { role }: RunStart): Role =>
  (side === 'intermediary' ? 'server' : side) ?? (role === 'client' ? 'client' : 'server');

const sidesOf = (role: RunStart['role']): readonly Role[] =>
  role === 'watch' ? ['server', 'client'] : [role === 'client' ? 'client' : 'server'];

/** What a party has not sent so far. */
type Unseen = Readonly<Partial<Record<Role, Set<Occasion>>>>;

/** Number of characters of a run that are read; what comes after them may be any occasion. */
const mostRead = 20_000_000;

/** Follows the messages of a run. */
export class Occasions {
  private read = 0;
  private readonly unseen = new Map<string, Unseen>();
  private readonly unseenOfLink = new Map<number, Unseen>();

  add(event: Event, role: RunStart['role']): void {
    if (event.kind === 'open') {
      const unseen = entry(this.unseen, `${event.revision}/${event.transport}`, () =>
        Object.fromEntries(sidesOf(role).map(side => [side, new Set(occasionsOf(side))])),
      );
      this.unseenOfLink.set(event.link, unseen);
    } else if (event.kind === 'frame' && !event.behind) this.addText(event.link, event.by, event.text);
    else if (event.kind === 'http-request') this.addText(event.link, 'client', event.method);
  }

  private addText(link: number, by: Role, text: string): void {
    const unseen = this.unseenOfLink.get(link)?.[by];
    this.read += text.length;
    if (this.read > mostRead) unseen?.clear();
    if (!unseen) return;
    const plain = text.includes('\\/') ? text.replaceAll('\\/', '/') : text;
    for (const one of unseen) if (one.shows(plain)) unseen.delete(one);
  }

  /** Adds the reason to a row that was not judged. A row that was judged has none. */
  explain(
    { reason, ...row }: RequirementReport,
    { revision, transport }: Pick<RevisionStart, 'revision' | 'transport'>,
    side: Role,
  ): RequirementReport {
    if (row.grade !== 'notObserved') return row;
    if (reason !== undefined && reason !== unexercised) return { ...row, reason };
    const { binds } = requirement(row.id);
    const unseen = this.unseen.get(`${revision}/${transport}`)?.[side] ?? [];
    const lacking =
      binds === side || binds === 'both' ? [...unseen].find(one => isOccasionOf(one, row.id)) : undefined;
    const why = lacking ? `the ${side} ${lacking.lacks}` : reason;
    return why === undefined ? row : { ...row, reason: why };
  }
}
