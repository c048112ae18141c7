/** Console output of listen mode: the addresses for clients, and the findings of each client so far. */

import { visible } from '../../reports/escape.js';
import { makeStyle, wrap } from '../../reports/style.js';
import { requirement } from '../../spec/requirement.js';
import type { TransportId } from '../../spec/revisions.js';
import { gradeOf } from '../judge/verdict.js';
import type { Conversation } from '../record/conversation.js';
import { infoOf } from '../record/introduction.js';
import { shellQuote } from '../report/reproduce.js';
import type { ConnectionObserver } from '../run/client/listen.js';
import type { Address } from '../transports/link.js';

interface Screen {
  readonly write: (text: string) => void;
  readonly color: boolean;
  readonly columns: number;
  /** Duration in milliseconds; without a value, until Ctrl-C. */
  readonly for: number | undefined;
}

const names: Readonly<Record<TransportId, string>> = {
  'streamable-http': 'Streamable HTTP',
  'http-sse': 'HTTP with SSE',
  stdio: 'stdio',
};

export function showVisitors(screen: Screen): ConnectionObserver {
  const style = makeStyle(screen.color);
  const say = (line: string) => screen.write(`${line}\n`);
  return {
    waiting(addresses) {
      const end = screen.for === undefined ? 'until Ctrl-C' : `for ${screen.for / 1000} s`;
      say(`Waiting for clients ${end}; the report follows.`);
      for (const [transport, address] of addresses)
        say(`  ${names[transport].padEnd(16)} ${style.bold(addressText(address))}`);
      const stdio = addresses.get('stdio');
      if (stdio && 'command' in stdio) {
        const [command, ...args] = stdio.command;
        say(`  as configuration  ${JSON.stringify({ mcpServers: { 'mcp-conform': { command, args } } })}`);
      }
    },
    arrived: conversation => say(`\n${style.bold(whoIs(conversation))} has connected`),
    judged(findings, { revision }) {
      const failed = findings.filter(f => f.verdict === 'fail');
      const passed = new Set(findings.filter(f => f.verdict === 'pass').map(f => f.requirement));
      for (const { requirement: id } of failed) passed.delete(id);
      const text = `✔ ${[...passed].join(', ')}`;
      if (passed.size > 0)
        for (const line of wrap(text, screen.columns, '  ', '    ')) say(style.green(line));
      for (const { requirement: id, verdict, actual } of failed) {
        const grade = gradeOf(requirement(id), revision.id, verdict);
        const mark = grade === 'violation' ? style.red('✗') : style.yellow('!');
        say(`  ${mark} ${id}  ${visible(actual ?? '')}`.trimEnd());
      }
    },
    unopened({ transport }, opening) {
      say(
        `\n${style.yellow('?')} A client (${names[transport]}) sent no initialize request that can be read`,
      );
      for (const line of wrap(visible(opening), screen.columns, '  ', '    ')) say(style.dim(line));
    },
    left(conversation, open) {
      say(`${style.bold(whoIs(conversation))} has left`);
      if (open.length > 0)
        for (const line of wrap(
          `not observed yet (${open.length}): ${open.join(', ')}`,
          screen.columns,
          '  ',
          '    ',
        ))
          say(style.dim(line));
    },
  };
}

const addressText = (address: Address): string => {
  if ('url' in address) return address.url;
  return 'command' in address ? address.command.map(shellQuote).join(' ') : '';
};

function whoIs(conversation: Conversation): string {
  const { revision, transport } = conversation;
  const { name, version } = infoOf(conversation, 'client') ?? {};
  const who =
    typeof name === 'string' ? `${name} ${typeof version === 'string' ? version : ''}`.trim() : 'A client';
  return `${visible(who)} (${revision.id}, ${names[transport]})`;
}
