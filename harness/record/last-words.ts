/** The part of the output of a process that says most about its end. */

/** A line of a stack trace. */
const frame = /^\s+at .+|^\t\S+:\d+( \+0x[\da-f]+)?$/;

/** The message of a crash, where programs print the stack trace after it. */
const crash = /^(panic: |fatal error: |thread '.*' panicked|Exception in thread )/;

/**
 * The last lines without those of stack traces; the message of a crash comes first where it is before them.
 * @param lines without empty ones
 * @param count number of lines, at most
 */
export function lastWords(lines: readonly string[], count: number): string[] {
  const messages = lines.filter(line => !frame.test(line));
  const told = messages.length > 0 ? messages : lines;
  const tail = told.slice(-count);
  const at = told.findLastIndex(line => crash.test(line));
  return at < 0 || at >= told.length - tail.length ? tail : [told[at]!, ...tail.slice(1)];
}
