/**
 * False alarms about conforming programs that were met on real software, and what keeps each of them away: quirks,
 * tests, and examples of rules (`row: kind`, in `suites/rules`).
 */

interface Met {
  /** The finding, and why it was wrong. */
  readonly what: string;
  readonly quirks?: readonly string[];
  /** File, and title of the test. */
  readonly tests?: readonly (readonly [file: string, title: string])[];
  /** Rows with an example of the record that raised the alarm. */
  readonly examples?: readonly string[];
}

const hostileClient = 'suites/selftest/hostile-client.test.ts';

export const falseAlarms: Readonly<Record<string, Met>> = {
  F1: {
    what: 'A server that answers at the closing brace, before the newline, has its response paired with the next request.',
    quirks: ['answers-at-closing-brace'],
    tests: [
      [
        'harness/transports/stdio/line-writer.test.ts',
        'a line in pieces is recorded when its JSON is whole, before its last byte is sent',
      ],
    ],
  },
  F2: {
    what: 'A POST with status 404 and a JSON-RPC error is taken for a missing endpoint of HTTP with SSE.',
    examples: ['http-sse.two-endpoints'],
  },
  F3: {
    what: 'A second GET of a session that gets status 400 is taken for a server without the GET method.',
    examples: ['streamable-http.get-sse-or-405', 'streamable-http.second-get-stream'],
  },
  F4: {
    what: 'An error body of another POST with the id of an open ping is taken for its second response.',
    examples: ['jsonrpc.response-id-matches'],
  },
  F5: {
    what: 'A repeated event with other data is taken for another event with the same id.',
    examples: ['streamable-http.event-id-unique'],
  },
  F6: {
    what: 'A client that prints the authorization address, and waits for its user, is said to ignore status 401.',
    tests: [
      [
        hostileClient,
        'waits-for-user %s: the address of the authorization request is followed where it can be read',
      ],
    ],
  },
  F7: {
    what: 'A response that crosses the cancellation of its request is taken for a late one.',
    examples: ['cancellation.no-response'],
  },
  F8: {
    what: 'Status 404 of a GET that was open when its session was deleted is taken for a missing endpoint.',
    examples: ['streamable-http.get-sse-or-405', 'streamable-http.single-endpoint'],
  },
  F9: {
    what: 'A bare 401 for a token outside of the Authorization header is a violation, although no token is a warning.',
    examples: ['auth.challenge-present'],
  },
  F10: {
    what: 'Progress in a POST of a client that crosses the end of its task is taken for progress after it.',
    quirks: ['posts-progress-slowly'],
    tests: [
      [
        'suites/selftest/client-order.test.ts',
        'progress that takes long on the wire reaches the server before the end of its task',
      ],
      [
        'suites/rules/derived/order.test.ts',
        'not on another connection, even with a request and its response in between',
      ],
    ],
  },
  F11: {
    what: 'A server without sessions or GET streams ends with inconclusive rows under --fixtures.',
    quirks: ['no-get-stream'],
    tests: [['suites/selftest/reference-http.test.ts', '$id, $name: nothing fails']],
  },
  F12: {
    what: 'A secret that occurs in the id of a requirement ends the run with a defect.',
    tests: [
      [
        'harness/report/hide.test.ts',
        'a secret that occurs in the id of a requirement changes the texts and not the id',
      ],
    ],
  },
  F13: {
    what: 'A client that requests metadata before its first 401 is said to use the wrong order of the fallback.',
    quirks: ['client-auth-looks-ahead'],
  },
  F14: {
    what: 'A client whose user rejects sampling is said not to validate messages.',
    quirks: ['user-rejects-all-sampling'],
  },
  F15: {
    what: 'A request beside a lost stream is taken for a client that gives the stream up.',
    tests: [
      [
        hostileClient,
        'lists-first: a request before the stream was lost does not show that the client gave up',
      ],
    ],
  },
  F16: {
    what: 'A client that takes an error of tasks/result as the end of its task is said not to poll it.',
    quirks: ['task-ends-with-error-of-result'],
  },
  F17: {
    what: 'A second response under the id 0 is paired with the request "0".',
    examples: ['jsonrpc.request-answered-once'],
  },
};
