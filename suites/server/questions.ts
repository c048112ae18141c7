/** What tools ask of the client while they are called. */

import type { Peer } from '../../harness/peer/peer.js';
import type { Exchange } from '../../harness/record/message.js';

/** Why what only such a question shows was not seen. */
export const neverAsked = 'the tool asks nothing';

/** Whether the server has asked something of our end since a call was made. */
export const asksSince = ({ conversation }: Peer, { request }: Exchange, method: string): boolean =>
  conversation.requests({ by: 'subject', method }).some(m => m.seq > request.seq);
