/** Runs the suite against an authorization server. */

import type { RequirementId } from '../../../spec/requirement.js';
import { definedRevisions, type Revision } from '../../../spec/revisions.js';
import type { Finding, Judgement } from '../../judge/finding.js';
import { OAuth } from '../../oauth/client.js';
import { ClientDocuments, type DocumentPlace } from '../../oauth/client-documents.js';
import type { Tap } from '../../record/tap.js';
import type { RunEvent } from '../../report/run-event.js';
import { makeExpect } from '../../scenario/expect.js';
import type { Timing } from '../../time/timing.js';
import { AllowedHosts } from '../../transports/http/allowed-hosts.js';
import { Web } from '../../transports/http/side-request.js';
import { boundedAgent } from '../../transports/http/undici.js';
import { RunBounds } from '../bounds.js';
import { notRun } from '../case-findings.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { eventQueue } from '../event-queue.js';
import { type CommonOptions, Recorder } from '../recorder.js';
import { type Acquaintance, type AuthorizationServerSubject, discoverIssuer } from './discovery.js';
import { type AuthorizationCase, planAuthorization } from './plan.js';

export type { AuthorizationServerSubject } from './discovery.js';

export interface AuthorizationServerOptions extends CommonOptions {
  readonly subject: AuthorizationServerSubject;
  /**
   * Default `latest`; an authorization server offers no revisions, so that `all` means all revisions with
   * authorization.
   */
  readonly revision?: 'latest' | 'all' | Revision;
  readonly timing?: Timing;
  /** Waits; self-tests replace this function by a clock of their own. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const transport = 'streamable-http';

/**
 * Tests an authorization server.
 * @returns the events of the run, the last of which is `run-end`
 */
export function runAuthorizationServer(options: AuthorizationServerOptions): AsyncGenerator<RunEvent> {
  return eventQueue(push => new Runner(options, push).run());
}

class Runner {
  private readonly log: Recorder;
  private readonly agent = boundedAgent();
  private documents: ClientDocuments | undefined;
  private readonly hosts: AllowedHosts | undefined;
  private readonly bounds: RunBounds;

  constructor(
    private readonly options: AuthorizationServerOptions,
    listener: (event: RunEvent) => void,
  ) {
    this.log = new Recorder('authorization-server', options, listener);
    this.bounds = new RunBounds(options, 'authorization server');
    const {
      clients = [],
      login = {},
      machine,
      issuer,
      thirdParty,
      documents,
      allowExternal,
    } = options.subject;
    const named = [issuer, thirdParty, documents?.base].filter(url => url !== undefined);
    this.hosts = allowExternal ? undefined : new AllowedHosts(named);
    for (const secret of [...clients.map(c => c.secret), ...Object.values(login), machine?.secret])
      this.log.history.secrets.learn(secret);
  }

  async run(): Promise<void> {
    const { issuer, documents } = this.options.subject;
    this.log.start({ command: null, url: issuer.href });
    let unjudged: CouldNotJudge | undefined;
    try {
      if (documents) this.documents = await openDocuments(documents);
      const revisions = this.revisions();
      this.bounds.intake.allowRevisions(revisions.length);
      for (const revision of revisions) {
        this.bounds.timing.budget.renew();
        await this.runRevision(revision);
      }
    } catch (error) {
      if (!(error instanceof CouldNotJudge)) throw error;
      unjudged = this.bounds.reasonOf(error);
    } finally {
      await Promise.all([this.agent.destroy(), this.documents?.close()]);
    }
    this.log.end(transport, 0, unjudged, this.bounds.end());
  }

  private revisions(): Revision[] {
    const { revision = 'latest' } = this.options;
    const possible = definedRevisions.filter(r => r.authorization).toReversed();
    if (revision === 'all') return possible;
    if (revision === 'latest') return possible.slice(0, 1);
    if (!revision.authorization) throw new CouldNotJudge(`Revision ${revision.id} has no authorization.`);
    return [revision];
  }

  private async runRevision(revision: Revision): Promise<void> {
    const { subject, suite, selected = () => true } = this.options;
    const first = this.open(revision, 0);
    const known = await discoverIssuer(subject, revision.authorization!, first.web, this.documents);
    if (known.candidates.every(c => c.answer.status === undefined))
      throw new CouldNotJudge(
        `${subject.issuer.href} does not answer: ${known.candidates[0]?.answer.failure}.`,
      );
    const { cases, requirements, notApplicable } = planAuthorization(suite, revision, known.lacks, selected);
    this.log.startRevision(revision, transport, {
      info: { issuer: known.metadata?.document.issuer ?? null },
      planned: cases.length,
      requirements,
      notApplicable,
    });
    this.close(first);
    for (const planned of cases) await this.runCase(planned, revision, known);
    this.log.endRevision();
  }

  /** A separate link for all requests of one case. */
  private open(revision: Revision, caseNumber: number) {
    const { history } = this.log;
    const { subject } = this.options;
    const link = history.newLink(transport, revision);
    history.assign(link, caseNumber);
    const conversation = history.conversation(link);
    const tap: Tap = event => history.record(link, event).messages;
    let exchanges = 0;
    tap({ kind: 'open', transport, revision: revision.id, url: subject.issuer.href });
    const recorder = { tap, conversation, next: () => ++exchanges };
    const web = new Web({
      ...recorder,
      agent: this.agent,
      secrets: history.secrets,
      answer: this.bounds.timing.answer,
      budget: this.bounds.timing.budget,
      hosts: this.hosts,
    });
    this.documents?.recordIn(recorder);
    return { web, tap, conversation };
  }

  private close({ tap, conversation }: ReturnType<Runner['open']>): void {
    tap({ kind: 'closing' });
    this.log.judge(conversation);
  }

  private async runCase(planned: AuthorizationCase, revision: Revision, known: Acquaintance): Promise<void> {
    const number = this.log.startCase(planned);
    const why = this.bounds.stopped ?? planned.unclear;
    if (why !== undefined) this.log.recordFindings(notRun(planned, number, why));
    else {
      const opened = this.open(revision, number);
      const findings = await this.perform(planned, number, revision, known, opened);
      this.log.recordFindings(
        this.bounds.stopped === undefined ? findings : notRun(planned, number, this.bounds.stopped),
      );
      this.close(opened);
      this.log.noVacuousPass(number);
    }
    this.log.endCase(number);
  }

  private async perform(
    { scenario, verifies }: AuthorizationCase,
    number: number,
    revision: Revision,
    { metadata, agent, resource, scope, candidates, clients }: Acquaintance,
    { web, tap }: ReturnType<Runner['open']>,
  ): Promise<Finding[]> {
    const findings: Finding[] = [];
    const report = (requirement: RequirementId, judgement: Judgement) => {
      if (!scenario.verifies.includes(requirement))
        throw new Error(`${scenario.name} judges ${requirement} without citing it in verifies.`);
      if (verifies.includes(requirement))
        findings.push({ requirement, source: 'scenario', case: number, ...judgement });
    };
    const { subject, pause = (ms: number) => this.bounds.pause(ms) } = this.options;
    const none = {
      document: {},
      authorization: undefined,
      token: undefined,
      registration: undefined,
      byDefault: true,
    };
    try {
      await scenario.run({
        oauth: new OAuth({
          web,
          metadata: metadata ?? none,
          login: subject.login ?? {},
          agent: agent.on(web),
          resource,
          scope,
        }),
        expect: makeExpect(report),
        issuer: subject.issuer,
        target: new URL(subject.resource ?? '/mcp', subject.issuer.origin),
        candidates: candidates.filter(c => revision.authorization!.metadata.includes(c.kind)),
        clients,
        machine: subject.machine,
        identityProvider: subject.identityProvider,
        thirdParty: subject.thirdParty,
        documents: this.documents,
        async pause(ms) {
          await pause(ms);
          tap({ kind: 'quiet', ms });
        },
      });
    } catch (error) {
      findings.push({
        requirement: verifies[0]!,
        source: 'suite',
        case: number,
        verdict: 'error',
        message: `The scenario itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        evidence: [],
      });
    }
    return findings;
  }
}

/** @throws {CouldNotJudge} when the port is not available */
async function openDocuments(place: DocumentPlace): Promise<ClientDocuments> {
  try {
    return await ClientDocuments.open(place);
  } catch (error) {
    throw new CouldNotJudge(
      `Port ${place.port} for client documents is not available: ${(error as Error).message}.`,
    );
  }
}
