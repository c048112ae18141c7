/** The number of pings, and the response to a ping. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { resultOf } from '../../../harness/record/message.js';

/** The specification defines no number: only an extreme rate is reported. */
const many = 50;
const window = 10_000;

export const rules = [
  rule('ping.not-excessive', function* (conversation) {
    const pings = conversation.requests({ by: 'subject', method: 'ping' });
    const { schedulingDelay } = conversation;
    const end = pings.findIndex(
      (m, i) => i >= many && m.frame.at - pings[i - many]!.frame.at + schedulingDelay < window,
    );
    if (end >= 0)
      yield fail(`at most ${many} in ${window / 1000} s`, [pings[end - many], pings[end]], 'more');
    else if (pings[0]) yield pass([pings[0]]);
  }),

  rule.each(
    'ping.result-without-members',
    conversation => conversation.exchanges({ by: 'peer', method: 'ping' }),
    exchange => {
      const result = resultOf(exchange);
      if (!result) return undefined;
      const evidence = [exchange.request, exchange.reply];
      const further = Object.keys(result).filter(name => name !== '_meta');
      return further.length === 0
        ? pass(evidence)
        : fail('an empty result', evidence, JSON.stringify(result).slice(0, 200));
    },
  ),
];
