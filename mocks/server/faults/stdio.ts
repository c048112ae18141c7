/** basic/transports#stdio: lines, encoding, the life of the process. */

import { fault, notification, onBytes, onInputEnd, onLine, onReply, onSignal, onStart } from '../../fault.js';
import { beforeCall, onLinesOf } from './shared.js';

/** Nobody waits for progress: what becomes of it hurts nothing else. */
const progress = 'notifications/progress';

export const stdioFaults = [
  fault(
    'banner',
    { what: 'The process greets on standard output when it starts.', breaks: ['stdio.server-stdout-pure'] },
    onStart(context => context.write('Mock MCP server running on stdio\n')),
  ),

  fault(
    'noise-during-call',
    { what: 'Tools print to standard output.', breaks: ['stdio.server-stdout-pure'] },
    beforeCall(context => context.write('calling tool...\n')),
  ),

  fault(
    'byte-order-mark',
    { what: 'Progress lines begin with a byte order mark.', breaks: ['stdio.server-stdout-pure'] },
    onLinesOf(progress, text => `\uFEFF${text}`),
  ),

  fault(
    'pretty-printed',
    { what: 'Progress is written as JSON over several lines.', breaks: ['stdio.no-embedded-newlines'] },
    onLinesOf(progress, text => `${JSON.stringify(JSON.parse(text), null, 2)}\n`),
  ),

  fault(
    'two-on-a-line',
    { what: 'Two progress notifications share a line.', breaks: ['stdio.no-embedded-newlines'] },
    onLinesOf(progress, text => `${text.trimEnd()}${text}`),
  ),

  fault(
    'carriage-returns',
    { what: 'Lines end in CR LF.', breaks: ['stdio.lines-end-in-lf'] },
    onBytes(text => text.replace(/\n$/, '\r\n')),
  ),

  fault(
    'latin-1',
    { what: 'A notification is written in Latin-1.', breaks: ['transport.utf8'] },
    beforeCall(context => {
      const odd = notification('notifications/com.example/note', { text: 'é' });
      context.write(Buffer.from(`${JSON.stringify(odd)}\n`, 'latin1'));
    }),
  ),

  fault(
    'splits-input-at-u2028',
    {
      what: 'Messages with a U+2028 in them are not understood, because the reader splits there.',
      breaks: ['jsonrpc.request-answered-once'],
    },
    onLine(text => (text.includes('\u2028') ? undefined : text)),
  ),

  fault(
    'ignores-end-of-input',
    { what: 'The process goes on after its input has ended.', breaks: ['stdio.server-exits-on-eof'] },
    onInputEnd(() => 'stay'),
  ),

  fault(
    'stays-for-subscribers',
    {
      what: 'The process goes on after its input has ended, when a resource is subscribed to.',
      breaks: ['stdio.server-exits-on-eof'],
    },
    onInputEnd(context => (context.session.subscriptions.size > 0 ? 'stay' : undefined)),
  ),

  fault(
    'dies-of-crlf',
    {
      what: 'The process ends without a word when a line ends in CR LF.',
      breaks: ['jsonrpc.parse-error-survived', 'jsonrpc.request-answered-once'],
    },
    onLine((text, context) => {
      if (text.endsWith('\r')) context.exit(0);
      return text;
    }),
  ),

  fault(
    'dies-of-bytes',
    {
      what: 'The process dies of bytes that are not UTF-8.',
      breaks: ['jsonrpc.parse-error-survived'],
    },
    onLine((text, context) => {
      if (text.includes('\uFFFD')) context.exit(1);
      return text;
    }),
  ),

  fault(
    'long-lines-lost',
    {
      what: 'Lines of more than 64 KiB are not understood, because the buffer is not larger.',
      breaks: ['jsonrpc.request-answered-once'],
    },
    onLine(text => (text.length > 2 ** 16 ? undefined : text)),
  ),

  fault(
    'long-replies-lost',
    {
      what: 'Answers of more than 16 KiB never leave the buffer.',
      breaks: ['jsonrpc.request-answered-once'],
    },
    onReply('*', reply => (JSON.stringify(reply).length > 2 ** 14 ? undefined : reply)),
  ),

  fault(
    'noise-before-progress',
    {
      what: 'A library prints something without a newline before each report of progress.',
      breaks: ['stdio.server-stdout-pure'],
    },
    onLinesOf(progress, text => `Loading… ${text}`),
  ),

  fault(
    'ignores-sigterm',
    {
      what: 'The process goes on after its input has ended, and after SIGTERM too.',
      breaks: ['stdio.server-exits-on-eof'],
    },
    onInputEnd(() => 'stay'),
    onSignal(() => 'stay'),
  ),
];
