/** The conversation of a whole case in two lanes, client and server, with the evidence of a finding marked. */

import type { Event, Frame } from '../../harness/record/event.js';
import { isObject, type Json, parseJson } from '../../spec/json-rpc.js';
import { amount } from '../style.js';
import { inWords, remarksOn, shorten } from '../wire.js';
import { Html, html } from './markup.js';

/** Events shown around the evidence, and characters of one message; `run.jsonl` contains all. */
const MOST = { before: 30, after: 10, text: 1500 };

/** What a message is: its method, or that of the request that it answers. */
interface Label {
  readonly what: string;
  readonly id: string;
}

/**
 * @param events all events of the case, in order
 * @param proof numbers of the events on which the finding rests
 */
export function renderLanes(events: readonly Event[], proof: ReadonlySet<number>): Html | undefined {
  const told = events.filter(event => proof.has(event.seq) || isTold(event));
  const first = told.findIndex(({ seq }) => proof.has(seq));
  const last = told.findLastIndex(({ seq }) => proof.has(seq));
  if (first === -1 || told.length < 2) return undefined;
  const from = Math.max(0, first - MOST.before);
  const to = Math.min(told.length, Math.min(last, first + MOST.before) + MOST.after);
  const shown = told.slice(from, to);
  const labels = labelsOf(events);
  const zero = shown[0]!.at;
  const several = new Set(shown.map(({ link }) => link)).size > 1;
  const left = (n: number, where: string) =>
    n > 0 && html`<li class="beyond">${amount(n, 'event')} ${where} in run.jsonl</li>`;
  return html`<details class="lanes"><summary>Whole case: ${amount(told.length, 'event')}, client on the left, server on the right</summary>
<ol><li class="heads" aria-hidden="true"><span></span><b>client</b><b>server</b></li>${left(from, 'before')}
${shown.map(event => renderEvent(event, { zero, several, isProof: proof.has(event.seq), label: labels.get(event.seq) }))}${left(told.length - to, 'after')}</ol></details>`;
}

/** What the frames do not tell: a POST and the parts of a stream carry them, and a response of 2xx is usual. */
function isTold(event: Event): boolean {
  if (event.kind === 'http-request') return event.stream !== 'post' || event.deliberate === true;
  if (event.kind === 'http-response') return event.status >= 300;
  return !['sse', 'http-end', 'lag', 'quiet', 'reach'].includes(event.kind);
}

function labelsOf(events: readonly Event[]): ReadonlyMap<number, Label> {
  const labels = new Map<number, Label>();
  const asked = new Map<string, string>();
  for (const event of events) {
    if (event.kind !== 'frame') continue;
    const message = parsed(event.text);
    if (message === undefined) labels.set(event.seq, { what: 'not JSON', id: '' });
    else if (!isObject(message)) labels.set(event.seq, { what: 'batch', id: '' });
    else {
      const id = 'id' in message ? JSON.stringify(message.id) : '';
      const key = (by: Frame['by']) => `${event.link} ${by} ${id}`;
      const { method, error } = message;
      if (typeof method === 'string') {
        if (id !== '') asked.set(key(event.by), method);
        labels.set(event.seq, { what: method, id });
      } else {
        const of = asked.get(key(event.by === 'client' ? 'server' : 'client'));
        const code = isObject(error) ? ` ${JSON.stringify(error.code) ?? ''}` : '';
        const what = `${'error' in message ? `error${code}` : 'result'}${of === undefined ? '' : ` · ${of}`}`;
        labels.set(event.seq, { what, id });
      }
    }
  }
  return labels;
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

interface Place {
  readonly zero: number;
  /** The case has several connections, whose numbers are shown. */
  readonly several: boolean;
  readonly isProof: boolean;
  readonly label: Label | undefined;
}

function renderEvent(event: Event, { zero, several, isProof, label }: Place): Html {
  const time = html`<span class="at">+${((event.at - zero) / 1000).toFixed(3)} s${several && html` <small>${`c${event.link}`}</small>`}</span>`;
  const mark = isProof && html`<em class="proof">evidence</em>`;
  if (event.kind !== 'frame') {
    const words = inWords(event, isProof ? {} : { about: '' })
      .map(line => line.trim())
      .join('  ');
    const side = event.kind === 'http-request' ? ' start' : event.kind === 'http-response' ? ' end' : '';
    return html`<li class="note${side}${isProof && ' is-proof'}">${time}<span class="words">${shorten(words, 240)}${mark}</span></li>\n`;
  }
  const way = event.by === 'client' ? 'right' : 'left';
  const remark = remarksOn(event).trim();
  const id = label && label.id !== '' ? ` ${shorten(label.id, 40)}` : '';
  return html`<li class="${way}${isProof && ' is-proof'}">${time}<details class="message"><summary><span class="sr">from the ${event.by}: </span><b>${shorten(label?.what ?? '', 80)}</b><code>${id}</code>${remark !== '' && html` <small>${remark}</small>`}${mark}</summary><pre tabindex="0">${pretty(event.text)}</pre></details></li>\n`;
}

/** Indented, if it is JSON; long texts are shortened. */
function pretty(text: string): string | Html {
  if (text.length > MOST.text) return shorten(text, MOST.text);
  const json = parsed(text);
  if (json === undefined) return shorten(text, MOST.text);
  return html`${JSON.stringify(json, null, 2)
    .split('\n')
    .map(line => html`${shorten(line, MOST.text)}${new Html('\n')}`)}`;
}
