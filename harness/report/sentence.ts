/** Parts of sentences as sentences of their own. */

/** The text with a capital letter at its start. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The text as a sentence, with a capital letter at its start and a full stop at its end. */
export const sentence = (text: string): string => capitalize(text).replace(/\.?$/, '.');
