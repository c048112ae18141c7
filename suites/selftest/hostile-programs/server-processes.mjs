// What the process of a server does: it starts, hangs, ignores signals, leaves processes behind.
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';

const forever = () => setInterval(() => {}, 60_000);
const both = ['stdio', 'http'];
/** A process that does nothing; its arguments show the run that it belongs to. */
const idle = (options, code = 'setInterval(() => {}, 1000)') =>
  spawn(process.execPath, ['-e', code, process.env.HOSTILE_RUN], { stdio: 'ignore', ...options }).on(
    'error',
    () => {},
  );

const after = (wanted, act) => ({
  on(message, session, reply) {
    if (message.method === wanted) act(session, message, reply);
    else reply();
  },
});

export const processes = {
  'exits-at-once': { what: 'exits with code 3', over: both, start: () => process.exit(3) },
  'crashes-with-a-long-message': {
    what: 'exits after 20 MB on standard error',
    over: both,
    start() {
      process.stderr.write('x'.repeat(20 * 2 ** 20), () => process.exit(1));
    },
  },
  hangs: { what: 'reads nothing, and sends nothing', over: ['stdio'], readsNothing: true, start: forever },
  'never-listens': {
    what: 'does not open its port',
    over: ['http'],
    start({ server }) {
      server.close();
      forever();
    },
  },
  'hangs-after-initialize': {
    what: 'responds to the first message only',
    over: ['stdio', 'stdio new', 'http', 'http new', 'sse'],
    on(message, _, reply) {
      if (message.method === 'initialize' || message.method === 'server/discover') reply();
    },
  },
  'hangs-when-called': {
    what: 'does not respond to calls',
    over: ['stdio', 'stdio new', 'http', 'sse'],
    ...after('tools/call', () => {}),
  },
  'answers-late': {
    what: 'responds after nine seconds',
    over: ['stdio', 'http', 'http new', 'sse'],
    on: (_, __, reply) => setTimeout(reply, 9_000),
  },
  'spins-when-called': {
    what: 'uses a CPU without end when a tool is called',
    over: ['stdio', 'http'],
    ...after('tools/call', () => {
      for (;;);
    }),
  },
  'spins-at-the-start': {
    what: 'uses a CPU without end from the start',
    over: ['stdio'],
    start() {
      for (;;);
    },
  },
  'stops-itself': {
    what: 'stops itself (SIGSTOP) after the first list',
    over: both,
    ...after('tools/list', (_, __, reply) => {
      reply();
      setTimeout(() => process.kill(process.pid, 'SIGSTOP'), 50);
    }),
  },
  'ignores-signals': {
    what: 'ignores SIGTERM and the end of its input',
    over: both,
    start() {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => {});
      forever();
    },
  },
  'kills-itself-when-called': {
    what: 'is killed at each call',
    over: ['stdio', 'stdio new', 'http'],
    ...after('tools/call', () => process.kill(process.pid, 'SIGKILL')),
  },
  'exits-after-each-response': {
    what: 'exits after each response',
    over: ['stdio', 'stdio new'],
    on(_, __, reply) {
      reply();
      setTimeout(() => process.exit(0), 5);
    },
  },
  'dies-of-unknown-methods': {
    what: 'exits at a method that it does not know',
    over: ['stdio', 'stdio new', 'http'],
    on(_message, session, reply) {
      session.send = (send => sent => {
        if (sent.error?.code === -32601) process.exit(1);
        send(sent);
      })(session.send);
      reply();
    },
  },
  'leaves-a-child': {
    what: 'leaves a process of another session',
    over: both,
    start: () => idle({ detached: true }).unref(),
  },
  'leaves-children-without-end': {
    what: 'starts a process at each message',
    over: both,
    on(_, __, reply) {
      idle({ detached: true }).unref();
      reply();
    },
  },
  'leaves-a-daemon': {
    what: 'leaves a process without its environment, with another parent, that holds standard output',
    over: ['stdio'],
    start() {
      const code = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', process.argv[1]],
        { detached: true, env: {}, stdio: ['ignore', 'inherit', 'ignore'] }).unref()`;
      idle({ detached: true, env: {}, stdio: ['ignore', 'inherit', 'ignore'] }, code).unref();
    },
  },
  'leaves-a-listener': {
    what: 'leaves a process that listens on a port',
    over: both,
    start: () => idle({ detached: true }, "require('node:net').createServer().listen(0)").unref(),
  },
  'leaves-a-deaf-child': {
    what: 'leaves a process that ignores signals',
    over: both,
    start: () => idle({ detached: true }, "process.on('SIGTERM',()=>{});setInterval(()=>{},1000)").unref(),
  },
  'revives-its-child': {
    what: 'starts its child again whenever it exits',
    over: both,
    start() {
      const again = () => idle({ detached: true }).once('exit', again).unref();
      again();
    },
  },
  'child-keeps-output': {
    what: 'exits; a child keeps standard output open and writes to it',
    over: ['stdio'],
    ...after('tools/list', () => {
      const code = "setInterval(() => process.stdout.write('still here\\n'), 20)";
      idle({ detached: true, stdio: ['ignore', 'inherit', 'inherit'] }, code).unref();
      setTimeout(() => process.exit(0), 50);
    }),
  },
  'closes-its-output': {
    what: 'closes standard output, and continues',
    over: ['stdio'],
    ...after('tools/list', () => {
      closeSync(1);
      forever();
    }),
  },
  'closes-its-input': {
    what: 'closes standard input, and continues',
    over: ['stdio'],
    ...after('tools/list', (_, __, reply) => {
      reply();
      process.stdin.destroy();
      closeSync(0);
      forever();
    }),
  },
  'stops-reading': {
    what: 'reads no more input after the first list',
    over: ['stdio'],
    ...after('tools/list', (_, __, reply) => {
      reply();
      process.stdin.pause();
      forever();
    }),
  },
  'floods-standard-error': {
    what: 'writes to standard error without end',
    over: both,
    start() {
      const write = () => {
        while (process.stderr.write(`${'error '.repeat(1000)}\n`));
      };
      process.stderr.on('drain', write);
      write();
    },
  },
  'standard-error-without-newline': {
    what: 'writes one line to standard error without end',
    over: ['stdio'],
    start() {
      const write = () => {
        while (process.stderr.write('x'.repeat(65_536)));
      };
      process.stderr.on('drain', write);
      write();
    },
  },
  'kills-its-group': {
    what: 'kills its process group',
    over: ['stdio'],
    ...after('tools/call', () => process.kill(0, 'SIGKILL')),
  },
};
