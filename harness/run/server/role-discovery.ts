/**
 * Role discovery: finds the roles of the tools of an unknown server by calling each callable tool and
 * observing its messages.
 */

import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { Peer } from '../../peer/peer.js';
import type { Pending } from '../../peer/requests.js';
import { envelopeKeys } from '../../record/envelope.js';
import type { HttpExchange } from '../../record/http-exchange.js';
import type { Message } from '../../record/message.js';
import { questionsOf } from '../../record/questions.js';
import type { Known } from '../../scenario/scenario.js';
import type { FixtureRole, RoleTool } from '../../scenario/tool-roles.js';
import { waitFor } from '../../time/clock.js';

/** Upper limits: more tools, or more numbers per tool, give no more information. */
const limits = { tools: 25, numbers: 4 };

const roleOfRequest = { 'sampling/createMessage': 'sampling', 'elicitation/create': 'elicitation' } as const;

interface TrialCall {
  readonly tool: RoleTool;
  /** The progress token of the call. */
  readonly token: string;
  readonly pending: Pending;
  /** Time at which the wait for the response ends. */
  until: number;
}

export class RoleDiscovery {
  private running: Promise<void> | undefined;
  private reserved = false;
  /** True once each tool has been called. */
  private isOver = false;
  private resolveFinished: () => void = () => {};
  private readonly finished = new Promise<void>(resolve => {
    this.resolveFinished = () => {
      this.isOver = true;
      resolve();
    };
  });
  private readonly slowCalls: TrialCall[] = [];
  /** Tools that showed a role, but whose response took too long, by this role. */
  private readonly unfinished = new Map<FixtureRole, string>();
  /** Callbacks that run when a tool with a role is found. */
  private readonly roleListeners = new Set<() => void>();

  /** @param toolsByRole map to which found tools are added */
  constructor(
    private readonly known: Known,
    private readonly toolsByRole: Map<FixtureRole, RoleTool>,
  ) {}

  /**
   * Calls the tools, one after the other, in the first conversation that requests role discovery; once in a
   * run. Where responses have streams, the next tool is called while a slow one is pending.
   */
  run(peer: Peer): Promise<void> {
    this.running ??= this.callEach(peer).finally(this.resolveFinished);
    return this.running;
  }

  /**
   * Announces that a conversation which has not begun yet runs role discovery; no other conversation runs it.
   */
  reserve(): void {
    this.reserved = true;
  }

  /** The announced conversation has ended, with or without role discovery. */
  finish(): void {
    this.resolveFinished();
  }

  /**
   * Waits until the given roles are found, or until role discovery ends.
   * @param peer conversation in which the tools are called, unless another one was announced; without it, role discovery
   * does not begin here
   */
  async waitForRoles(roles: readonly FixtureRole[], peer?: Peer): Promise<void> {
    if (!this.reserved) return peer ? this.run(peer) : this.running;
    const found = new Promise<void>(resolve => {
      const look = () => roles.every(role => this.toolsByRole.has(role)) && resolve();
      this.roleListeners.add(look);
      look();
    });
    await Promise.race([found, this.finished, ...(peer ? [peer.closed()] : [])]);
  }

  /** Waits for role discovery, if it is running. @returns a role that no tool has; undefined before role discovery */
  async roleWithoutTool(roles: readonly FixtureRole[]): Promise<FixtureRole | undefined> {
    if (roles.length === 0) return undefined;
    await this.waitForRoles(roles);
    return this.isOver ? this.missing(roles) : undefined;
  }

  /** A role that no tool has so far. */
  missing(roles: readonly FixtureRole[]): FixtureRole | undefined {
    return roles.find(role => !this.toolsByRole.has(role));
  }

  /** The name of a tool that showed a role, but whose response took too long. */
  unfinishedTool(role: FixtureRole): string | undefined {
    return this.unfinished.get(role);
  }

  /**
   * Waits until all tools have been called and the slow ones are known. The wait has a time limit, and ends
   * at once where no conversation runs role discovery.
   */
  async waitUntilTried(peer: Peer): Promise<void> {
    if (this.running || this.reserved) await waitFor(this.finished, peer.timing.answer / 2, peer.link.clock);
  }

  /** Waits for the slow calls, and cancels each call whose time limit has passed. */
  async awaitSlowCalls(peer: Peer): Promise<void> {
    await Promise.all(
      this.slowCalls.splice(0).map(async call => {
        const { pending, until, tool } = call;
        const isAnswered = () => peer.conversation.repliesTo(pending.request).length > 0;
        const left = Math.max(0, until - performance.now());
        if (!isAnswered() && !(await waitFor(pending.done, left, peer.link.clock))) peer.cancel(pending);
        // a call with smaller numbers says nothing about the usual one
        const isUsual = this.known.callable.some(usual => usual === tool);
        if (!isAnswered() || !isUsual || !this.known.slowTools.has(tool.name)) return;
        // a program may load a part of itself at its first call
        const again = this.call(peer, tool);
        if (await isQuick(peer, again)) this.known.slowTools.delete(tool.name);
        else peer.cancel(again.pending);
      }),
    );
  }

  private async callEach(peer: Peer): Promise<void> {
    // a process that has just started takes longer for its first response, and without a handshake that is the first call
    if (this.known.callable.length > 0) await peer.barrier();
    const all: Promise<void>[] = [];
    const tools = this.known.callable.slice(0, limits.tools);
    // the other tools are called while these calls are pending
    const [slow = [], quick = []] = [true, false].map(is => tools.filter(t => this.mayBeSlow(t) === is));
    for (const tool of [...slow, ...quick]) {
      if (peer.ended) break;
      const call = this.call(peer, tool);
      const seen = this.watch(peer, call);
      all.push(seen);
      const came = await waitFor(seen, peer.timing.quiet / 2, peer.link.clock);
      // requests of this tool arrive on the stream of its call: they are not attributed to the next tool
      if (!came && !streamOf(peer, call)) await seen;
    }
    await Promise.all(all);
  }

  private call(peer: Peer, tool: RoleTool): TrialCall {
    const token = `mcp-conform-${peer.nextId()}`;
    // without a handshake, a call that names no level gets no log messages
    const level = peer.conversation.isStateless ? { [envelopeKeys.logLevel]: 'debug' } : {};
    const pending = peer.start('tools/call', { ...tool }, { meta: { progressToken: token, ...level } });
    return { tool, token, pending, until: performance.now() + peer.timing.answer / 5 };
  }

  private async watch(peer: Peer, call: TrialCall): Promise<void> {
    // a tool with smaller numbers left to try gets a shorter wait
    const windows = this.mayBeSlow(call.tool) ? 1 : 2;
    return (await isQuick(peer, call, windows))
      ? this.confirmRoles(peer, call)
      : this.hurry(peer, call, 2 - windows);
  }

  /** A tool gets a role after two calls with the same behaviour: one call alone may show it by chance. */
  private async confirmRoles(peer: Peer, call: TrialCall): Promise<void> {
    const roles = rolesIn(peer, call).filter(role => !this.toolsByRole.has(role));
    if (roles.length === 0) return;
    const again = this.call(peer, call.tool);
    if (!(await isQuick(peer, again))) {
      for (const role of roles) this.unfinished.set(role, call.tool.name);
      return void this.slowCalls.push(again);
    }
    const twice = rolesIn(peer, again);
    const tool = { ...call.tool, isDiscovered: true };
    for (const role of roles) if (twice.includes(role)) this.toolsByRole.set(role, tool);
    for (const look of this.roleListeners) look();
  }

  /**
   * A number argument is a frequent cause of a slow call: calls the tool with the minimum of each optional
   * number.
   * @param windows number of further quiet windows before the tool counts as slow
   */
  private async hurry(peer: Peer, slow: TrialCall, windows: number): Promise<void> {
    const inTime = isQuick(peer, slow, windows).then(quick => {
      if (!quick) {
        this.known.slowTools.add(slow.tool.name);
        const roles: FixtureRole[] = rolesAsked(peer, slow, Infinity);
        if (progressOf(peer, slow).length > 1) roles.push('progress');
        for (const role of roles) this.unfinished.set(role, slow.tool.name);
      }
      return quick;
    });
    const calls = this.lessOf(slow.tool).map(tool => this.call(peer, tool));
    const quick = await Promise.all(calls.map(call => isQuick(peer, call)));
    const late = [slow, ...calls.filter((_, n) => !quick[n])];
    // after one response of the tool, calls that last longer than all others are not waited for
    if (quick.includes(true)) for (const call of late) call.until = 0;
    this.slowCalls.push(...late);
    for (const call of calls.filter((_, n) => quick[n])) await this.confirmRoles(peer, call);
    if (await inTime) await this.confirmRoles(peer, slow);
  }

  /** True if the tool has an optional number, so that a call with a smaller one is possible. */
  private mayBeSlow(tool: RoleTool): boolean {
    return this.numbersOf(tool).length > 0;
  }

  private lessOf(tool: RoleTool): RoleTool[] {
    return this.numbersOf(tool)
      .slice(0, limits.numbers)
      .map(([key, least]) => ({ ...tool, arguments: { ...tool.arguments, [key]: least } }));
  }

  /** Optional numbers of a tool, each with its minimum. */
  private numbersOf({ name, arguments: given = {} }: RoleTool): [string, number][] {
    const schema = this.known.tools.find(t => t.name === name)?.inputSchema;
    const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
    return Object.entries(properties)
      .filter(([key, property]) => !Object.hasOwn(given, key) && isNumber(property))
      .map(([key, property]) => [key, leastOf(property as JsonObject)]);
  }
}

async function isQuick(peer: Peer, { pending, until }: TrialCall, windows = 2): Promise<boolean> {
  const { clock } = peer.link;
  const overdue = await clock.waitAtMost(pending.done, peer.timing.quiet * windows);
  // the machine was busy with other processes: the time of the tool is not known yet
  if (overdue?.starved) return waitFor(pending.done, Math.max(0, until - performance.now()), clock);
  return overdue === undefined;
}

const isNumber = (schema: unknown): boolean =>
  isObject(schema) && (schema.type === 'number' || schema.type === 'integer');

const leastOf = ({ minimum, exclusiveMinimum }: JsonObject): number =>
  typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 0;

/** The stream with the response of the call; undefined for a JSON response. */
function streamOf({ conversation }: Peer, { pending }: TrialCall): HttpExchange | undefined {
  const http = conversation.httpOf(pending.request);
  return http?.isStream ? http : undefined;
}

/** Whether a message may belong to a call: it is later, and not on the stream of another call. */
function mayBelong(peer: Peer, call: TrialCall, m: Message): boolean {
  const on = peer.conversation.httpOf(m);
  const elsewhere = on?.request?.method === 'POST' && on !== streamOf(peer, call);
  return m.seq > call.pending.request.seq && !elsewhere;
}

const progressOf = ({ conversation }: Peer, { token }: TrialCall): readonly Message[] =>
  conversation
    .notifications({ by: 'subject', method: 'notifications/progress' })
    .filter(m => m.params?.progressToken === token);

/** Roles of the questions between a call and another message. @param before the number of this message */
function rolesAsked(peer: Peer, call: TrialCall, before: number): FixtureRole[] {
  // a question inside of an input-required result has the number of the result
  return Object.entries(roleOfRequest).flatMap(([method, role]) =>
    questionsOf(peer.conversation, method).some(
      ({ request: m }) => m.seq === before || (m.seq < before && mayBelong(peer, call, m)),
    )
      ? [role]
      : [],
  );
}

/**
 * Roles visible between a call and its response, and in the response, without the messages on the streams of
 * other calls.
 */
function rolesIn(peer: Peer, call: TrialCall): FixtureRole[] {
  const { conversation } = peer;
  const [reply] = conversation.repliesTo(call.pending.request);
  if (!reply) return [];
  const isBefore = (m: Message) => m.seq < reply.seq && mayBelong(peer, call, m);
  const logs = conversation.notifications({ by: 'subject', method: 'notifications/message' });
  return [
    ...rolesAsked(peer, call, reply.seq),
    ...(progressOf(peer, call).filter(isBefore).length > 1 ? ['progress' as const] : []),
    ...(logs.some(isBefore) ? ['logging' as const] : []),
  ];
}
