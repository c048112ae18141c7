/**
 * What the report of a run has to name, for the first place of each behaviour: the reason or the finding that is right.
 * Most texts were written from a report; `npm run hostile` compares them. Behaviours that are missing here are judged by the other bounds only.
 */

const inHttp = (what: string) => new RegExp(`did not answer initialize in HTTP: .*${what}`);
const tooMuch = (what: string) => new RegExp(`wrote too much.*: ${what}.*, the limit`);
const status = (what: string) => new RegExp(`answered initialize with ${what}`);
const redirected = (what: string) => new RegExp(`redirects initialize to another URL \\(${what}`);
const violation = (requirement: string, more = '') =>
  new RegExp(`^violation ${requirement.replaceAll('.', '\\.')}: .*${more}`, 'm');
const silent = /^violation jsonrpc\.request-answered-once: .*none within/m;
const ended = (how: string) =>
  violation('jsonrpc.request-answered-once', `the process ended \\(${how}\\) with the request in flight`);
const notInTime =
  /did not answer initialize within 10 s|did not finish within 10 s|time limit of|late for 40 s/;
const notHttp = inHttp('does not match the HTTP/1.1 protocol');
const bytes = tooMuch('a message of more than 8388608 bytes');
const memory = /the input of the run needs more than 160 MB of memory/;
const either = (...texts: readonly RegExp[]) => new RegExp(texts.map(({ source }) => source).join('|'), 'm');
const noRevision = /(offers no|refuses \S+ in each) revision that mcp-conform supports/;
const noId = violation('jsonrpc.response-id-matches', 'id ');
const notThisTransport = /is no MCP server of this transport/;
const redirect = '30\\d ';

export const shows: Readonly<Record<string, RegExp>> = {
  'server/exits-at-once': /The server exited with code 3 before it answered initialize/,
  'server/crashes-with-a-long-message': /the process ended \(exit code 1\)|exited with code 1/,
  'server/never-listens': /Nothing could be sent to http|did not accept connections at http/,
  'server/hangs': notInTime,
  'server/spins-at-the-start': notInTime,
  'server/hangs-after-initialize': silent,
  'server/hangs-when-called': silent,
  'server/stops-itself': silent,
  'server/answers-late': /the server was late for 40 s in total/,
  'server/spins-when-called': /none within 10000 ms|late for 40 s|time limit of/,
  'server/ignores-signals': /^note stdio\.server-exits-on-eof: .*still running after 2000 ms/m,
  'server/kills-itself-when-called': ended('SIGKILL'),
  'server/exits-after-each-response': ended('exit code 0'),
  'server/dies-of-unknown-methods': ended('exit code 1'),
  'server/exits-in-a-message': ended('exit code 0'),
  'server/endless-line': bytes,
  'server/endless-json-line': bytes,
  'server/batch-of-100,000': bytes,
  'server/line-of-60-mb': /a message of more than 8388608 bytes, the limit/,
  'server/floods-lines': violation('stdio.server-stdout-pure', 'no message at all'),
  'server/prints-garbage': violation('stdio.server-stdout-pure', 'Server listening'),
  'server/two-messages-in-a-line': violation('stdio.no-embedded-newlines'),
  'server/half-a-message': violation('stdio.server-stdout-pure'),
  'server/object-as-id': violation('jsonrpc.response-id-matches', '\\{"toString":1\\}'),
  'server/huge-id': violation('jsonrpc.response-id-matches', 'id "xxx'),
  'server/wrong-ids': noId,
  'server/null-ids': violation('jsonrpc.response-id-matches', 'id null'),
  'server/responds-twice': violation('jsonrpc.request-answered-once', '2 of them'),
  'server/deep-in-meta': tooMuch('a message with a depth of more than 500'),
  'server/deep-arrays': tooMuch('a message with more than 250000 values'),
  'server/million-values': tooMuch('a message with more than 250000 values'),
  'server/version-of-1-mb': noRevision,
  'server/initialize-of-arrays': /answered initialize with protocolVersion \[\]/,
  'server/closes-connections': inHttp('ECONNRESET|other side closed'),
  'server/resets-connections': inHttp('ECONNRESET'),
  'server/speaks-another-protocol': notHttp,
  'server/sends-random-bytes': notHttp,
  'server/http-0-9': notHttp,
  'server/negative-length': notHttp,
  'server/endless-head': inHttp('Headers Overflow'),
  'server/endless-trailers': /HEADERS_OVERFLOW/,
  'server/endless-continue': inHttp('bad response'),
  'server/endless-status-line': inHttp('besides the heads and bodies'),
  'server/endless-informational': inHttp('besides the heads and bodies'),
  'server/chunk-extension-without-end': /besides the heads and bodies/,
  'server/accepts-and-waits': notInTime,
  'server/head-byte-by-byte': notInTime,
  'server/huge-chunk-size': /began to answer initialize, but did not finish within 10 s/,
  'server/status-of-000': notHttp,
  'server/status-of-999': status('999'),
  'server/http-1-0': noRevision,
  'server/two-lengths': inHttp('content-length'),
  'server/length-and-chunks': inHttp('content-length'),
  'server/broken-chunks': /the connection broke .* before the reply/,
  'server/shorter-than-said': /the connection broke .* before the reply/,
  'server/head-of-60-kb': /did not answer initialize: the response ended before the reply/,
  'server/more-than-asked': notThisTransport,
  'server/ten-thousand-cookies': notThisTransport,
  'server/html-page': notThisTransport,
  'server/no-content': notThisTransport,
  'server/accepts-everything': notThisTransport,
  'server/html-page-with-404': status('404'),
  'server/always-500': status('500'),
  'server/always-401': /requires authorization: it answered initialize with 401/,
  'server/always-429': /limits the rate of requests \(Retry-After: 999999\)/,
  'server/upgrade-required': status('426'),
  'server/redirects-to-itself': redirected(redirect),
  'server/redirects-to-the-canary': redirected(redirect),
  'server/redirects-to-a-file': redirected(redirect),
  'server/endless-error-body': bytes,
  'server/endless-body': /a message of more than 8388608 bytes, the limit/,
  'server/body-of-60-mb': /a message of more than 8388608 bytes, the limit/,
  'server/never-ends-the-head': silent,
  'server/never-sends-a-body': silent,
  'server/body-byte-by-byte': silent,
  'server/always-503-later': /the last 30 responses have status 503/,
  'server/discover-hangs': /did not answer server\/discover within 10 s/,
  'server/discover-is-garbage': violation('discover.result-shape', '"length":1000000000'),
  'server/discover-of-7-mb': memory,
  'server/discover-changes': /server\/discover with supportedVersions \["2099-01-01"\]/,
  'server/discover-asks-for-input': violation('mrtr.no-other-requests', 'input_required'),
  'server/deep-capabilities': /server\/discover: a message with a depth of more than 500/,
  'server/versions-refused-in-a-circle': violation('error-codes.defined-meaning', '"\\d{4}-'),
  'server/refused-version-of-any-type': noRevision,
  'server/ten-thousand-extensions': violation('versioning.extension-identifiers', '"m0"'),
  'server/state-of-7-mb': memory,
  'server/state-that-grows': memory,
  'server/state-of-any-type': violation('base.schema-valid', '\\{"toString":1\\}'),
  'server/input-of-unknown-methods': violation('mrtr.request-kinds', '"tools/call"'),
  'server/input-of-prototype-names': violation('mrtr.only-declared-kinds', 'elicitation'),
  'server/input-without-requests': violation('mrtr.one-of-two', 'neither'),
  'server/input-for-everything': violation('mrtr.no-other-requests', 'input_required'),
  'server/input-of-hostile-addresses': violation('elicitation.undeclared-mode-not-sent', 'url'),
  'server/listening-hangs': violation('subscriptions.ack-first', 'no message'),
  'server/listening-ends-at-once': violation('subscriptions.ack-first', 'the result'),
  // over stdio the limit comes before a subscription that did not ask for them
  'server/listening-floods': either(
    violation('subscriptions.only-requested-types', 'tools/list_changed'),
    memory,
  ),
  'server/listening-acknowledges-without-end': memory,
  'server/listening-for-others': violation('base.schema-valid', '\\{"toString":1\\}'),
  'server/listening-asks': violation('patterns.server-no-requests', 'roots/list'),
  'server/half-closed-sockets': /the connection broke \(UND_ERR_SOCKET\) before the reply/,
  'server/trailers-that-say-more': /the connection broke \(HTTPParserError\) before the reply/,
  'server/ids-of-7-mb': memory,
  'server/ids-of-10-mb': /stopped reading: a message of more than 8388608 bytes, the limit/,
  'server/prototype-everywhere': violation('meta.key-name-syntax', '"__proto__"'),
  'server/byte-order-marks': violation('stdio.server-stdout-pure'),
  'server/utf-16-lines': violation('transport.utf8'),
  'server/zero-bytes-in-texts': /^warning resources\.uri-valid: /m,
  'client/exits-at-once': /did not connect: the client exited with code 3/,
  'client/exits-with-127': /the client exited with code 127/,
  'client/silent': /did not connect: the client was inactive and was terminated/,
  'client/stops-itself': /the client was stopped by a signal \(SIGSTOP\) and was terminated/,
  'client/floods-its-output': /the client printed without an end/,
  'client/prints-addresses': /the client printed without an end/,
  'client/spins': /time limit of|late for 40 s|was inactive|got too little CPU time/,
};
