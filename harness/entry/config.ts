/** The file with the subjects of a repository: `mcp-conform.config.json`, or the key `mcp-conform` of package.json. */

import { existsSync, readFileSync } from 'node:fs';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { UsageError } from '../report/pattern.js';

export const configFile = 'mcp-conform.config.json';

/** A subject, as words of the command line. */
export interface ConfiguredSubject {
  readonly name: string;
  readonly args: readonly string[];
}

const modes = ['server', 'client', 'authorization-server'] as const;

/** Options of `run` and of the place of the subject, which have members of their own. */
const own = ['mode', 'command', 'url', 'issuer'] as const;

/** @param path default: the usual places @throws UsageError for a file that is absent or invalid */
export function readConfig(path?: string): ConfiguredSubject[] {
  const file = path ?? (existsSync(configFile) ? configFile : 'package.json');
  if (!existsSync(file))
    throw new UsageError(
      path === undefined ? `there is no ${configFile} in this folder.` : `the file "${path}" does not exist.`,
    );
  let json: Json;
  try {
    json = JSON.parse(readFileSync(file, 'utf8')) as Json;
  } catch (error) {
    throw new UsageError(`${file}: not JSON: ${(error as Error).message}.`);
  }
  const config = /(^|[\\/])package\.json$/.test(file) && isObject(json) ? json['mcp-conform'] : json;
  if (config === undefined)
    throw new UsageError(`there is no ${configFile} in this folder, and no key "mcp-conform" in ${file}.`);
  return subjectsOf(config, file);
}

function subjectsOf(config: Json, file: string): ConfiguredSubject[] {
  const refuse = (what: string) => new UsageError(`${file}: ${what}.`);
  if (!isObject(config)) throw refuse('the configuration is not an object');
  const { $schema: _, options = {}, subjects, ...others } = config;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(`there is no member "${unknown}"; write subjects and options`);
  if (!isObject(subjects) || Object.keys(subjects).length === 0)
    throw refuse('subjects is not an object with at least one subject');
  if (!isObject(options)) throw refuse('options is not an object');
  return Object.entries(subjects).map(([name, subject]) => {
    if (!isObject(subject)) throw refuse(`subjects.${name} is not an object`);
    const { mode = 'server', command, url, issuer } = subject;
    if (!modes.some(one => one === mode))
      throw refuse(`subjects.${name}.mode must be one of ${modes.join(', ')}`);
    if (command !== undefined && !(Array.isArray(command) && command.every(w => typeof w === 'string')))
      throw refuse(`subjects.${name}.command is not an array of words, as in ["node", "server.js"]`);
    const given = Object.fromEntries(
      Object.entries(subject).filter(([key]) => !own.some(one => one === key)),
    );
    const words = { ...(url !== undefined && { url }), ...(issuer !== undefined && { issuer }) };
    return {
      name,
      args: [
        mode as string,
        ...optionWords({ ...options, ...given, ...words }, what => refuse(`subjects.${name}.${what}`)),
        ...(command === undefined ? [] : ['--', ...(command as string[])]),
      ],
    };
  });
}

/** Options by their names on the command line: true for a flag, a list for an option that is repeated. */
function optionWords(options: JsonObject, refuse: (what: string) => UsageError): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === true) return [`--${name}`];
    if (value === false) return [];
    const values = Array.isArray(value) ? value : [value];
    return values.flatMap(one => {
      if (typeof one !== 'string' && typeof one !== 'number')
        throw refuse(`${name} is neither a text, a number, a list of these, nor true or false`);
      return [`--${name}`, String(one)];
    });
  });
}
