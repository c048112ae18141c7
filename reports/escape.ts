/**
 * Makes third-party text safe and visible: no text of a subject controls the terminal or is hidden from the
 * reader.
 */

/**
 * Control characters (C0, DEL, C1), formatting and bidi marks, unusual spaces, lone surrogates, and all
 * characters drawn as nothing.
 */
const unseen =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u00a0\u2000-\u200a\u202f\u205f\u3000\u2800]/gu;

/**
 * Shows invisible characters as `\x1b` or `\u{202e}`. JSON has neither notation, so an escape in a recorded
 * frame (`\u001b`) is never confused with a raw character.
 */
export const visible = (text: string): string =>
  text.replace(unseen, char => {
    const code = char.codePointAt(0)!;
    return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });

/** JSON with the same characters as `\uXXXX`: the same value, but safe to print. */
export const safeJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) as string).replace(unseen, text =>
    text === '\n' ? text : [...Array(text.length).keys()].map(i => unicode(text.charCodeAt(i))).join(''),
  );

const unicode = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
