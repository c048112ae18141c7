/** Where a transport reports its events. */

import type { NewEvent } from './event.js';
import type { Message } from './message.js';

/** Receives the observations of a transport; returns the messages found in a frame. */
export type Tap = (event: NewEvent) => Message[];
