import { describe, expect, it } from 'vitest';
import type { Event, NewEvent } from '../harness/record/event.js';
import { makeStyle, width } from './style.js';
import { renderExcerpt, shorten, WireLog } from './wire.js';

const style = makeStyle(false);
const at = (seq: number, ms: number, event: NewEvent): Event =>
  ({ seq, at: ms, link: 1, case: 1, ...event }) as Event;
const render = (events: Event[], columns = 100) =>
  `\n${renderExcerpt(events, { subject: 'server', columns, style }).join('\n')}\n`;

describe('an excerpt of the wire', () => {
  it('shows every kind of event', () => {
    const events: NewEvent[] = [
      { kind: 'open', transport: 'stdio', revision: 'x', argv: ['node', 'server.js'], pid: 7, attempt: 2 },
      { kind: 'open', transport: 'streamable-http', revision: 'x' },
      { kind: 'frame', by: 'client', text: '{"id":1}' },
      { kind: 'frame', by: 'client', text: '{', deliberate: true },
      { kind: 'frame', by: 'server', text: '{"id":1,"result":{}}\r' },
      { kind: 'frame', by: 'server', text: '\ufffd', invalidUtf8: true, cutFrom: 12345, unterminated: true },
      { kind: 'stderr', text: 'one\r\ntwo\n' },
      { kind: 'stderr', text: '1\n2\n3\n4\n5\n6\n7\n' },
      { kind: 'deadline', label: 'answer', ms: 10_000, request: 'a' },
      { kind: 'deadline', label: 'message', ms: 1500 },
      { kind: 'deadline', label: 'exit-after-eof', ms: 2000 },
      { kind: 'deadline', label: 'exit-after-sigterm', ms: 2000 },
      { kind: 'deadline', label: 'idle', ms: 2000, starved: { waited: 12_000, kept: 11_000, share: 0.12 } },
      { kind: 'lag', ms: 2500 },
      { kind: 'quiet', ms: 100 },
      { kind: 'input-closed' },
      { kind: 'output-closed' },
      { kind: 'signal', signal: 'SIGTERM' },
      { kind: 'exit', code: 1, signal: null },
      { kind: 'exit', code: null, signal: 'SIGSEGV' },
      { kind: 'left-behind', pids: [8, 9] },
      { kind: 'reach', address: '192.0.2.7', accepted: true },
      { kind: 'overflow', what: 'line', amount: 1000 },
      { kind: 'overflow', what: 'bytes', amount: 1000 },
    ];
    expect(render(events.map((event, i) => at(i + 95, 1000 + i * 1.5, event)))).toMatchInlineSnapshot(`
      "
          95  +0.000s  ·  started node server.js (process 7), attempt 2
          96  +0.002s  ·  connected over streamable-http
          97  +0.003s  →  {"id":1}
          98  +0.004s  →  {  (invalid on purpose)
          99  +0.006s  ←  {"id":1,"result":{}}\\x0d
         100  +0.007s  ←  �  (not UTF-8, a line of 12345 bytes, only the beginning is recorded, no newline at the end)
         101  +0.009s  ·  stderr: one
                          stderr: two
         102  +0.011s  ·  stderr: 1
                          stderr: 2
                          stderr: 3
                          stderr: … 2 more lines
                          stderr: 6
                          stderr: 7
         103  +0.012s  ·  no response to request "a" within 10 s
         104  +0.013s  ·  the expected message did not arrive within 1.5 s
         105  +0.015s  ·  still running 2 s after standard input was closed
         106  +0.017s  ·  still running 2 s after SIGTERM
         107  +0.018s  ·  given up: the subject got 12 % CPU in 12.0 s
         108  +0.019s  ·  no CPU was available for 2.5 s of the conversation
         109  +0.021s  ·  watched for 100 ms
         110  +0.022s  ·  standard input closed
         111  +0.024s  ·  standard output closed
         112  +0.025s  ·  SIGTERM sent
         113  +0.027s  ·  exited with code 1
         114  +0.029s  ·  ended by SIGSEGV
         115  +0.030s  ·  still running, killed: process 8, process 9
         116  +0.032s  ·  takes connections at 192.0.2.7
         117  +0.033s  ·  reading stopped: a message of more than 1000 bytes, the limit (--max-message)
         118  +0.035s  ·  reading stopped: more than 1000 bytes of input, the limit (--max-message)
      "
    `);
  });

  it('points arrows by the role of the subject', () => {
    const events = [at(1, 0, { kind: 'frame', by: 'client', text: '{}' })];
    const [line] = renderExcerpt(events, { subject: 'client', columns: 80, style });
    expect(line).toBe('     1  +0.000s  ←  {}');
  });

  it('fits into the width with any text', () => {
    const texts = ['x', 'é', '漢', '🙂', '\x1b', '\ud800', 'e\u0301', '\u{e0041}'];
    for (const columns of [70, 80, 133])
      for (const text of texts)
        for (const remark of [{}, { deliberate: true as const }]) {
          const event = at(1, 0, { kind: 'frame', by: 'server', text: text.repeat(3000), ...remark });
          const [line] = renderExcerpt([event], { subject: 'server', columns, style });
          expect(width(line!), `${text} in ${columns}`).toBeLessThanOrEqual(columns);
          expect(line).toMatch(/…\(\d+ bytes\)…/);
        }
  });

  it('reports the number of omitted bytes', () => {
    const text = `${'漢'.repeat(10)}${'x'.repeat(200)}é`;
    const short = shorten(text, 40);
    const [, head, bytes, tail] = /^(.*)…\((\d+) bytes\)…(.*)$/.exec(short)!;
    expect(Buffer.byteLength(head! + tail!) + Number(bytes)).toBe(Buffer.byteLength(text));
    expect(text.startsWith(head!) && text.endsWith(tail!)).toBe(true);
    expect(shorten('short', 5)).toBe('short');
  });
});

describe('the log', () => {
  it('finds events by number, in order, each once', () => {
    const log = new WireLog();
    const [one, two] = [at(1, 0, { kind: 'input-closed' }), at(2, 0, { kind: 'output-closed' })];
    log.add(one);
    log.add(two);
    expect(log.pick([2, 9, 1, 2])).toEqual([one, two]);
  });

  it('keeps the last lines of stderr', () => {
    const log = new WireLog();
    for (let n = 1; n <= 40; n++) log.add(at(n, 0, { kind: 'stderr', text: `half${n} ` }));
    log.add(
      at(41, 0, {
        kind: 'stderr',
        text: `\n\n${Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n')}`,
      }),
    );
    expect(log.lastWords()).toEqual(Array.from({ length: 12 }, (_, i) => `line ${i + 18}`));
  });

  it('shows the message of a crash without its stack trace', () => {
    const log = new WireLog();
    const trace = Array.from({ length: 40 }, (_, i) => `    at work (file.js:${i})`).join('\n');
    log.add(at(1, 0, { kind: 'stderr', text: `Error: no port\n${trace}\n\nNode.js v20.0.0` }));
    expect(log.lastWords()).toEqual(['Error: no port', 'Node.js v20.0.0']);
  });
});
