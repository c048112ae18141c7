/** The number of pings. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';

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
    if (end >= 0) yield fail(`at most ${many} in ${window / 1000} s`, [pings[end - many], pings[end]]);
    else if (pings[0]) yield pass([pings[0]]);
  }),
];
