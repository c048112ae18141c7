/** The words that start this program again from the same folder, for commands that a user copies. */

import { basename, delimiter, dirname, isAbsolute, relative } from 'node:path';

/**
 * @param script path of the started file
 * @param env `MCP_CONFORM_PROGRAM`: the words for users, from a program that starts this one in a place that they do not have
 */
export function programWords(
  script: string | undefined = process.argv[1],
  env: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
): readonly string[] {
  if (env.MCP_CONFORM_PROGRAM) return env.MCP_CONFORM_PROGRAM.split(' ');
  if (script === undefined) return ['mcp-conform'];
  if (
    !/^mcp-conform(\.\w+)?$/.test(basename(script)) &&
    !/[\\/]node_modules[\\/]mcp-conform[\\/]/.test(script)
  )
    return [...(/\.[cm]?ts$/.test(script) ? ['npx', 'tsx'] : ['node']), shortest(script, cwd)];
  // npm adds the folder of the package's commands to PATH only for the programs that it starts
  const byPackageManager = env.npm_command !== undefined || env.npm_execpath !== undefined;
  const folders = (env.PATH ?? '').split(delimiter);
  const isLocal = /[\\/]node_modules[\\/](\.bin|mcp-conform)[\\/]/.test(script);
  if (!byPackageManager && folders.includes(dirname(script))) return ['mcp-conform'];
  return byPackageManager || isLocal ? ['npx', 'mcp-conform'] : ['mcp-conform'];
}

function shortest(script: string, cwd: string): string {
  const short = relative(cwd, script);
  return short.startsWith('..') || isAbsolute(short) ? script : short;
}
