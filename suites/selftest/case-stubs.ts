/** The stubs of the parts of a case: rule, example, scenario and fault, with the places where they belong. */

import { posix } from 'node:path';
import type { Party } from '../../spec/json-rpc.js';
import { facetText, type Requirement } from '../../spec/requirement.js';
import { definedRevisions, revisions } from '../../spec/revisions.js';
import { vocabularyOf } from '../../spec/vocabulary.js';
import { exampleFile, faultFile, ruleFile, scenarioFile } from './case-files.js';
import { faultPlaces } from './fault-places.js';
import { areaOf, scenarioPlaces } from './places.js';

/** An entry of an exported list or table, and what a file needs for it. */
export interface Stub {
  readonly part: 'rule' | 'example' | 'scenario' | 'fault';
  readonly file: string;
  /** The exported list or table. */
  readonly list: string;
  readonly text: string;
  /** The imported names by the file that exports them. */
  readonly imports: Readonly<Record<string, readonly string[]>>;
  /** The declaration of the list in a new file. */
  readonly declaration: string;
  /** The file and the list that combine the files of all pages. */
  readonly index: { readonly file: string; readonly list: string; readonly entry: (name: string) => string };
}

const nameOf = (file: string): string => posix.basename(file).replace(/(\.examples)?\.ts$/, '');

/** `task-requests` → `taskRequests`. */
export const camelCase = (text: string): string =>
  text.replace(/[-.]+(\w)/g, (_, letter: string) => letter.toUpperCase());

const slugOf = (row: Requirement): string => row.id.slice(row.id.indexOf('.') + 1);
const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Lines of a comment. */
const comment = (text: string, indent: string): string => {
  const lines: string[] = [''];
  for (const word of text.trim().split(/\s+/)) {
    if (lines.at(-1)!.length + word.length > 95) lines.push('');
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.map(line => `${indent}//${line}`).join('\n');
};

const isOverHttp = ({ over }: Requirement): boolean => over !== undefined && !over.includes('stdio');
const isAboutAuthorization = (row: Requirement): boolean => areaOf(row.id) === 'auth';

const { requests } = vocabularyOf(revisions.at(-1)!);

/** The method that the text of a row names, or a usual one of its area. */
function methodOf(row: Requirement): string {
  const known = (method: string) => requests.client.has(method) || requests.server.has(method);
  const words = `${row.says} ${row.judging ?? ''}`.match(/[a-z]+\/[a-zA-Z/]+/g) ?? [];
  const named = words.find(known);
  return named ?? [`${areaOf(row.id)}/list`, `${areaOf(row.id)}/create`].find(known) ?? 'ping';
}

const todo = (row: Requirement): string =>
  [
    `TODO: ${row.says}`,
    ...(row.judging ? [row.judging] : []),
    ...Object.values(row.breaches ?? {}).map(facetText),
    ...(row.contested ? [`Contested: ${row.contested}`] : []),
  ].join(' ');

/** The items of a rule, and the statements that judge one of them. */
function ruleBody(row: Requirement): { items: string; item: string; valid: string; evidence: string } {
  if (isAboutAuthorization(row) || isOverHttp(row)) {
    const exchanges = isAboutAuthorization(row) && row.binds !== 'server' ? 'oauth' : 'http';
    return {
      items: `conversation.${exchanges}()`,
      item: 'exchange',
      valid: 'exchange.status !== undefined',
      evidence: 'exchange',
    };
  }
  const method = methodOf(row);
  const sender = requests.client.has(method) ? 'client' : 'server';
  if (row.binds === 'server' && sender === 'client')
    return {
      items: `conversation.exchanges({ by: 'peer', method: ${quote(method)} })`,
      item: '{ reply }',
      valid: "reply?.kind === 'result'",
      evidence: 'reply',
    };
  return {
    items:
      row.binds === 'both'
        ? "conversation.sent('subject')"
        : `conversation.requests({ by: 'subject', method: ${quote(method)} })`,
    item: 'message',
    valid: 'message.params !== undefined',
    evidence: 'message',
  };
}

export function ruleStub(row: Requirement): Stub {
  const { items, item, valid, evidence } = ruleBody(row);
  const file = ruleFile(row);
  const text = `
  rule.each(
    ${quote(row.id)},
    conversation => ${items},
    ${item.startsWith('{') ? `(${item})` : item} => {
${comment(todo(row), '      ')}
      const valid = ${valid};
      return valid
        ? pass([${evidence}])
        : fail('TODO: the expected behaviour', [${evidence}], 'TODO: the observed behaviour');
    },
  ),`;
  return {
    part: 'rule',
    file,
    list: 'rules',
    text,
    imports: { 'harness/judge/rule.ts': ['rule'], 'harness/judge/finding.ts': ['fail', 'pass'] },
    declaration: 'export const rules = [];',
    index: {
      file: 'suites/rules/index.ts',
      list: 'rules',
      entry: name => `...${name},`,
    },
  };
}

export function exampleStub(row: Requirement): Stub {
  const text = `
  ${quote(row.id)}: {
    good: [], // TODO: conversations that pass
    legal: [], // TODO: variations that the text allows
    bad: [], // TODO: conversations that violate this row, and the rows in \`also\`
  },`;
  return {
    part: 'example',
    file: exampleFile(row),
    list: 'examples',
    text,
    imports: {},
    declaration:
      "import type { ExampleTable } from '../example.test.util.js';\n\nexport const examples: ExampleTable = {};",
    index: {
      file: 'suites/rules/examples.test.util.ts',
      list: 'tables',
      entry: name => `${name},`,
    },
  };
}

/** The function that declares a scenario, by the transport of the row. */
function scenarioKind(row: Requirement, role: Party): string {
  const prefix = role === 'client' ? 'scenario.client' : 'scenario';
  const only = row.over?.length === 1 ? row.over[0] : undefined;
  if (only === 'stdio') return `${prefix}.stdio`;
  if (only === 'http-sse') return `${prefix}.httpSse`;
  if (only === 'streamable-http' || isOverHttp(row)) return `${prefix}.http`;
  return prefix;
}

function scenarioName(file: string, row: Requirement): string {
  const path = file.replace(/^suites\/(.*)\.ts$/, '$1');
  const taken = new Set(scenarioPlaces.map(({ name }) => name));
  const names = [slugOf(row), row.id.replace('.', '-')].map(slug => `${path}/${slug}`);
  return names.find(name => !taken.has(name)) ?? `${names[0]}-2`;
}

export function scenarioStub(row: Requirement, role: Party): Stub {
  const file = scenarioFile(row, role);
  const head = `
    title: ${quote(`TODO: ${row.says.replace(/\.$/, '')}`)},
    verifies: [${quote(row.id)}],`;
  const name = quote(scenarioName(file, row));
  const note = comment(todo(row), '      ');
  const exchange = `
      const exchange = await peer.request(${quote(methodOf(row))});
      expect(${quote(row.id)}, exchange).result();`;
  const isProtected = file.startsWith('suites/client/authorization/');
  const call = isProtected
    ? `protectedScenario(${name}, {${head}
    protection: {},
    judge({ scene, expect }) {
${note}
      expect.that(${quote(row.id)}, scene.reacted, 'TODO: the expected behaviour', [], 'TODO: the observed behaviour');
    },
  }),`
    : role === 'authorization-server'
      ? `scenario.authorization(${name}, {${head}
    needs: ['client'],
    async run({ oauth, expect, clients }) {
${note}
      const granted = await oauth.authorize(clients[0]!);
      const done = granted.code !== undefined;
      expect.that(${quote(row.id)}, done, 'TODO: the expected behaviour', granted.evidence, 'TODO: the observed behaviour');
    },
  }),`
      : `${scenarioKind(row, role)}(${name}, {${head}${role === 'client' ? "\n    does: [['connect'], ['list', 'tools'], ['close']]," : ''}
    async run({ peer, expect }) {
${note}${exchange}
    },
  }),`;
  return {
    part: 'scenario',
    file,
    list: 'scenarios',
    text: `\n  ${call}`,
    imports: isProtected
      ? { 'suites/client/authorization/protected-scenario.ts': ['protectedScenario'] }
      : { 'harness/scenario/scenario.ts': ['scenario'] },
    declaration: 'export const scenarios = [];',
    index: { file: `suites/${role}/index.ts`, list: 'scenarios', entry: name => `${name},` },
  };
}

/** The prefix of the ids of faults in a file. */
const faultPrefix = (file: string): string => {
  if (file === 'mocks/client/faults/authorization.ts') return 'client-auth-';
  if (file.startsWith('mocks/client/')) return 'client-';
  if (file.endsWith('/proxy.ts')) return 'proxy-';
  if (file.endsWith('/gate.ts')) return 'rs-';
  return file.startsWith('mocks/authorization-server/') ? 'as-' : '';
};

export function faultStub(row: Requirement, role: Party): Stub {
  const file = faultFile(row, role);
  const prefix = faultPrefix(file);
  const id = `${prefix}${(prefix === '' || prefix === 'client-' ? row.id : slugOf(row)).replace('.', '-')}-violated`;
  const isPolicy = file.startsWith('mocks/authorization-server/');
  const http = isOverHttp(row);
  const method = quote(methodOf(row));
  const onMethod = requests.client.has(methodOf(row)) ? 'onResult' : 'onMessage';
  const hook = http ? 'onHttp' : role === 'client' ? 'onMessage' : onMethod;
  const change = {
    onHttp: `onHttp(${role === 'client' ? 'ask => ask' : 'reply => reply'})`,
    onMessage: 'onMessage(message => message)',
    onResult: `onResult(${method}, body => body)`,
  }[hook];
  const build = role === 'client' ? 'clientFault' : 'fault';
  const actor = role === 'authorization-server' ? 'authorization server' : role;
  const text = `
  ${build}(
    ${quote(id)},
    {
      what: 'TODO: The ${actor} violates the row: one sentence that names the message.',
      breaks: [${quote(row.id)}],
    },
    // TODO: the violation of: ${row.says}
    ${isPolicy ? '{}' : change},
  ),`;
  const list =
    faultPlaces.find(fault => fault.file === file)?.table ??
    `${camelCase(nameOf(file).replace(/s$/, ''))}Faults`;
  return {
    part: 'fault',
    file,
    list,
    text,
    imports: isPolicy
      ? {}
      : { [role === 'client' ? 'mocks/client/fault.ts' : 'mocks/fault.ts']: [build, hook] },
    declaration: `export const ${list} = [];`,
    index: {
      file: `mocks/${role}/faults/index.ts`,
      list: role === 'client' ? 'clientFaults' : 'faults',
      entry: name => `...${name},`,
    },
  };
}

/** The stub of a row in its YAML file. */
export function rowStub(id: string): string {
  const clauses = definedRevisions
    .slice(-2)
    .map(
      ({ id: revision }) =>
        `    ${revision}: MUST <page>#<anchor> L<line> # TODO: or another level; remove the revision if it has no such clause`,
    );
  return [
    `- id: ${id}`,
    '  binds: server # TODO: or client, both, authorization-server, host, intermediary',
    '  needs: <capability> # TODO: or remove',
    '  says: A server … # TODO: one sentence in our own words, with the obliged party as its subject',
    '  clauses:',
    ...clauses,
    '  breaches:',
    '    <name>: TODO # one line for each form of a breach; a fault shows each one',
    '  legal:',
    '    <name>: TODO # one line for each variation that is not reported; or remove',
  ].join('\n');
}
