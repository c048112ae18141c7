/**
 * The kinds of lines that the subject writes to stdio: a message, a part of one, several messages, or other
 * text.
 */

import type { Conversation } from '../../../harness/record/conversation.js';
import { derived } from '../../../harness/record/conversation.js';
import type { Frame } from '../../../harness/record/event.js';
import { isJson, isObject, type Json, parseJson } from '../../../spec/json-rpc.js';

interface LineKind {
  readonly kind: 'message' | 'split' | 'several' | 'garbage' | 'undecided';
  readonly frames: readonly Frame[];
}

const isEmptyArray = (text: string): boolean => /^\s*\[\s*\]\s*$/.test(text);

/** Whether a line is not UTF-8, or is UTF-16 that is also valid UTF-8: a good part of its characters are NUL then. */
export const isBadlyEncoded = ({ invalidUtf8, text }: Frame): boolean =>
  invalidUtf8 === true || (text.includes('\0') && text.split('\0').length > text.length / 4);

/** Whether a line is the beginning of a longer one: its end did not arrive, or exceeds a limit of the harness. */
const isIncomplete = (conversation: Conversation, frame: Frame): boolean =>
  frame.unterminated === true || (frame.cutFrom !== undefined && frame.seq === lastBeforeLimit(conversation));

/** The number of the last frame of the subject before the harness stopped reading. */
const lastBeforeLimit = derived((conversation: Conversation): number | undefined => {
  const [overflow] = conversation.eventsOf('overflow');
  return overflow && conversation.frames('subject').findLast(f => f.seq < overflow.seq)?.seq;
});

/** Whether no further line can follow. */
const isOutputOver = (conversation: Conversation): boolean =>
  conversation.exit !== undefined ||
  (conversation.subject === 'client' && conversation.eventsOf('input-closed').length > 0);

/**
 * Whether lines are no message and no part of one. A part of a message is possible where the process exited while
 * writing, or the harness stopped reading; a line with a newline is complete, also when nothing follows it.
 */
export function isNoMessage(conversation: Conversation, { kind, frames }: LineKind): boolean {
  const [first, last] = [frames[0]!, frames.at(-1)!];
  if (kind === 'undecided')
    return isOutputOver(conversation) && !isIncomplete(conversation, last) && !frames.some(isBadlyEncoded);
  if (kind !== 'garbage' || isBadlyEncoded(first)) return false;
  return !isIncomplete(conversation, first) || !/^\s*[[{]/.test(first.text);
}

/** Whether the record has the beginning of a line that begins as JSON, and not its end. */
const isCutJson = ({ text, cutFrom }: Frame): boolean => cutFrom !== undefined && /^\s*[[{]/.test(text);

/** Whether a line is not valid JSON, but contains a message, or may contain one. */
const mayHoldMessage = (conversation: Conversation, frame: Frame): boolean =>
  conversation.messagesOf(frame).length === 0 &&
  (frame.text.includes('"jsonrpc"') || isCutJson(frame) || isBadlyEncoded(frame));

/** The lines of the subject that are not valid JSON, but contain a message, or may contain one. */
export const unreadLines = derived((conversation: Conversation): readonly Frame[] =>
  conversation.frames('subject').filter(frame => mayHoldMessage(conversation, frame)),
);

/** The text of lines that belong together. */
export const textOf = (frames: readonly Frame[]): string => frames.map(f => f.text).join('\n');

const holdsMessage = (json: Json): boolean =>
  Array.isArray(json) ? json.length === 0 || json.some(holdsMessage) : isObject(json) && 'jsonrpc' in json;

/** The lines of the subject, lines of one message grouped together, without blank lines. */
export const lineKinds = derived((conversation: Conversation): readonly LineKind[] => [
  ...findLineKinds(conversation),
]);

/** Frames that are parts of JSON on several lines: a part that parses alone proves nothing. */
export const brokenFrames = derived(
  (conversation: Conversation): ReadonlySet<number> =>
    new Set(
      lineKinds(conversation)
        .filter(s => s.kind === 'undecided' || s.frames.length > 1)
        .flatMap(s => s.frames.map(f => f.seq)),
    ),
);

function* findLineKinds(conversation: Conversation): Generator<LineKind> {
  const frames = conversation.frames('subject');
  const isMessage = (frame: Frame) => conversation.messagesOf(frame).length > 0 || isEmptyArray(frame.text);
  const isWhole = (frame: Frame) => conversation.messagesOf(frame).some(m => m.kind !== undefined);
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    if (isMessage(frame)) yield { kind: 'message', frames: [frame] };
    else if (frame.text.trim() === '') continue;
    else if (severalIn(frame.text)) yield { kind: 'several', frames: [frame] };
    else if (!/^\s*[[{]/.test(frame.text)) yield { kind: 'garbage', frames: [frame] };
    else {
      const depth = new Depth();
      let end = i;
      depth.read(frame.text);
      while (depth.open && end + 1 < frames.length && !isWhole(frames[end + 1]!))
        depth.read(frames[++end]!.text);
      const pieces = frames.slice(i, end + 1);
      const whole = depth.open ? undefined : parseJson(textOf(pieces));
      const parses = whole !== undefined;
      // the text was incomplete when the record ended, or the process exited
      const unfinished = depth.open && end + 1 === frames.length;
      if (!parses && !unfinished) yield { kind: 'garbage', frames: [frame] };
      else {
        // JSON across lines that is no message, such as a log record, is other text
        yield { kind: parses ? (holdsMessage(whole) ? 'split' : 'garbage') : 'undecided', frames: pieces };
        i = end;
      }
    }
  }
}

/** Whether a text consists of two or more objects or arrays in sequence. */
function severalIn(text: string): boolean {
  const seam = /[}\]]\s*[[{]/g;
  const starts = /^\s*[[{]/.test(text);
  for (let match = starts ? seam.exec(text) : null; match; match = seam.exec(text)) {
    const cut = match.index + 1;
    if (isJson(text.slice(0, cut))) return isJson(text.slice(cut)) || severalIn(text.slice(cut));
  }
  return false;
}

/** Tracks brackets over several lines, inside and outside of strings. */
class Depth {
  private depth = 0;
  private quoted = false;

  read(text: string): void {
    for (const [token] of text.matchAll(/\\.|["[\]{}]/g)) {
      if (token === '"') this.quoted = !this.quoted;
      else if (!this.quoted && (token === '{' || token === '[')) this.depth++;
      else if (!this.quoted && (token === '}' || token === ']')) this.depth--;
    }
  }

  get open(): boolean {
    return this.depth > 0 || this.quoted;
  }
}
