/** The command of a client with the address to connect to (contract: "How a client under test is driven"). */

import type { ClientTask } from '../scenario/client-task.js';
import type { Address } from '../transports/link.js';

/** Placeholders for the address in a client command. */
export const places = { url: '{url}', server: '{server}' } as const;

/**
 * The words of the command with the address inserted: the word `{server}` is replaced by the command of the server;
 * `{url}` anywhere in a word is replaced by the URL, which is appended if there is no placeholder.
 */
export function argumentsFor(command: readonly string[], address: Address): string[] {
  if ('command' in address)
    return command.flatMap(word => (word === places.server ? address.command : [word]));
  if (!('url' in address)) return [...command];
  const placed = command.map(word => word.replaceAll(places.url, address.url));
  return command.some(word => word.includes(places.url)) ? placed : [...placed, address.url];
}

/** Environment variables with the address, the script and the revision: for a client outside of the official suite. */
export function taskEnvironment(
  task: Pick<ClientTask, 'address' | 'scenario' | 'script' | 'transport' | 'revision'>,
): Record<string, string> {
  const { address } = task;
  return {
    MCP_CONFORM_SCENARIO: task.scenario,
    MCP_CONFORM_SCRIPT: JSON.stringify(task.script),
    MCP_CONFORM_TRANSPORT: task.transport,
    ...('url' in address && { MCP_CONFORM_URL: address.url }),
    ...('command' in address && { MCP_CONFORM_COMMAND: JSON.stringify(address.command) }),
    MCP_CONFORMANCE_PROTOCOL_VERSION: task.revision,
  };
}
