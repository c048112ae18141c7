/** Whether the subject has processed earlier input, whether it still responds, and why it does not. */

import type { Role } from '../../spec/json-rpc.js';
import type { Conversation } from '../record/conversation.js';
import type { Event } from '../record/event.js';
import { fatalMessage, lastOutput } from '../record/fatal-message.js';
import { endInWords, type Message } from '../record/message.js';
import type { Link } from '../transports/link.js';
import { NotObserved } from './deferred.js';
import type { InputRounds } from './input-rounds.js';
import type { Waits } from './waits.js';

/** Observations after input that requires no response. */
export interface BarrierResult {
  /** The first recorded event of the input. */
  readonly sent: Event;
  /** True if the following barrier got a response, or a refusal replaced that response. */
  readonly alive: boolean;
  /** For a barrier without response: the reason in words, and the events that show the reason. */
  readonly silenceReason: Silence;
  /** Replies that match no other request and arrived before the response to the barrier. */
  readonly unmatchedReplies: readonly Message[];
}

/** The reason why no more responses arrive: the process has exited, or is unresponsive. */
interface Silence {
  readonly why: string | undefined;
  readonly shownBy: readonly Event[];
}

interface LivenessTarget {
  readonly link: Link;
  readonly conversation: Conversation;
  readonly role: Role;
  readonly waits: Waits;
  /** Sends the request of a barrier; whether a response has arrived. */
  ping(): Promise<boolean>;
  /** Where the harness may send no requests: the rounds of input that replace them. */
  rounds(): InputRounds | undefined;
  /** The request of the subject that a round can use. */
  openRequest(): Message | undefined;
}

export class Liveness {
  /**
   * True if neither a request nor the following ping got a response in time: the conversation is of no
   * further use.
   */
  unresponsive = false;

  constructor(private readonly target: LivenessTarget) {}

  async barrier(): Promise<boolean> {
    if (this.target.waits.ended || this.unresponsive) return false;
    const rounds = this.target.rounds();
    if (rounds) return this.roundAsBarrier(rounds);
    const responds = await this.target.ping();
    if (!responds) this.unresponsive = true;
    return responds;
  }

  /**
   * A client without a handshake gets no requests. Where it has an open request that may be asked again, the
   * retry is the barrier; without such a request nothing but the end of the conversation shows anything.
   * @throws {NotObserved} when the client does not send the request again, which it is free to do
   */
  private async roundAsBarrier(rounds: InputRounds): Promise<boolean> {
    const { waits } = this.target;
    const open = this.target.openRequest();
    if (rounds.canCarry(open)) {
      if (await rounds.barrier(open)) return true;
      if (waits.ended) return false;
      throw new NotObserved('the client does not send a request again whose result asks for nothing');
    }
    await waits.pause();
    return !waits.ended;
  }

  async quietWindow(): Promise<boolean> {
    const { waits, rounds } = this.target;
    await waits.quiet();
    return rounds() ? !waits.ended : this.barrier();
  }

  /** Runs `write`, which sends input that requires no response, then waits for a barrier. */
  async afterInput(write: () => void, trusting: boolean): Promise<BarrierResult> {
    const { conversation } = this.target;
    const before = conversation.events.length;
    write();
    const after = conversation.events.length;
    const frames = conversation.events.slice(before, after);
    const alive = await this.isProcessed(frames, trusting);
    const own = (reply: Message) => {
      const request = conversation.requestOf(reply);
      return !request || frames.includes(request.frame);
    };
    const said = conversation.events.slice(after);
    return {
      sent: frames.find(event => event.kind === 'frame') ?? conversation.events[before]!,
      alive,
      silenceReason: alive ? { why: undefined, shownBy: [] } : this.silence(),
      unmatchedReplies: conversation.replies({ by: 'subject' }).filter(m => said.includes(m.frame) && own(m)),
    };
  }

  /**
   * Whether the subject has processed the given input; false when even a ping after the input gets no
   * response. Where each message has its own exchange, the pong may arrive before the reaction: a server
   * reacts on the exchange of the message; a client has reacted before it gets a second ping, whose response
   * comes later still.
   */
  private async isProcessed(said: readonly Event[], trusting: boolean): Promise<boolean> {
    const { link, role, conversation, waits } = this.target;
    if (link.transport !== 'streamable-http') return this.barrier();
    if (role === 'server') {
      const alive = await this.barrier();
      await this.barrier();
      return alive;
    }
    const numbers = said.flatMap(event => (event.kind === 'frame' ? (event.exchange ?? []) : []));
    const posts = () => conversation.http().filter(post => numbers.includes(post.number));
    const areOver = () => posts().length === numbers.length && posts().every(post => post.end);
    await waits.until(areOver);
    const isRefused = numbers.length > 0 && areOver() && posts().every(({ status = 0 }) => status >= 400);
    return (trusting && isRefused) || this.barrier();
  }

  /** Events that show why the last barrier got no response. */
  silence(): Silence {
    const { conversation, role, link } = this.target;
    const { exit } = conversation;
    if (exit) {
      const fatal = fatalMessage(conversation);
      const shownBy = [...(fatal ? [fatal] : []), ...lastOutput(conversation), exit];
      // over stdio the process that a client ends is the one of the harness
      const how = exit.signal
        ? `ended the server process (${exit.signal})`
        : 'closed the input of the server';
      return { why: role === 'client' ? endInWords(exit) : `the client ${how}`, shownBy };
    }
    const deadline = conversation.eventsOf('deadline').at(-1);
    const leave = conversation.http().find(e => e.request?.method === 'DELETE')?.request;
    if (role === 'server' && leave && leave.seq > (deadline?.seq ?? 0))
      return { why: 'the client ended the session', shownBy: [leave] };
    const probed =
      role === 'server' ? conversation.requests({ by: 'peer', method: 'ping' }).at(-1) : undefined;
    const stream = probed && conversation.httpOf(probed);
    if (stream?.end && stream.closedBy === 'client' && stream.end.seq > (deadline?.seq ?? 0))
      return { why: 'the client closed the stream', shownBy: [probed!.frame, stream.end] };
    const { failure } = link;
    const refusal = conversation.http().findLast(({ status = 0 }) => status >= 400)?.response;
    if (failure) return { why: failure.reason, shownBy: refusal ? [refusal] : [] };
    const probe = role === 'client' ? conversation.requests({ by: 'peer' }).at(-1) : undefined;
    const post = probe && conversation.httpOf(probe);
    const isEmpty = post?.closedBy === 'server' && conversation.repliesTo(probe!).length === 0;
    if (isEmpty && post.end!.seq > (deadline?.seq ?? 0))
      return {
        why: `the HTTP response to ${probe!.method} ended without a message`,
        shownBy: [probe!.frame, ...post.ends, post.end!],
      };
    return {
      why: deadline && `no message within ${deadline.ms} ms`,
      shownBy: deadline ? [deadline] : [],
    };
  }

  /** True if no frame has arrived since the last timeout of a response. */
  get noTrafficSinceTimeout(): boolean {
    const { conversation } = this.target;
    const deadline = conversation.eventsOf('deadline').findLast(d => d.label === 'answer');
    return deadline !== undefined && (conversation.frames('subject').at(-1)?.seq ?? 0) < deadline.seq;
  }
}
