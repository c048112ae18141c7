import { readFileSync } from 'node:fs';

/**
 * Read from the package, so that the version is written in one place only. Works from the sources and from
 * `dist/`.
 */
function readVersion(): string {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const found = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as {
        name?: string;
        version: string;
      };
      if (found.name === 'mcp-conform') return found.version;
    } catch {
      // one level further up
    }
  }
  return '0.0.0';
}

export const toolVersion = readVersion();
