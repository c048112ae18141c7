/** The ways of writing a secret: those that change the secret itself, and the escapes of a text around it. */

/** Shorter values are not secrets, and occur everywhere. */
export const shortestSecret = 8;

/** Bytes before a value in base64 change its beginning: all positions that a value can have, modulo 3. */
const offsets = [0, 1, 2];

/** The characters of a base64 text that depend on these bytes alone, for bytes that begin at this offset. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** ASCII letters in lower case; other letters may change the length of the text. */
export const fold = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : text.replace(/[A-Z]+/g, part => part.toLowerCase());

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/**
 * The spellings of a secret in a text without escapes, with ASCII letters in lower case: as is, as bytes, in a form,
 * in hexadecimal digits, and in both alphabets of base64 at each offset.
 */
export function spellingsOf(secret: string): ReadonlySet<string> {
  const bytes = Buffer.from(secret);
  const base64 = offsets.map(offset => base64At(bytes, offset));
  const letters = [secret, bytes.toString('latin1'), secret.toUpperCase(), secret.toLowerCase()];
  const all = [
    ...letters,
    ...letters.map(text => text.replaceAll(' ', '+')),
    bytes.toString('hex'),
    ...base64,
    ...base64.map(text => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return new Set(all.map(fold));
}

/** A text with its escapes resolved, and the way back from positions in it to positions before. */
export interface Unescaped {
  readonly text: string;
  /** The position before, for a position in the text; the end of an escape for a position after it. */
  sourceOf(position: number): number;
}

/** Escapes of JSON, of URLs and forms, and of HTML. */
const escapes =
  /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|["'\\/bfnrt])|%[0-9a-f]{2}|&(?:#x[0-9a-f]{1,6}|#[0-9]{1,7}|amp|lt|gt|quot|apos);/gi;

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const character = (code: number): string => (code <= 0xffff ? String.fromCharCode(code) : '\ufffd');

/** The one character that an escape stands for. */
function meaning(written: string): string {
  const rest = written.slice(1);
  if (written[0] === '%') return character(Number.parseInt(rest, 16));
  if (written[0] === '\\') {
    if (/^[ux]./i.test(rest)) return character(Number.parseInt(rest.slice(1), 16));
    return controls[rest] ?? rest;
  }
  const name = rest.slice(0, -1).toLowerCase();
  if (name.startsWith('#x')) return character(Number.parseInt(name.slice(2), 16));
  if (name.startsWith('#')) return character(Number(name.slice(1)));
  return entities[name]!;
}

/** Resolves each escape once; undefined for a text without escapes. */
export function unescapeOnce(text: string): Unescaped | undefined {
  if (!/[\\%&]/.test(text)) return undefined;
  const parts: string[] = [];
  /** Positions after each escape, in the result and in the text. */
  const [after, before]: [number[], number[]] = [[], []];
  let [end, length] = [0, 0];
  for (const { 0: written, index } of text.matchAll(escapes)) {
    parts.push(text.slice(end, index), meaning(written));
    length += index - end + 1;
    end = index + written.length;
    after.push(length);
    before.push(end);
  }
  if (parts.length === 0) return undefined;
  parts.push(text.slice(end));
  return {
    text: parts.join(''),
    sourceOf(position) {
      // the last escape that ends at the position or before it
      let [low, high] = [0, after.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (after[middle]! <= position) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? position : before[low - 1]! + position - after[low - 1]!;
    },
  };
}
