// What a server writes that is no message, or the bytes around messages.
import { MB } from './payloads.mjs';

const at = (wanted, act) => ({
  on(message, session, reply) {
    if (message.method === wanted) act(session, reply, message);
    else reply();
  },
});

/** Writes parts until the reader is gone. */
const flood = part => session => {
  const write = () => {
    for (let n = 0; n < 100; n++) if (!session.write(part)) return setTimeout(write, 5);
    return setImmediate(write);
  };
  write();
};
const line = encode => ({ line: encode });
const withNewline = body => `${body}\n`;

export const bytes = {
  'prints-garbage': {
    what: 'prints a banner, and sends no response',
    over: ['stdio'],
    start: ({ write }) => write('Server listening! {"jsonrpc": "2.0"\n\u001b[31mred\u001b[0m\n'),
    on() {},
  },
  'floods-lines': { what: 'writes lines without end', over: ['stdio'], start: flood('no message at all\n') },
  'floods-empty-lines': {
    what: 'writes empty lines without end',
    over: ['stdio'],
    start: flood('\n'.repeat(1000)),
  },
  'endless-line': { what: 'writes a line without end', over: ['stdio'], start: flood('x'.repeat(65_536)) },
  'endless-json-line': {
    what: 'writes a JSON array without end',
    over: ['stdio'],
    start: session => {
      session.write('[');
      flood('1,'.repeat(30_000))(session);
    },
  },
  'line-of-60-mb': {
    what: 'responds with a line of 60 MB',
    over: ['stdio', 'stdio new'],
    ...at('tools/list', (session, _, { id }) =>
      session.send({ id, result: { tools: [], text: 'x'.repeat(60 * MB) } }),
    ),
  },
  'line-of-200-mb': {
    what: 'responds with a line of 200 MB',
    over: ['stdio'],
    ...at('tools/list', ({ write }, _, { id }) => {
      write(`{"jsonrpc":"2.0","id":${id},"result":{"text":"`);
      for (let n = 0; n < 200; n++) write('x'.repeat(MB));
      write('"}}\n');
    }),
  },
  'lines-of-7-mb': {
    what: 'responds to each call with 7 MB',
    over: ['stdio', 'http', 'sse'],
    ...at('tools/call', (session, _, { id }) =>
      session.send({ id, result: { content: [{ type: 'text', text: 'x'.repeat(7 * MB) }] } }),
    ),
  },
  'zero-bytes': {
    what: 'writes zero bytes between messages',
    over: ['stdio'],
    ...line(body => `\0\0${body}\0\n`),
  },
  'byte-order-mark': {
    what: 'begins each message with a byte order mark',
    over: ['stdio', 'http'],
    ...line(body => `\ufeff${body}\n`),
  },
  'invalid-utf-8': {
    what: 'writes bytes that are not UTF-8',
    over: ['stdio', 'stdio new'],
    ...line(body =>
      Buffer.concat([
        Buffer.from(String(body).slice(0, -1)),
        Buffer.from(',"x":"\xff\xc0\xaf"}\n', 'latin1'),
      ]),
    ),
  },
  'utf-16': {
    what: 'writes UTF-16',
    over: ['stdio'],
    ...line(body => Buffer.from(`\ufeff${body}\n`, 'utf16le')),
  },
  'carriage-returns-only': { what: 'ends lines with CR', over: ['stdio'], ...line(body => `${body}\r`) },
  'content-length-framing': {
    what: 'frames messages as the Language Server Protocol does',
    over: ['stdio'],
    ...line(body => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`),
  },
  'pretty-printed': {
    what: 'writes messages over several lines',
    over: ['stdio'],
    ...line(body => `${JSON.stringify(JSON.parse(body), null, 1)}\n`),
  },
  'byte-by-byte': {
    what: 'writes one byte at a time',
    over: ['stdio'],
    start(session) {
      session.send = message => {
        for (const byte of Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`))
          process.stdout.write(Buffer.from([byte]));
      };
    },
  },
  'two-messages-in-a-line': {
    what: 'writes two messages in a line',
    over: ['stdio'],
    ...line(body => `${body}${body}\n`),
  },
  'half-a-message': {
    what: 'writes half a message, and hangs',
    over: ['stdio'],
    ...at('tools/list', ({ write }, _, { id }) => write(`{"jsonrpc":"2.0","id":${id},"resu`)),
  },
  'exits-in-a-message': {
    what: 'exits after half a message',
    over: ['stdio'],
    ...at('tools/list', ({ write }, _, { id }) =>
      write(`{"jsonrpc":"2.0","id":${id},"resu`, process.exit(0)),
    ),
  },
  'terminal-sequences': {
    what: 'has control sequences of terminals in names, texts and errors',
    over: ['stdio', 'http'],
    tool: { name: '\u001b[2J\u001b]0;owned\u0007\u009b31m', description: '\u001b[8m\u202e\u0000' },
    result: (_result, method) => (method === 'prompts/get' ? { messages: '\u001b[2J' } : undefined),
  },
  'markup-in-names': {
    what: 'has markup and commands of GitHub in names and texts',
    over: ['stdio'],
    tool: { name: '</script><script>alert(1)</script>\n::error::owned', inputSchema: { type: '</td>' } },
  },
  'lone-surrogates': {
    what: 'has halves of characters in texts',
    over: ['stdio', 'http'],
    tool: {
      name: '\ud800',
      description: '\udc00\ud800',
      inputSchema: { type: 'object', properties: { '\ud800': {} }, required: ['\ud800'] },
    },
  },
  'flood-of-small-events': {
    what: 'sends events without end on the stream of a call',
    over: ['http', 'http new'],
    ...at('tools/call', session =>
      flood(
        'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n\n',
      )(session),
    ),
  },
  'endless-comments': {
    what: 'sends comments without end on the stream of a call',
    over: ['http', 'http new', 'sse'],
    ...at('tools/call', session => flood(':\n'.repeat(1000))(session)),
  },
  'endless-event': {
    what: 'sends an event without end',
    over: ['http', 'sse'],
    ...at('tools/call', session => flood(`data: ${'x'.repeat(60_000)}\n`)(session)),
  },
  'endless-event-without-newline': {
    what: 'sends a line of an event without end',
    over: ['http', 'sse'],
    ...at('tools/call', session => {
      session.write('data: ');
      flood('x'.repeat(60_000))(session);
    }),
  },
  'event-of-60-mb': {
    what: 'sends an event of 60 MB',
    over: ['http', 'sse'],
    ...at('tools/list', (session, _, { id }) =>
      session.send({ id, result: { tools: [], text: 'x'.repeat(60 * MB) } }),
    ),
  },
  'empty-events': {
    what: 'sends empty events without end',
    over: ['http', 'sse'],
    ...at('tools/call', session => flood('data:\n\n'.repeat(100))(session)),
  },
  'strange-fields': {
    what: 'sends events with unknown fields, huge ids and retries',
    over: ['http', 'sse'],
    line: body =>
      `id: ${'9'.repeat(100_000)}\nretry: 99999999999999999999\nx\u0000y: z\nretry: -1\nid: a\u0000b\ndata: ${body}\n\n`,
  },
  'retry-never': {
    what: 'asks the client to reconnect after 31 years',
    over: ['http'],
    line: body => `retry: 999999999999\nid: 1\ndata: ${body}\n\n`,
  },
  'lines-end-in-cr': {
    what: 'ends the lines of events with CR',
    over: ['http', 'sse'],
    line: body => `data: ${body}\r\r`,
  },
  'plain-lines': { what: 'sends lines of JSON as events', over: ['http'], line: withNewline },
};
