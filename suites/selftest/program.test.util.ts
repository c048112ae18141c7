/** Test support: the words that start this program from its sources. */

import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the program, bundled from the sources (`program.setup.mjs`). */
    readonly program: string;
  }
}

export const programFile: string = inject('program');

/** Node and the program. */
export const program: readonly string[] = [process.execPath, programFile];
