/** Splits the text of an input into words of an argument vector, without a shell. */

/**
 * Splits like a POSIX shell: blanks separate, quotes group, a backslash makes the next character literal.
 * There is no expansion: `$HOME`, `*`, `;` and `$(…)` are plain characters. A text that begins with `[` is a
 * JSON array of words.
 * @param {string} text
 * @param {string} input name of the input, for messages
 * @returns {string[]}
 * @throws {Error} for an unclosed quote, and for an array with other values than strings
 */
export function splitWords(text, input) {
  if (text.trimStart().startsWith('[')) return parseArray(text, input);
  const words = [];
  /** @type {string | undefined} */
  let word;
  /** @type {string} */
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quote === "'") {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === '\\') {
      const next = text[++i];
      if (next === undefined) throw new Error(`${input} ends with a backslash.`);
      // Between double quotes, a backslash before any other character is literal.
      if (quote === '"' && !'"\\$`'.includes(next)) word += char;
      word = (word ?? '') + next;
    } else if (char === quote) quote = '';
    else if (quote === '' && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (quote === '' && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') throw new Error(`${input} has a ${quote} that is not closed.`);
  if (word !== undefined) words.push(word);
  return words;
}

function parseArray(text, input) {
  let words;
  try {
    words = JSON.parse(text);
  } catch {
    throw new Error(`${input} begins with "[" but is not a JSON array.`);
  }
  if (!Array.isArray(words) || !words.every(word => typeof word === 'string'))
    throw new Error(`${input} must be a JSON array of strings.`);
  return words;
}
