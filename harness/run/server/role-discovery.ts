/** Which tools of a server that nobody here knows play a role: each that may be called is called, and what it does is seen. */

import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { Peer, Pending } from '../../peer/peer.js';
import type { HttpExchange } from '../../record/http-exchange.js';
import type { Message } from '../../record/message.js';
import type { Known } from '../../scenario/scenario.js';
import type { FixtureRole, RoleTool } from '../../scenario/tool-roles.js';
import { waitFor } from '../../time/clock.js';

/** Nobody learns more from calling dozens of tools, or from all numbers a tool takes. */
const limits = { tools: 25, numbers: 4 };

const roleOfRequest = { 'sampling/createMessage': 'sampling', 'elicitation/create': 'elicitation' } as const;

interface TrialCall {
  readonly tool: RoleTool;
  /** What progress is told under. */
  readonly token: string;
  readonly pending: Pending;
  /** Until when it is waited for. */
  until: number;
}

export class RoleDiscovery {
  private running: Promise<void> | undefined;
  private reserved = false;
  private resolveFinished: () => void = () => {};
  private readonly finished = new Promise<void>(resolve => {
    this.resolveFinished = resolve;
  });
  private readonly slowCalls: TrialCall[] = [];
  /** Told when somebody has been seen to play a role. */
  private readonly roleListeners = new Set<() => void>();

  /** @param toolsByRole where who is found is added */
  constructor(
    private readonly known: Known,
    private readonly toolsByRole: Map<FixtureRole, RoleTool>,
  ) {}

  /**
   * Calls the tools, one after the other, in the conversation that is first in asking for it; once in a run. Where answers have
   * streams the next one is called when one takes its time.
   */
  run(peer: Peer): Promise<void> {
    this.running ??= this.callEach(peer).finally(this.resolveFinished);
    return this.running;
  }

  /** A conversation that is yet to begin is going to hold them: no other does. */
  reserve(): void {
    this.reserved = true;
  }

  /** That conversation is over, whether it came to it or not. */
  finish(): void {
    this.resolveFinished();
  }

  /**
   * Waits until it has been seen who plays some roles, or that nobody does.
   * @param peer where the tools are called, unless that has been announced elsewhere
   */
  async waitForRoles(roles: readonly FixtureRole[], peer: Peer): Promise<void> {
    if (!this.reserved) return this.run(peer);
    const found = new Promise<void>(resolve => {
      const look = () => roles.every(role => this.toolsByRole.has(role)) && resolve();
      this.roleListeners.add(look);
      look();
    });
    await Promise.race([found, this.finished, peer.closed()]);
  }

  /** Waits until all have been called, and those that take their time are known; not for ever, and not where nobody calls them. */
  async waitUntilTried(peer: Peer): Promise<void> {
    if (this.running || this.reserved) await waitFor(this.finished, peer.timing.answer / 2, peer.link.clock);
  }

  /** Waits for the tools that take their time, and cancels those that take too long. */
  async awaitSlowCalls(peer: Peer): Promise<void> {
    await Promise.all(
      this.slowCalls.splice(0).map(async ({ pending, until }) => {
        if (peer.conversation.repliesTo(pending.request).length > 0) return;
        const left = Math.max(0, until - performance.now());
        if (!(await waitFor(pending.done, left, peer.link.clock))) peer.cancel(pending);
      }),
    );
  }

  private async callEach(peer: Peer): Promise<void> {
    const all: Promise<void>[] = [];
    const tools = this.known.callable.slice(0, limits.tools);
    // the others are tried while these take their time
    const [slow = [], quick = []] = [true, false].map(is => tools.filter(t => this.mayBeSlow(t) === is));
    for (const tool of [...slow, ...quick]) {
      if (peer.ended) break;
      const call = this.call(peer, tool);
      const seen = this.watch(peer, call);
      all.push(seen);
      const came = await waitFor(seen, peer.timing.quiet / 2, peer.link.clock);
      // what it asks comes on the stream of its call: it is not mistaken for what the next one does
      if (!came && !streamOf(peer, call)) await seen;
    }
    await Promise.all(all);
  }

  private call(peer: Peer, tool: RoleTool): TrialCall {
    const token = `mcp-conform-${peer.nextId()}`;
    const pending = peer.start('tools/call', { ...tool }, { meta: { progressToken: token } });
    return { tool, token, pending, until: performance.now() + peer.timing.answer / 5 };
  }

  private async watch(peer: Peer, call: TrialCall): Promise<void> {
    // who has something to try meanwhile does not wait so long
    const windows = this.mayBeSlow(call.tool) ? 1 : 2;
    return (await isQuick(peer, call, windows))
      ? this.confirmRoles(peer, call)
      : this.hurry(peer, call, 2 - windows);
  }

  /** A tool plays a role when it does so twice: what it did once may have been by chance. */
  private async confirmRoles(peer: Peer, call: TrialCall): Promise<void> {
    const roles = rolesIn(peer, call).filter(role => !this.toolsByRole.has(role));
    if (roles.length === 0) return;
    const again = this.call(peer, call.tool);
    if (!(await isQuick(peer, again))) return void this.slowCalls.push(again);
    const twice = rolesIn(peer, again);
    for (const role of roles) if (twice.includes(role)) this.toolsByRole.set(role, call.tool);
    for (const look of this.roleListeners) look();
  }

  /**
   * What takes long often does because a number says so: the tool is called with the least of each that it can do without.
   * @param windows for how many more windows of silence it is not called slow
   */
  private async hurry(peer: Peer, slow: TrialCall, windows: number): Promise<void> {
    const inTime = isQuick(peer, slow, windows).then(quick => {
      if (!quick) this.known.slowTools.add(slow.tool.name);
      return quick;
    });
    const calls = this.lessOf(slow.tool).map(tool => this.call(peer, tool));
    const quick = await Promise.all(calls.map(call => isQuick(peer, call)));
    const late = [slow, ...calls.filter((_, n) => !quick[n])];
    // once the tool has been seen to answer, nobody waits for what takes longer than everything else
    if (quick.includes(true)) for (const call of late) call.until = 0;
    this.slowCalls.push(...late);
    for (const call of calls.filter((_, n) => quick[n])) await this.confirmRoles(peer, call);
    if (await inTime) await this.confirmRoles(peer, slow);
  }

  /** A number may say so, and the tool be called with less. */
  private mayBeSlow(tool: RoleTool): boolean {
    return this.numbersOf(tool).length > 0;
  }

  private lessOf(tool: RoleTool): RoleTool[] {
    return this.numbersOf(tool)
      .slice(0, limits.numbers)
      .map(([key, least]) => ({ ...tool, arguments: { ...tool.arguments, [key]: least } }));
  }

  /** The numbers that a tool takes but need not be given, and the least it may be given. */
  private numbersOf({ name, arguments: given = {} }: RoleTool): [string, number][] {
    const schema = this.known.tools.find(t => t.name === name)?.inputSchema;
    const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
    return Object.entries(properties)
      .filter(([key, property]) => !Object.hasOwn(given, key) && isNumber(property))
      .map(([key, property]) => [key, leastOf(property as JsonObject)]);
  }
}

const isQuick = (peer: Peer, { pending }: TrialCall, windows = 2): Promise<boolean> =>
  waitFor(pending.done, peer.timing.quiet * windows, peer.link.clock);

const isNumber = (schema: unknown): boolean =>
  isObject(schema) && (schema.type === 'number' || schema.type === 'integer');

const leastOf = ({ minimum, exclusiveMinimum }: JsonObject): number =>
  typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 0;

/** Which the call is answered with, if it is not answered with JSON. */
function streamOf({ conversation }: Peer, { pending }: TrialCall): HttpExchange | undefined {
  const http = conversation.httpOf(pending.request);
  return http?.isStream ? http : undefined;
}

/** What happened between a call and its answer, but for what came on the stream of another one. */
function rolesIn(peer: Peer, call: TrialCall): FixtureRole[] {
  const { conversation } = peer;
  const { request } = call.pending;
  const [reply] = conversation.repliesTo(request);
  const own = streamOf(peer, call);
  const during = (m: Message) => {
    const on = conversation.httpOf(m);
    const elsewhere = on?.request?.method === 'POST' && on !== own;
    return m.seq > request.seq && reply !== undefined && m.seq < reply.seq && !elsewhere;
  };
  const reports = conversation
    .notifications({ by: 'subject', method: 'notifications/progress' })
    .filter(m => during(m) && m.params?.progressToken === call.token);
  const asked = Object.entries(roleOfRequest).filter(([method]) =>
    conversation.requests({ by: 'subject', method }).some(during),
  );
  return [...asked.map(([, role]) => role), ...(reports.length > 1 ? ['progress' as const] : [])];
}
