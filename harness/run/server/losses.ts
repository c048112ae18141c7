/** Conversations of one revision that were lost: after too many of them no further one starts. */

import type { TransportId } from '../../../spec/revisions.js';
import type { Peer } from '../../peer/peer.js';
import { overflowInWords } from '../../record/message.js';

/** So many lost conversations are borne, so that the run against a broken subject ends in bounded time. */
const most = { dead: 20, mute: 3 };

export class Losses {
  /** Conversations that ended unexpectedly, that ended at a limit of the harness, or that became unresponsive. */
  private dead = 0;
  private cutOff = 0;
  private mute = 0;
  /** The last limit at which the harness stopped reading, in words. */
  private limit = '';

  constructor(private readonly transport: TransportId) {}

  count(peer: Peer): void {
    const [overflow] = peer.conversation.eventsOf('overflow');
    if (overflow) this.limit = overflowInWords(overflow);
    if (peer.ended && overflow) this.cutOff++;
    else if (peer.ended) this.dead++;
    else if (peer.liveness.unresponsive || peer.liveness.noTrafficSinceTimeout) this.mute++;
  }

  /** True if no further conversation starts. */
  get areTooMany(): boolean {
    return this.dead + this.cutOff > most.dead || this.mute > most.mute;
  }

  /** The reason why a case is not run. */
  get inWords(): string {
    const { transport, dead, cutOff, mute } = this;
    const losses = [
      ...(dead > 0
        ? [`${transport === 'stdio' ? 'exited' : 'ended the conversation'} ${timesOf(dead)}`]
        : []),
      ...(cutOff > 0 ? [`was cut off ${timesOf(cutOff)} at ${this.limit}`] : []),
      ...(mute > 0 ? [`did not respond ${timesOf(mute)}`] : []),
    ];
    return `not run: the server ${losses.join(' and ')} before`;
  }
}

const timesOf = (count: number): string => (count === 1 ? 'once' : `${count} times`);
