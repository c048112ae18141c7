/** The list of real subjects: released programs that nobody of this project wrote, with pinned versions. */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The registry of a subject's ecosystem, with the packages to install from it. */
export interface Install {
  /** `name@version` */
  readonly npm?: readonly string[];
  /** `name==version`, into a virtual environment */
  readonly pypi?: readonly string[];
  /** `module/path@version`, as for `go install` */
  readonly go?: string;
  /** `name@version` with further arguments of `cargo install` */
  readonly cargo?: readonly string[];
  /** A Cargo project in this folder: its `Cargo.toml` and sources. */
  readonly crate?: string;
  /** A Maven project in this folder: its `pom.xml` and sources. */
  readonly maven?: string;
}

export interface RealSubject {
  readonly name: string;
  readonly role: 'server' | 'client' | 'gateway';
  readonly language: 'typescript' | 'python' | 'go' | 'rust' | 'java';
  /** The MCP SDK, or the framework, with its version. */
  readonly sdk: string;
  readonly install: Install;
  /**
   * The command. `{bin}/name` is a program that the installation provides, `{cache}` its folder (with copies of `programs/`
   * and `mocks/drivers/`), `{port}` a free port, `{url}` the URL (clients), `{server}` the server behind (gateways).
   */
  readonly command: readonly string[];
  /** Further options of mcp-conform, with the same placeholders. */
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A server of both eras: it is a second subject too, `<name>-all`, judged with `--revision all`. */
  readonly bothEras?: boolean;
  /** Judged only where it is named, or with `--all-revisions`: it takes long. */
  readonly isExtra?: boolean;
}

const inAllRevisions = (subject: RealSubject): RealSubject => ({
  ...subject,
  name: `${subject.name}-all`,
  options: ['--revision', 'all', ...(subject.options ?? [])],
  isExtra: true,
});

/** @returns all subjects, in the order of the list @throws {Error} for two subjects with one name */
export function realSubjects(): RealSubject[] {
  const text = readFileSync(new URL('./subjects.yaml', import.meta.url), 'utf8');
  const { servers, clients, gateways } = parse(text) as Record<
    'servers' | 'clients' | 'gateways',
    Omit<RealSubject, 'role'>[]
  >;
  const ordinary: RealSubject[] = [
    ...servers.map(s => ({ ...s, role: 'server' as const })),
    ...clients.map(s => ({ ...s, role: 'client' as const })),
    ...gateways.map(s => ({ ...s, role: 'gateway' as const })),
  ];
  const all = [...ordinary, ...ordinary.filter(s => s.bothEras).map(inAllRevisions)];
  const names = all.map(s => s.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`subjects.yaml has two subjects with the name ${twice}.`);
  return all;
}
