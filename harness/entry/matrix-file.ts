/** The file of a matrix, in YAML or JSON: servers, clients, and the steps. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { isNode, isPair, isScalar, LineCounter, parseDocument } from 'yaml';
import { pointerKeys } from '../../spec/json-pointer.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import {
  definedRevisions,
  findDefinedRevision,
  type RevisionId,
  type TransportId,
} from '../../spec/revisions.js';
import { suggest, UsageError } from '../report/pattern.js';
import { defaultSteps } from '../run/matrix/default-steps.js';
import type { Matrix, MatrixClient, MatrixServer, ServerPlace } from '../run/matrix/plan.js';
import { parseScript, type Script } from '../scenario/script.js';
import { readGiven } from './arguments.js';

type Path = readonly (string | number)[];

/** The members of a program, as in the schema. */
interface Entry {
  readonly about?: string;
  readonly install?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly revisions: readonly string[];
}
type ServerEntry = Entry & { readonly stdio?: readonly string[] } & Partial<
    Record<'streamable-http' | 'http-sse', ServerPlace>
  >;
type ClientEntry = Entry & Pick<MatrixClient, 'command' | 'transports'>;

/** @throws UsageError with line and column for a file that is invalid */
export function readMatrix(path: string): Matrix {
  return parseMatrix(readGiven(path), path);
}

function parseMatrix(text: string, path: string): Matrix {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number, what: string): UsageError => {
    const { line, col } = lines.linePos(offset);
    return new UsageError(`${path}:${line}:${col}: ${what}`);
  };
  const [problem] = document.errors;
  if (problem) throw at(problem.pos[0], `${problem.message.replace(/\.$/, '')}.`);
  /** The error at a member: at its name, or at its value. */
  const refuse = (place: Path, what: string, atName = false): UsageError =>
    at(offsetOf(document, place, atName), what);

  const json = document.toJS({ maxAliasCount: 100 }) as Json;
  const [wrong] = problemsOf(json);
  if (wrong) throw refuse(wrong.place, wrong.what, wrong.atName);
  const file = json as JsonObject & {
    servers: Record<string, ServerEntry>;
    clients: Record<string, ClientEntry>;
  };
  const folder = dirname(resolve(path));
  checkPrograms(file, folder, refuse);
  return {
    title: typeof file.title === 'string' ? file.title : basename(path).replace(/\.\w+$/, ''),
    servers: Object.entries(file.servers).map(([name, entry]) => serverOf(name, entry, folder)),
    clients: Object.entries(file.clients).map(([name, entry]) => ({
      ...programOf(name, entry, folder),
      command: entry.command,
      transports: entry.transports,
    })),
    steps: file.steps === undefined ? defaultSteps : stepsOf(file.steps, refuse),
  };
}

/** The offset of a value; where the value is absent, that of the nearest part that contains it. */
function offsetOf(document: ReturnType<typeof parseDocument>, place: Path, atName: boolean): number {
  for (let depth = place.length; depth > 0; depth--) {
    const path = place.slice(0, depth);
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
    const pair =
      isNode(parent) && 'items' in parent
        ? parent.items.find(
            item => isPair(item) && isScalar(item.key) && String(item.key.value) === String(path.at(-1)),
          )
        : undefined;
    if (atName && isPair(pair) && isNode(pair.key)) return pair.key.range?.[0] ?? 0;
    const node = document.getIn(path, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

interface Problem {
  readonly place: Path;
  readonly what: string;
  readonly atName: boolean;
}

function problemsOf(json: Json): Problem[] {
  const schema = JSON.parse(readFileSync(new URL('./matrix.schema.json', import.meta.url), 'utf8'));
  const validate = new Ajv2020({ strict: false, allErrors: true, verbose: true }).compile(schema);
  if (validate(json)) return [];
  // an unknown member is often why another one is missing; the last error of a combination says what it needs
  const errors = validate.errors!;
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties');
  const combined = errors.find(({ keyword }) => keyword === 'anyOf');
  return [describe(unknown ?? combined ?? errors.at(-1)!)];
}

function describe({ instancePath, keyword, params, message, parentSchema }: ErrorObject): Problem {
  const place = pointerKeys(instancePath);
  const where = place.length === 0 ? 'the file' : place.join('.');
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty);
    const known = Object.keys((parentSchema?.properties as object | undefined) ?? {});
    const guess = suggest(name, known);
    const advice = guess
      ? `did you mean "${guess}"?`
      : `choose from ${known.filter(k => k !== '$schema').join(', ')}.`;
    return { place: [...place, name], what: `${where} has no member "${name}"; ${advice}`, atName: true };
  }
  if (keyword === 'required')
    return { place, what: `${where} lacks the member "${String(params.missingProperty)}".`, atName: true };
  if (keyword === 'anyOf')
    return {
      place,
      what: `${where} lacks a way to start it: write stdio, streamable-http or http-sse.`,
      atName: true,
    };
  if (keyword === 'propertyNames')
    return {
      place: [...place, String(params.propertyName)],
      what: `"${String(params.propertyName)}" is not a name: use letters, digits, ".", "_" and "-".`,
      atName: true,
    };
  if (keyword === 'enum')
    return {
      place,
      what: `${where} is not one of ${(params.allowedValues as unknown[]).join(', ')}.`,
      atName: false,
    };
  if (keyword === 'pattern')
    return { place, what: `${where} is not a URL with http or https.`, atName: false };
  return {
    place,
    what: `${where} ${String(message).replace('must NOT', 'may not').replace('must', 'has to')}.`,
    atName: false,
  };
}

type Refuse = (place: Path, what: string, atName?: boolean) => UsageError;

/** What the schema cannot say: revisions, and combinations of revisions and transports. */
function checkPrograms(
  file: { servers: Record<string, ServerEntry>; clients: Record<string, ClientEntry> },
  folder: string,
  refuse: Refuse,
): void {
  for (const role of ['servers', 'clients'] as const)
    for (const [name, { revisions, cwd }] of Object.entries(file[role])) {
      for (const [at, text] of revisions.entries()) {
        if (findDefinedRevision(text)) continue;
        const known = definedRevisions.map(r => r.id);
        const guess = suggest(text, known);
        throw refuse(
          [role, name, 'revisions', at],
          `there is no revision "${text}"; ${guess ? `did you mean "${guess}"?` : `choose from ${known.join(', ')}.`}`,
        );
      }
      if (cwd !== undefined && !isFolder(resolve(folder, cwd)))
        throw refuse([role, name, 'cwd'], `the folder "${cwd}" does not exist.`);
    }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

function stepsOf(steps: Json, refuse: Refuse): Script {
  try {
    return parseScript(steps);
  } catch (error) {
    const { message } = error as Error;
    const [, number] = /^Step (\d+)/.exec(message) ?? [];
    throw refuse(number === undefined ? ['steps'] : ['steps', Number(number) - 1], message);
  }
}

function programOf(name: string, { about, install, cwd, env, revisions }: Entry, folder: string) {
  const own = resolve(folder, cwd ?? '.');
  return {
    name,
    about: about ?? '',
    ...(install && { install: { command: install, cwd: own } }),
    cwd: own,
    env: env ?? {},
    revisions: revisions as RevisionId[],
  };
}

function serverOf(name: string, entry: ServerEntry, folder: string): MatrixServer {
  const overHttp = (['streamable-http', 'http-sse'] as const).flatMap(
    (transport): [TransportId, ServerPlace][] => {
      const place = entry[transport];
      return place ? [[transport, place]] : [];
    },
  );
  return {
    ...programOf(name, entry, folder),
    places: Object.fromEntries([
      ...(entry.stdio ? [['stdio', { command: entry.stdio }] as const] : []),
      ...overHttp,
    ]),
  };
}
