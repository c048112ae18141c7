/**
 * `npm run address -- <owner>/<name>`: writes the place of the repository on GitHub, once, when it is known: into
 * package.json, and into the pages that name the action.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const root = new URL('../../', import.meta.url);
const placeholder = 'OWNER/mcp-conform';

/** Members of package.json; reports get the link for false findings from `bugs`. */
const membersFor = (place: string) => ({
  repository: { type: 'git', url: `git+https://github.com/${place}.git` },
  homepage: `https://github.com/${place}#readme`,
  bugs: { url: `https://github.com/${place}/issues` },
});

function write(place: string): void {
  const manifest = new URL('package.json', root);
  const filled = { ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), ...membersFor(place) };
  writeFileSync(manifest, `${JSON.stringify(filled, null, 2)}\n`);
  const workflows = readdirSync(new URL('docs/workflows/', root)).map(file => `docs/workflows/${file}`);
  for (const page of ['docs/github-action.md', ...workflows]) {
    const file = new URL(page, root);
    const text = readFileSync(file, 'utf8');
    if (text.includes(placeholder)) writeFileSync(file, text.replaceAll(placeholder, place));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  const [place = ''] = process.argv.slice(2);
  if (!/^[\w.-]+\/[\w.-]+$/.test(place)) throw new Error('Usage: npm run address -- <owner>/<name>');
  write(place);
}
