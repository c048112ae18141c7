/** Words of a command, as a shell reads them. */

/**
 * Quotes a word for the shell of the user, only where quoting is necessary: for a POSIX shell, or for `cmd.exe`, which
 * knows no single quotes (backslashes before a double quote are doubled, as programs for Windows read them).
 */
export const quoteFor = (platform: string, word: string): string => {
  if (platform === 'win32')
    return /^[\w@+=:,./\\-]+$/.test(word)
      ? word
      : `"${word.replace(/(\\*)("|$)/g, (_, slashes: string, quote: string) => `${slashes}${slashes}${quote && '\\"'}`)}"`;
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
};
