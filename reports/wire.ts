/**
 * Shows recorded events to human readers: the frames of both sides, their times, and other events of the
 * link.
 */

import { append } from '../harness/grouped.js';
import type { Event, Frame } from '../harness/record/event.js';
import { lastWords } from '../harness/record/last-words.js';
import { overflowInWords } from '../harness/record/message.js';
import type { RunStart } from '../harness/report/run-event.js';
import { starvedInWords } from '../harness/time/clock.js';
import type { Role } from '../spec/json-rpc.js';
import { visible } from './escape.js';
import { type HttpView, httpInWords } from './http-words.js';
import { fitJson, withoutVersion } from './json-text.js';
import { duration, type Style, width, wrap } from './style.js';

/** The events of a run by number, so that findings can show their evidence. */
export class WireLog {
  private readonly events = new Map<number, Event>();
  /** The last lines of the subject's standard error, over all processes. */
  private readonly stderrTail: string[] = [];
  private unfinished = '';
  private byCase: Map<number, Event[]> | undefined;

  add(event: Event): void {
    this.events.set(event.seq, event);
    if (event.kind !== 'stderr') return;
    const lines = (this.unfinished + event.text).split(/\r?\n/);
    this.unfinished = lines.pop()!.slice(-4096);
    this.stderrTail.push(...lines.slice(-mostKept));
    this.stderrTail.splice(0, this.stderrTail.length - mostKept);
  }

  /** The last lines that say something, including an incomplete last line. */
  lastWords(): string[] {
    const lines = [...this.stderrTail, this.unfinished].filter(line => line.trim() !== '');
    return lastWords(lines, mostShown);
  }

  /** The events with these numbers, if known, in the order of observation. */
  pick(seqs: readonly number[]): Event[] {
    return [...new Set(seqs)].sort((a, b) => a - b).flatMap(seq => this.events.get(seq) ?? []);
  }

  /** All events of the cases to which these events belong, on the connections of these events or opened for the case. */
  ofCase(seqs: readonly number[]): Event[] {
    const evidence = this.pick(seqs);
    const cases = new Set(evidence.map(event => event.case));
    const links = new Set(evidence.map(event => event.link));
    if (!this.byCase) {
      this.byCase = new Map();
      for (const event of this.events.values()) append(this.byCase, event.case, event);
    }
    return [...cases]
      .flatMap(number => this.byCase!.get(number) ?? [])
      .filter(event => event.case !== 0 || links.has(event.link))
      .sort((a, b) => a.seq - b.seq);
  }
}

/** Lines of the standard error that are kept: a stack trace is long, and its message comes before it. */
const mostKept = 100;

/** Lines of the standard error that are shown. */
const mostShown = 12;

interface WireOptions {
  /** The role whose frames have an arrow to the left. */
  readonly subject: Role;
  /** Longer lines are shortened. */
  readonly columns: number;
  readonly style: Style;
  /** What is shown of HTTP exchanges; default: everything. With it, messages are shown for a first look. */
  readonly brief?: HttpView | undefined;
  /** Number of lines of one message on a terminal. */
  readonly lines?: number;
}

/** `watch` has two subjects; the server side is shown as the subject. */
export const subjectRole = (role: RunStart['role']): Role => (role === 'client' ? 'client' : 'server');

/** Renders events, one per line, with the time since the first: `    12  +0.004s  →  {"jsonrpc":…}`. */
export function renderExcerpt(events: readonly Event[], options: WireOptions): string[] {
  const zero = events[0]?.at ?? 0;
  return events.flatMap(event => renderEvent(event, event.at - zero, options));
}

function renderEvent(event: Event, since: number, options: WireOptions): string[] {
  const { subject, columns, style, brief, lines = 1 } = options;
  const place = `${String(event.seq).padStart(6)}  +${(since / 1000).toFixed(3)}s  `;
  const room = Math.max(20, columns - width(place) - 3);
  const blank = ' '.repeat(width(place) + 3);
  if (event.kind !== 'frame') {
    const [first = '', ...more] = brief ? inFewLines(inWords(event, brief), room) : inWords(event);
    const text = [first, ...more].map(line => style.dim(shorten(line, room)));
    return text.map((line, i) => (i === 0 ? `${style.dim(place)}·  ${line}` : `${blank}${line}`));
  }
  const remarks = remarksOn(event);
  const arrow = event.by === subject ? style.yellow('←') : style.cyan('→');
  const most = Math.max(20, room * lines - width(remarks));
  const text = brief ? shortenMessage(event.text, most) : shorten(event.text, most);
  const [first = '', ...more] = lines > 1 ? wrap(text, room, '', '', true) : [text];
  const told = [first, ...more];
  told[told.length - 1] += style.dim(remarks);
  return told.map((line, i) => (i === 0 ? `${style.dim(place)}${arrow}  ${line}` : `${blank}${line}`));
}

/** The headers of an exchange follow its first line, as far as they fit. */
function inFewLines(lines: readonly string[], room: number): string[] {
  const few: string[] = [];
  for (const line of lines) {
    const joined = `${few.at(-1)}  ${line.trimStart()}`;
    if (few.length > 0 && line.startsWith('  ') && width(joined) <= room) few[few.length - 1] = joined;
    else few.push(line);
  }
  return few;
}

/** A message without what all messages have; a long one is shortened by its structure. */
function shortenMessage(text: string, columns: number): string {
  const short = withoutVersion(text);
  if (width(visible(short)) <= columns) return visible(short);
  return fitJson(short, columns) ?? shorten(short, columns);
}

export function remarksOn(frame: Frame): string {
  const remarks = [
    frame.deliberate && 'invalid on purpose',
    frame.behind && 'behind the gateway',
    frame.replay && 'replayed',
    frame.invalidUtf8 && 'not UTF-8',
    frame.cutFrom !== undefined && `a line of ${frame.cutFrom} bytes, only the beginning is recorded`,
    frame.unterminated && 'no newline at the end',
  ].filter(Boolean);
  return remarks.length > 0 ? `  (${remarks.join(', ')})` : '';
}

/** Descriptions of events other than frames. */
export function inWords(event: Exclude<Event, Frame>, view: HttpView = {}): string[] {
  switch (event.kind) {
    case 'open': {
      const pid = event.pid === undefined ? '' : ` (process ${event.pid})`;
      const again = event.attempt === undefined ? '' : `, attempt ${event.attempt}`;
      return [
        `${event.argv ? `started ${event.argv.join(' ')}` : `connected over ${event.transport}${event.url ? ` to ${event.url}` : ''}`}${pid}${again}`,
      ];
    }
    case 'http-request':
    case 'http-response':
    case 'http-body':
    case 'sse':
    case 'http-end':
      return httpInWords(event, view);
    case 'closing':
      return ['mcp-conform ends the session'];
    case 'input-closed':
      return ['standard input closed'];
    case 'output-closed':
      return ['standard output closed'];
    case 'signal':
      return [`${event.signal} sent`];
    case 'exit':
      return [
        event.signal !== null ? `ended by ${event.signal}` : `exited with code ${event.code ?? 'unknown'}`,
      ];
    case 'left-behind':
      return [`still running, killed: ${event.pids.map(pid => `process ${pid}`).join(', ')}`];
    case 'reach':
      return [`${event.accepted ? 'takes' : 'takes no'} connections at ${event.address}`];
    case 'stderr': {
      const lines = event.text.trimEnd().split(/\r?\n/);
      // the cause is at the beginning or at the end of a trace
      const left = lines.length > 6 ? [`… ${lines.length - 5} more lines`] : [];
      const shown = left.length > 0 ? [...lines.slice(0, 3), ...left, ...lines.slice(-2)] : lines;
      // each line has the label, so that no line of the report begins with text of the subject
      const label = event.stdout ? 'stdout' : 'stderr';
      return shown.map(line => `${label}: ${line}`);
    }
    case 'deadline':
      return [deadlineInWords(event)];
    case 'lag':
      return [`no CPU was available for ${duration(event.ms)} of the conversation`];
    case 'quiet':
      return [`watched for ${duration(event.ms)}`];
    case 'overflow':
      return [`reading stopped: ${overflowInWords(event)}`];
  }
}

function deadlineInWords({ label, ms, request, starved }: Extract<Event, { kind: 'deadline' }>): string {
  const busy = starved ? `: ${starvedInWords(starved)}` : '';
  const within = `within ${duration(ms)}${busy}`;
  if (label === 'idle') return `given up${busy}`;
  if (label === 'answer') return `no response to request ${JSON.stringify(request) ?? ''} ${within}`;
  if (label === 'http') return `the HTTP exchange did not end ${within}`;
  if (label === 'message') return `the expected message did not arrive ${within}`;
  return `still running ${duration(ms)} after ${label === 'exit-after-eof' ? 'standard input was closed' : 'SIGTERM'}${busy}`;
}

/** Makes text visible and omits its middle when it is too wide, with the number of omitted bytes. */
export function shorten(text: string, columns: number): string {
  if (text.length <= columns * 4) {
    const whole = visible(text);
    if (width(whole) <= columns) return whole;
  }
  const room = columns - width(`…(${Buffer.byteLength(text)} bytes)…`);
  const head = take(text.slice(0, columns).replace(/[\ud800-\udbff]$/, ''), Math.ceil(room * 0.65));
  const tail = take(
    [...text.slice(-columns).replace(/^[\udc00-\udfff]/, '')].reverse(),
    Math.floor(room * 0.35),
  );
  const missing = Buffer.byteLength(text.slice(head.units, text.length - tail.units));
  return `${head.shown.join('')}…(${missing} bytes)…${tail.shown.reverse().join('')}`;
}

/** The characters that fit, made visible, and the length of their part of the text. */
function take(chars: Iterable<string>, columns: number): { shown: string[]; units: number } {
  const shown: string[] = [];
  let units = 0;
  let used = 0;
  for (const char of chars) {
    const seen = visible(char);
    used += width(seen);
    if (used > columns) break;
    shown.push(seen);
    units += char.length;
  }
  return { shown, units };
}
