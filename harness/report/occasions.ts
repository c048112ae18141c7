/** Why a requirement had no occasion in a run: what the subject did not send. */

import type { Role } from '../../spec/json-rpc.js';
import { type RequirementId, requirement } from '../../spec/requirement.js';
import { entry } from '../grouped.js';
import type { Event } from '../record/event.js';
import { isOccasionOf, type Occasion, occasionsOf } from './occasion.js';
import type { FindingReport, RequirementReport, RunReport } from './report.js';
import type { RevisionStart, RunStart } from './run-event.js';

/** Reason of a case in which the subject did not go as far as the check. */
export const unexercised = 'the test never reached this point';

/** The verdicts of a case, by row. */
type Judged = ReadonlyMap<RequirementId, { readonly fail?: number }>;

/** With fewer cases, a row that fails in most of them may be the reason of each. */
const fewestCases = 4;

/**
 * The reason of a case without a judgement about a row; with the row that failed in this case and in the fewest others, if no
 * other reason is known.
 * @param judged the verdicts of the case, by row
 * @param all the verdicts of each case, by its number: a row that fails in most of them is no reason for what one does not show
 */
export function withFailedRow(
  reason: string,
  judged: readonly Judged[],
  all: ReadonlyMap<number, Judged> = new Map(),
): string {
  if (reason !== unexercised) return reason;
  const casesOf = (id: RequirementId) => [...all.values()].filter(rows => rows.get(id)?.fail).length;
  // the rarest: a client that ends each connection in a wrong way does so in a case that fails for a reason of its own, too
  const [rarest] = judged
    .flatMap(rows => [...rows])
    .filter(([, counts]) => counts.fail)
    .map(([id]) => ({ id, cases: casesOf(id) }))
    .filter(({ cases }) => all.size < fewestCases || cases <= all.size / 2)
    .sort((a, b) => a.cases - b.cases);
  return rarest ? `${reason}; see ${rarest.id}, which fails in the same case` : reason;
}

/** The side whose events are the cause of a finding; those of a gateway show as what it sends to its client. */
export const sideOf = ({ side }: Pick<RevisionStart, 'side'>, { role }: RunStart): Role =>
  (side === 'intermediary' ? 'server' : side) ?? (role === 'client' ? 'client' : 'server');

const sidesOf = (role: RunStart['role']): readonly Role[] =>
  role === 'watch' ? ['server', 'client'] : [role === 'client' ? 'client' : 'server'];

type Place = Pick<RevisionStart, 'revision' | 'transport'>;

/** The occasions of each row. */
const ofRow: Readonly<Record<Role, Map<string, readonly Occasion[]>>> = {
  client: new Map(),
  server: new Map(),
};

/** The occasions of a row, in order. @param side the party under test */
const occasionsOfRow = (side: Role, id: string): readonly Occasion[] =>
  entry(ofRow[side], id, () => occasionsOf(side).filter(one => isOccasionOf(one, id)));

/** What a party has not sent so far. */
class Unseen {
  private readonly left: Set<Occasion>;
  /** Matches each text that may show one of them: most texts of a run show nothing new. */
  private hint: RegExp | undefined;

  constructor(private readonly side: Role) {
    this.left = new Set(occasionsOf(side));
  }

  /** Removes the occasions that a text shows. */
  add(text: string): void {
    if (this.left.size === 0) return;
    this.hint ??= new RegExp([...new Set([...this.left].flatMap(one => one.hints))].join('|'));
    if (!this.hint.test(text)) return;
    const before = this.left.size;
    for (const one of this.left) if (one.shows(text)) this.left.delete(one);
    if (this.left.size < before) this.hint = undefined;
  }

  clear(): void {
    this.left.clear();
  }

  /** The first occasion of a row. */
  of(id: RequirementId): Occasion | undefined {
    return occasionsOfRow(this.side, id).find(one => this.left.has(one));
  }
}

type Sides = Readonly<Partial<Record<Role, Unseen>>>;

/** Number of characters of a run that are read; what comes after them may be any occasion. */
const mostRead = 20_000_000;

/** Follows the messages of a run. */
export class Occasions {
  private read = 0;
  private readonly unseen = new Map<string, Sides>();
  private readonly unseenOfLink = new Map<number, Sides>();

  add(event: Event, role: RunStart['role']): void {
    if (event.kind === 'open') {
      const unseen = entry(this.unseen, `${event.revision}/${event.transport}`, () =>
        Object.fromEntries(sidesOf(role).map(side => [side, new Unseen(side)])),
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
    unseen.add(text.includes('\\/') ? text.replaceAll('\\/', '/') : text);
  }

  /** Adds reasons to the rows and the findings of a run. */
  explainAll(
    { requirements, findings }: Pick<RunReport, 'requirements' | 'findings'>,
    run: Place,
    side: Role,
  ): Pick<RunReport, 'requirements' | 'findings'> {
    return {
      requirements: requirements.map(row => this.explain(row, run, side)),
      findings: findings.map(one => this.explainFinding(one, run, side)),
    };
  }

  /** Adds the reason to a row that was not judged. A row that was judged has none. */
  explain({ reason, ...row }: RequirementReport, run: Place, side: Role): RequirementReport {
    if (row.grade !== 'notObserved') return row;
    if (reason !== undefined && !reason.startsWith(unexercised)) return { ...row, reason };
    const why = this.lacking(row.id, run, side) ?? reason;
    return why === undefined ? row : { ...row, reason: why };
  }

  /** Adds the reason to an inconclusive finding about a test that went another way. */
  explainFinding(finding: FindingReport, run: Place, side: Role): FindingReport {
    if (finding.grade !== 'inconclusive' || !finding.message?.startsWith(unexercised)) return finding;
    return { ...finding, message: this.lacking(finding.requirement, run, side) ?? finding.message };
  }

  /** What the subject did not send, but would have had to for a judgement about a row. */
  private lacking(id: RequirementId, { revision, transport }: Place, side: Role): string | undefined {
    const { binds } = requirement(id);
    if (binds !== side && binds !== 'both') return undefined;
    const one = this.unseen.get(`${revision}/${transport}`)?.[side]?.of(id);
    return one && `the ${side} ${one.lacks}`;
  }
}
