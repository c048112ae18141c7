/**
 * `npm run new:case -- <row>`: prints what a case for a requirement needs: the rule or scenario, the fault and the example,
 * each with the file it belongs to.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suggest } from '../../harness/report/pattern.js';
import { type Requirement, requirements } from '../../spec/requirement.js';
import { judged, killedFor } from './coverage.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Pages whose file has another name than the area of the row. */
const pages: Readonly<Record<string, string>> = {
  auth: 'authorization',
  base: 'json-rpc',
  jsonrpc: 'json-rpc',
  'error-codes': 'json-rpc',
  'json-schema': 'tools',
  icons: 'meta',
  timeouts: 'lifecycle',
  transport: 'stdio',
};

/** The first of these files that exists; else the first. */
const fileFor = (...candidates: string[]): string =>
  candidates.find(file => existsSync(join(root, file))) ?? candidates[0]!;

function stubs({ id, binds, says, judging, needs }: Requirement): string {
  const area = id.slice(0, id.indexOf('.'));
  const slug = id.slice(id.indexOf('.') + 1);
  const page = pages[area] ?? area;
  const house = binds === 'both' || binds === 'host' ? 'server' : binds;
  const rules = [
    fileFor(`suites/rules/${binds}/${page}.ts`, `suites/rules/both/${page}.ts`),
    fileFor(`suites/rules/${binds}/${page}.examples.ts`, `suites/rules/${binds}/features.examples.ts`),
  ] as const;
  const scenarioFile = fileFor(`suites/${house}/${page}.ts`, `suites/${house}/authorization/${page}.ts`);
  const scenarioName = scenarioFile.replace(/^suites\/|\.ts$/g, '');
  const faultFile = fileFor(
    `mocks/${house}/faults/${page}.ts`,
    `mocks/${house}/faults/base.ts`,
    `mocks/${house}/faults/json-rpc.ts`,
  );
  return `${id} binds ${binds}${needs ? `, needs ${needs}` : ''}
  ${says}
  ${typeof judging === 'string' ? judging.trim().replace(/\s+/g, ' ') : ''}

1. A rule, if any recorded conversation can show the breach: ${rules[0]}
   rule.each('${id}', conversation => conversation.sent('subject'), message =>
     pass([message]), // TODO: or fail('what the clause expects', [message], 'what the message has')
   ),

   A scenario, if the breach has to be provoked: ${scenarioFile}
   scenario('${scenarioName}/${slug}', {
     title: 'TODO: a statement in the present tense that names the message',
     verifies: ['${id}'],
     async run({ peer, expect }) {
       const exchange = await peer.request('TODO');
       expect('${id}', exchange).result();
     },
   }),

2. A fault that breaks the row: ${faultFile}
   fault(
     'TODO-${slug}',
     { what: 'TODO: one sentence about the message.', breaks: ['${id}'] },
     onResult('TODO', body => body),
   ),

3. An example of the rule: ${rules[1]}
   '${id}': { good: [], bad: [] },

4. Prove and check:
   npm run prove -- ${id}
   npx vitest run suites/rules suites/selftest/coverage.test.ts
   npm run coverage -- --write`;
}

const wanted = process.argv[2] ?? '';
const row = requirements().get(wanted as Requirement['id']);
if (wanted === '') {
  console.error('usage: npm run new:case -- <row>');
  process.exitCode = 2;
} else if (!row) {
  const guess = suggest(wanted, [...requirements().keys()]);
  console.error(
    `No row has the id "${wanted}".${guess ? ` Did you mean ${guess}?` : ''} A new row goes into the YAML file of its page in spec/requirements/; spec/README.md describes the fields.`,
  );
  process.exitCode = 2;
} else {
  if (typeof row.unjudged === 'string') console.log(`Not judged, with this reason: ${row.unjudged}\n`);
  if (judged.has(row.id)) {
    const roles = Object.entries(killedFor).flatMap(([role, ids]) => (ids.has(row.id) ? [role] : []));
    console.log(`The row is judged already; faults for: ${roles.join(', ') || 'no role'}.\n`);
  }
  console.log(stubs(row));
}
