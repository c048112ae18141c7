import type { Known } from '../../harness/scenario/scenario.js';

/** The reason why no tool shows something. @param lacks what no callable tool has, after its name */
export function noTool({ tools, callable }: Pick<Known, 'tools' | 'callable'>, lacks: string): string {
  if (tools.length === 0) return 'the server lists no tool';
  return callable.length > 0
    ? `no callable tool ${lacks}`
    : 'no tool is called: see readOnlyHint and --call-tools';
}
