/**
 * The two ways in which a run ends before its time: a signal of the user, and a defect of mcp-conform. Both leave
 * the reports with the findings so far.
 */

import { constants } from 'node:os';
import { exitCodes } from '../judge/verdict.js';

export interface Interruption {
  readonly exitCode: number;
  /** In words, for the reports. */
  readonly reason: string;
  /** Lines for the developer who repairs a defect. */
  readonly details: readonly string[];
}

/** Signals that ask a program to end. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
export type EndingSignal = (typeof endingSignals)[number];

/** The usual exit code of a program that ends because of a signal. */
export const signalExitCode = (signal: EndingSignal): number => 128 + constants.signals[signal];

const defects = ['uncaughtException', 'unhandledRejection'] as const;

/** An exception that no part of the program expected. */
export const ofDefect = (error: unknown): Interruption => ({
  exitCode: exitCodes.defect,
  reason: 'The run stopped because of a defect of mcp-conform.',
  details: (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n'),
});

/** The message about a defect, for standard error. */
export const describeDefect = (error: unknown): string =>
  [
    `mcp-conform has a defect: ${ofDefect(error).details.join('\n')}`,
    'Please report this defect, with the command line and the run.jsonl, if there is one.',
  ].join('\n');

/** Until something else handles them: signals end the program, and a defect has an exit code of its own. */
export function endOnInterruption(): void {
  for (const signal of endingSignals) process.on(signal, () => process.exit(signalExitCode(signal)));
  for (const event of defects)
    process.on(event, (error: unknown) => {
      console.error(describeDefect(error));
      process.exit(exitCodes.defect);
    });
}

/**
 * Waits for the first interruption, in place of the handlers so far; a second signal ends the program at once.
 * @param signals false if the command handles signals itself
 * @returns the interruption, and a function that restores the handlers
 */
export function watchInterruption(signals: boolean): {
  interrupted: Promise<Interruption>;
  stop: () => void;
} {
  const undo: (() => void)[] = [];
  const replace = (event: EndingSignal | (typeof defects)[number], handler: (value: unknown) => void) => {
    const former = process.listeners(event as 'SIGINT');
    process.removeAllListeners(event);
    process.once(event as 'SIGINT', handler);
    undo.push(() => {
      process.removeListener(event, handler);
      for (const listener of former) process.on(event as 'SIGINT', listener);
    });
  };
  const interrupted = new Promise<Interruption>(resolve => {
    for (const signal of signals ? endingSignals : [])
      replace(signal, () => {
        for (const each of endingSignals) process.on(each, () => process.exit(signalExitCode(each)));
        resolve({
          exitCode: signalExitCode(signal),
          reason: `The run was interrupted by ${signal}.`,
          details: [],
        });
      });
    for (const event of defects)
      replace(event, error => {
        console.error(describeDefect(error));
        resolve(ofDefect(error));
      });
  });
  const stop = () => {
    for (const each of undo) each();
  };
  return { interrupted, stop };
}
