/** Temporary folders that no end of the program leaves behind. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();
let guarded = false;

/** Removes all folders when this process exits; one listener, because a run has many folders one after the other. */
function guard(): void {
  if (guarded) return;
  guarded = true;
  process.once('exit', () => {
    for (const folder of folders) remove(folder);
  });
}

const remove = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
};

/**
 * A new folder, which is removed when this process exits at the latest.
 * @param name the beginning of its name
 */
export function temporaryFolder(name: string): { readonly folder: string; remove(): void } {
  guard();
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  folders.add(folder);
  return { folder, remove: () => remove(folder) };
}
