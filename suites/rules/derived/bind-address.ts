/** The addresses at which a server that the harness started accepts connections. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';

const loopbackOnly = (row: 'streamable-http.bind-localhost' | 'http-sse.bind-localhost') =>
  rule(row, function* (conversation) {
    for (const reach of conversation.eventsOf('reach'))
      yield reach.accepted
        ? fail('connections over loopback only', [reach], `connections at ${reach.address}`)
        : pass([reach]);
  });

export const rules = [
  loopbackOnly('streamable-http.bind-localhost'),
  loopbackOnly('http-sse.bind-localhost'),
];
