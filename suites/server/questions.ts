/** Requests that tools send to the client during a call. */

import type { Peer } from '../../harness/peer/peer.js';
import type { Exchange } from '../../harness/record/message.js';
import { questionsOf } from '../../harness/record/questions.js';

/** The reason why a row about such requests was not observed. */
export const neverAsked = 'the tool sends no request to the client';

/** Whether the server has sent a request to the harness since a call was made. */
export const asksSince = (
  { conversation }: Peer,
  { request, first = request }: Exchange,
  method: string,
): boolean => questionsOf(conversation, method).some(q => q.request.seq > first.seq);
