/** The interface for the author of a case about gateways: steps that send messages through it, rules that compare both sides. */

import type { RequirementId } from '../../spec/requirement.js';
import type { EraId, TransportId } from '../../spec/revisions.js';
import type { Judgement } from '../judge/finding.js';
import type { Peer } from '../peer/peer.js';
import type { Conversation } from '../record/conversation.js';

export interface GatewayStepTools {
  /** The harness as the client of the gateway; its conversation is open. */
  readonly peer: Peer;
  /** Another client, whose conversation is open; the same one in all steps. */
  another(): Promise<Peer>;
  /** The transport on the side of the server. */
  readonly behind: TransportId;
}

/** Messages of a conforming client, so that a gateway which passes everything on breaks no rule. */
export interface GatewayStep {
  /** `gateway/<name>`. */
  readonly name: string;
  readonly title: string;
  readonly era?: EraId;
  /** Transports on the side of the client; default: all. */
  readonly over?: readonly TransportId[];
  /** The requirements that the step gives an occasion for. */
  readonly verifies: readonly RequirementId[];
  run(tools: GatewayStepTools): Promise<void>;
}

/** The conversations on both sides of a gateway: with the clients of the harness, and with the server of the harness. */
export interface Passage {
  readonly front: readonly Conversation[];
  readonly back: readonly Conversation[];
  readonly transports: { readonly front: TransportId; readonly back: TransportId };
}

/** Judges a gateway by what arrived on both sides; one judgement per item, none where nothing was observed. */
export interface GatewayRule {
  readonly requirement: RequirementId;
  readonly judge: (passage: Passage) => Iterable<Judgement>;
}

export const gatewayRule = (requirement: RequirementId, judge: GatewayRule['judge']): GatewayRule => ({
  requirement,
  judge,
});
