/** The conversation as evidence: the frames of both sides, coloured by direction and by JSON token. */

import type { Event, Frame } from '../../harness/record/event.js';
import type { Role } from '../../spec/json-rpc.js';
import { visible } from '../escape.js';
import { inWords, remarksOn, shorten } from '../wire.js';
import { Html, html } from './markup.js';

/**
 * Characters shown of a frame (its beginning and end), and of an expandable frame; `run.jsonl` contains all.
 */
const LONGEST = { line: 1400, unfolded: 30_000 };
/** A frame longer than this is expandable to indented lines. */
const LONG = 160;

/** @param subject the role whose frames are shown as received */
export function renderWire(events: readonly Event[], subject: Role): Html {
  const zero = events[0]?.at ?? 0;
  return html`<ol class="wire">
${events.map(event => {
  const place = html`<span class="seq">${event.seq}</span><span class="at">+${((event.at - zero) / 1000).toFixed(3)} s</span>`;
  if (event.kind === 'frame') return renderFrame(event, place, subject);
  const lines = inWords(event).map(line => html`<span>${shorten(line, 400)}</span>`);
  return html`<li class="other">${place}${arrowOf(event, subject)}<span class="words">${lines}</span></li>\n`;
})}</ol>`;
}

/** The direction of a request or response of HTTP. */
function arrowOf({ kind }: Event, subject: Role): Html {
  const by = kind === 'http-request' ? 'client' : kind === 'http-response' ? 'server' : undefined;
  return by === undefined
    ? html`<span class="arrow" aria-hidden="true">·</span>`
    : arrow(by === subject, subject);
}

const arrow = (theirs: boolean, subject: Role): Html => {
  const way = theirs ? `from the ${subject}` : `to the ${subject}`;
  return html`<span class="arrow" title="${way}"><span aria-hidden="true">${theirs ? '←' : '→'}</span><span class="sr">${way}</span></span>`;
};

function renderFrame(frame: Frame, place: Html, subject: Role): Html {
  const theirs = frame.by === subject;
  const remarks = remarksOn(frame);
  const text = paint(shorten(frame.text, LONGEST.line));
  const lines = frame.text.length > LONG ? indented(frame.text) : undefined;
  return html`<li class="${theirs ? 'theirs' : 'ours'}">${place}${arrow(theirs, subject)}<span class="words"><code>${text}</code>${remarks && html`<em>${remarks}</em>`}${
    lines && html`<details><summary>indented</summary><pre>${lines}</pre></details>`
  }</span></li>\n`;
}

/**
 * The value in lines. The original line still shows details lost by JSON parsing, such as a duplicate key.
 */
function indented(text: string): Html | undefined {
  if (text.length > LONGEST.unfolded) return undefined;
  try {
    return indentedJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Any value as indented, coloured lines. */
export const indentedJson = (value: unknown): Html =>
  html`${JSON.stringify(value, null, 2)
    .split('\n')
    .slice(0, 400)
    .map(line => html`${paint(visible(line))}${new Html('\n')}`)}`;

const token = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** Colours keys, strings, numbers and words, also in text that is almost JSON. */
function paint(text: string): Html {
  const parts: (Html | string)[] = [];
  let at = 0;
  for (const found of text.matchAll(token)) {
    const [whole, string, colon, number] = found;
    parts.push(text.slice(at, found.index));
    const kind = string ? (colon ? 'key' : 'string') : number ? 'number' : 'word';
    parts.push(html`<span class="${kind}">${string ?? whole}</span>`, colon ?? '');
    at = found.index + whole.length;
  }
  return html`${parts}${text.slice(at)}`;
}
