/** Commands that end by themselves when they are told to, with a report, instead of just leaving. */

export type Ending = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** The first signal is handled by the command; another one ends the program at once. */
export function handleSignals(listener: (signal: Ending) => void): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      listener(signal);
    });
  }
}
