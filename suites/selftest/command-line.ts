/** Arguments of the commands for developers (`npm run hostile` and others). */

import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The first comment of a file, without its marks. */
const headOf = (file: URL): string =>
  /^\/\*\*([\s\S]*?)\*\//
    .exec(readFileSync(file, 'utf8'))![1]!
    .replaceAll(/^ ?\* ?/gm, '')
    .trim();

/**
 * Reads the arguments of a command. Ends the process with `--help`, and with exit code 2 where an argument is unknown; both
 * print the first comment of the file, which describes the options.
 * @param module `import.meta.url` of the file of the command
 */
export function commandLine<T extends ParseArgsConfig>(
  module: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const about = headOf(new URL(module));
  if (process.argv.slice(2).some(argument => argument === '--help' || argument === '-h')) {
    console.log(about);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${about}`);
    process.exit(2);
  }
}
