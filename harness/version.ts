import { readFileSync } from 'node:fs';

interface Package {
  readonly name?: string;
  readonly version: string;
  readonly bugs?: { readonly url: string };
}

/**
 * Read from the package, so that the version is written in one place only. Works from the sources and from
 * `dist/`.
 */
function readPackage(): Package {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const found = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as Package;
      if (found.name === 'mcp-conform') return found;
    } catch {
      // one level further up
    }
  }
  return { version: '0.0.0' };
}

const own = readPackage();

export const toolVersion = own.version;

/** The list of issues of this project; undefined while the package names none. */
export const bugsUrl = own.bugs?.url;
