/** One run against one hostile program, and the bounds that it has to keep. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { Report } from '../../../harness/report/summary.js';
import { freePort } from '../../../harness/run/free-port.js';
import { cpuOf, type Measured, markOfRuns, measure } from './measure.js';
import { file, type HostileProgram } from './programs.js';

/** The bounds of each run. */
const bounds = { wallS: 60, peakMb: 400 };

/** The input for login pages of hostile servers: no other port may get it. */
const password = 'correct-horse-battery';

export interface Outcome {
  readonly program: HostileProgram;
  readonly measured: Measured;
  /** The bounds that the run broke, in words. */
  readonly broken: readonly string[];
}

let runs = 0;

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

/** A server on another port of this host, which notes what it hears. */
async function startCanary(): Promise<{ server: Server; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', part => parts.push(part));
    request.on('end', () => {
      heard.push(`${request.method} ${request.url} ${Buffer.concat(parts)}`);
      response.writeHead(404).end();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { server, heard };
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });

/** Starts a server that the program does not start itself. */
async function startServer(words: readonly string[], port: number, mark: string): Promise<ChildProcess> {
  const env = { ...process.env, HOSTILE_RUN: mark };
  const child = spawn(process.execPath, words, { env, stdio: 'ignore' });
  while (child.exitCode === null && !(await isOpen(port)))
    await new Promise(resolve => setTimeout(resolve, 30));
  return child;
}

/** The words of the command line, without the reports. */
function commandLine(
  { role, place, behaviour, options = [] }: HostileProgram,
  port: number,
  canary: number,
  mark: string,
) {
  const own = [behaviour, place.transport, place.era, String(port), String(canary)];
  const server = [file('server.mjs'), ...own, mark];
  const over = ['--transport', place.transport];
  const path = place.transport === 'http-sse' ? 'sse' : 'mcp';
  const address = ['--url', `http://127.0.0.1:${port}/${path}`];
  if (role === 'authorization-server')
    return { words: [role, '--issuer', `http://127.0.0.1:${port}`, ...options], server };
  if (role === 'client')
    return {
      words: [
        role,
        ...over,
        ...options,
        '--',
        process.execPath,
        file('client.mjs'),
        ...own.slice(0, 3),
        String(canary),
        mark,
      ],
    };
  const reach = place.transport === 'stdio' ? [] : [...over, ...address];
  return { words: [role, ...reach, ...options, '--', process.execPath, ...server] };
}

function readReport(path: string): Report | undefined {
  try {
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Report) : undefined;
  } catch {
    return undefined;
  }
}

/** The findings and reasons of a report, one a line. */
const said = ({ unjudged, stopped, runs }: Report): string =>
  [
    stopped === undefined ? '' : `stopped: ${stopped}`,
    unjudged ? `unjudged: ${unjudged.reason} ${unjudged.details.join(' ')}` : '',
    ...runs.flatMap(run =>
      run.findings.map(f => `${f.grade} ${f.requirement}: ${f.message} | ${f.actual ?? ''}`),
    ),
  ].join('\n');

const defect = /mcp-conform has a defect|UnhandledPromise|Uncaught |^\s+at .*(node:|\.js:\d+)/m;

/** Runs the program against a hostile program with its default options. @param folder for the reports */
export async function runProgram(program: HostileProgram, folder: string): Promise<Outcome> {
  const { server: canary, heard } = await startCanary();
  const port = await freePort();
  const mark = `${markOfRuns}${++runs}-`;
  const { words, server } = commandLine(program, port, portOf(canary), mark);
  const started = server && (await startServer(server, port, mark));
  const name = program.name.replaceAll('/', '-');
  const report = join(folder, `${name}.json`);
  const [command, ...rest] = words;
  const ended = await measure([command!, '--reporter', `json=${report}`, ...rest], {
    mark,
    longestS: bounds.wallS * 2,
    ignored: started?.pid,
  });
  const measured = {
    ...ended,
    subjectCpuS: ended.subjectCpuS + (started ? cpuOf(started.pid!).ownS : 0),
  };
  started?.kill('SIGKILL');
  canary.closeAllConnections();
  canary.close();
  const written = readReport(report);
  const texts = `${measured.output}\n${written ? said(written) : ''}`;
  writeFileSync(
    join(folder, `${name}.txt`),
    [
      measured.output,
      '--- stderr',
      measured.errors,
      '--- report',
      written ? said(written) : '',
      '--- canary',
      ...heard,
    ].join('\n'),
  );
  const exits = [0, 1, 3, ...(program.exits ?? [])];
  const broken = [
    measured.wallS > bounds.wallS && `longer than ${bounds.wallS} s`,
    measured.peakMb > bounds.peakMb && `more than ${bounds.peakMb} MB`,
    !exits.includes(measured.exitCode ?? -1) && `exit code ${measured.exitCode ?? measured.signal}`,
    (defect.test(measured.errors) || measured.output.includes('because of a defect')) && 'a defect',
    !written && 'no report',
    ...measured.left.map(text => `left behind: ${text}`),
    heard.length > 0 && !program.hears && `another port heard ${heard[0]!.slice(0, 60)}`,
    heard.some(text => text.includes(password)) && 'another port got the password',
    program.shows && !program.shows.test(texts) && `the report does not show ${program.shows}`,
  ].filter(text => text !== false && text !== undefined);
  return { program, measured, broken };
}
