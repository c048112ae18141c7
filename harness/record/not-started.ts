/** Why the process of a command could not be started, in words. */

/** The reason that Node.js gives, in place of output of the program: `spawn <file> <code>`. */
const notSpawned = /^spawn (.*) (E[A-Z]+)$/;

/** Whether a line of output is such a reason. */
export const isSpawnError = (line: string): boolean => notSpawned.test(line);

/**
 * @param problem the reason that Node.js gives, if known
 * @param what the subject of the sentence
 * @returns a sentence without its full stop
 */
export function notStartedInWords(problem: string | undefined, what = 'The command'): string {
  const [, file, code] = notSpawned.exec(problem ?? '') ?? [];
  const known = file !== undefined && whyNot(file, code);
  return `${what} could not be started${known ? `: ${known}` : ''}`;
}

function whyNot(file: string, code: string | undefined): string | undefined {
  if (code === 'EACCES') return `"${file}" is not executable`;
  if (code !== 'ENOENT') return undefined;
  return /[\\/]/.test(file)
    ? `the file "${file}" does not exist, or its working directory does not`
    : `"${file}" is not in PATH, or the working directory does not exist`;
}
