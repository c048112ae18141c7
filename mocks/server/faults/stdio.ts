/** basic/transports#stdio: lines, encoding, start and end of the process. */

import { fault, notification, onBytes, onInputEnd, onLine, onReply, onSignal, onStart } from '../../fault.js';
import { beforeCall, hasHandshake, onLinesOf } from './shared.js';

/** No other part waits for progress, so changes of it have no other effects. */
const progress = 'notifications/progress';

export const stdioFaults = [
  fault(
    'banner',
    {
      what: 'The process writes a greeting to standard output when it starts.',
      breaks: ['stdio.server-stdout-pure'],
      shows: ['stdio.server-stdout-pure#start'],
    },
    onStart(context => context.write('Mock MCP server running on stdio\n')),
  ),

  fault(
    'noise-during-call',
    {
      what: 'The process writes text to standard output during tools/call.',
      breaks: ['stdio.server-stdout-pure'],
      shows: ['stdio.server-stdout-pure#during-work'],
    },
    beforeCall(context => context.write('calling tool...\n')),
  ),

  fault(
    'byte-order-mark',
    {
      what: 'notifications/progress begins with a byte order mark.',
      breaks: ['stdio.server-stdout-pure'],
      shows: ['stdio.server-stdout-pure#byte-order-mark'],
    },
    onLinesOf(progress, text => `\uFEFF${text}`),
  ),

  fault(
    'pretty-printed',
    {
      what: 'notifications/progress is written as JSON over several lines.',
      breaks: ['stdio.no-embedded-newlines'],
      shows: ['stdio.no-embedded-newlines#several-lines'],
    },
    onLinesOf(progress, text => `${JSON.stringify(JSON.parse(text), null, 2)}\n`),
  ),

  fault(
    'two-on-a-line',
    {
      what: 'Two copies of notifications/progress share one line.',
      breaks: ['stdio.no-embedded-newlines'],
      shows: ['stdio.no-embedded-newlines#several-messages'],
    },
    onLinesOf(progress, text => `${text.trimEnd()}${text}`),
  ),

  fault(
    'carriage-returns',
    {
      what: 'Each message ends in CR LF.',
      breaks: ['stdio.lines-end-in-lf'],
      shows: ['stdio.lines-end-in-lf#crlf'],
    },
    onBytes(text => text.replace(/\n$/, '\r\n')),
  ),

  fault(
    'latin-1',
    {
      what: 'A notification during tools/call is written in Latin-1.',
      breaks: ['transport.utf8'],
      shows: ['transport.utf8#other-encoding'],
    },
    beforeCall(context => {
      const odd = notification('notifications/com.example/note', { text: 'é' });
      context.write(Buffer.from(`${JSON.stringify(odd)}\n`, 'latin1'));
    }),
  ),

  fault(
    'splits-input-at-u2028',
    {
      what: 'A message that contains U+2028 gets no response.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
    },
    onLine(text => (text.includes('\u2028') ? undefined : text)),
  ),

  fault(
    'ignores-end-of-input',
    {
      what: 'The process continues to run after its standard input has ended.',
      breaks: ['stdio.server-exits-on-eof'],
      shows: ['stdio.server-exits-on-eof#stays'],
    },
    onInputEnd(() => 'stay'),
  ),

  fault(
    'stays-for-subscribers',
    {
      what: 'The process continues to run after its standard input has ended when the client has called resources/subscribe.',
      breaks: ['stdio.server-exits-on-eof'],
      shows: ['stdio.server-exits-on-eof#stays'],
      where: hasHandshake,
    },
    onInputEnd(context => (context.session.subscriptions.size > 0 ? 'stay' : undefined)),
  ),

  fault(
    'dies-of-crlf',
    {
      what: 'The process exits without a message when a line ends in CR LF.',
      breaks: ['jsonrpc.parse-error-survived', 'jsonrpc.request-answered-once'],
      shows: ['jsonrpc.parse-error-survived#exits-at-line-ends', 'jsonrpc.request-answered-once#crash'],
    },
    onLine((text, context) => {
      if (text.endsWith('\r')) context.exit(0);
      return text;
    }),
  ),

  fault(
    'dies-of-bytes',
    {
      what: 'The process exits when it receives bytes that are not UTF-8.',
      breaks: ['jsonrpc.parse-error-survived'],
      shows: ['jsonrpc.parse-error-survived#exits'],
    },
    onLine((text, context) => {
      if (text.includes('\uFFFD')) context.exit(1);
      return text;
    }),
  ),

  fault(
    'long-lines-lost',
    {
      what: 'A line of more than 64 KiB gets no response.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
    },
    onLine(text => (text.length > 2 ** 16 ? undefined : text)),
  ),

  fault(
    'long-replies-lost',
    {
      what: 'A response of more than 16 KiB is never sent.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
    },
    onReply('*', reply => (JSON.stringify(reply).length > 2 ** 14 ? undefined : reply)),
  ),

  fault(
    'noise-before-progress',
    {
      what: 'Each notifications/progress follows other text on the same line.',
      breaks: ['stdio.server-stdout-pure'],
      shows: ['stdio.server-stdout-pure#same-line'],
    },
    onLinesOf(progress, text => `Loading… ${text}`),
  ),

  fault(
    'ignores-sigterm',
    {
      what: 'The process continues to run after its standard input has ended and after SIGTERM.',
      breaks: ['stdio.server-exits-on-eof'],
      shows: ['stdio.server-exits-on-eof#stays'],
    },
    onInputEnd(() => 'stay'),
    onSignal(() => 'stay'),
  ),
];
