/** The cases of `--safe`: valid requests that only read, as any client sends them. */

/** Names of scenarios. `suites/selftest/safe.test.ts` proves that they send nothing else. */
const safeScenarios: ReadonlySet<string> = new Set([
  'server/authorization/as-described',
  'server/completion/listed-arguments',
  'server/lifecycle/minimal-client',
  'server/pagination/same-cursor-twice',
  'server/pagination/walk-twice',
  'server/ping/plain',
  'server/prompts/get-listed',
  'server/prompts/list',
  'server/resources/list',
  'server/resources/read-by-template',
  'server/resources/read-listed',
  'server/stateless/interleaved',
  'server/stateless/lists',
  'server/stateless/other-connection',
  'server/streamable-http/answers-and-ends',
  'server/tools/list',
]);

/** @param name the full name of a case */
export const isSafe = (name: string): boolean => safeScenarios.has(name.split('/').slice(2).join('/'));
