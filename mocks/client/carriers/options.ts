/** The parts of the client that a carrier uses. */

import type { Arranged } from '../authorization-behaviour.js';
import type { ClientBehaviour } from '../behaviour.js';
import type { ClientDeviations } from '../deviations.js';
import type { CarrierEvents } from './carrier.js';

export interface CarrierOptions {
  readonly events: CarrierEvents;
  readonly deviations: ClientDeviations;
  readonly habits: ClientBehaviour;
  /** Preconfigured client credentials for authorization servers. */
  readonly arranged: Arranged;
  /** Receives each URL that is opened for the user. */
  readonly onOpen: (address: string) => void;
}
