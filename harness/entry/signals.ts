/** Signal handling for commands that write a report before they exit. */

type Ending = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** The command handles the first signal; a second signal terminates the program immediately. */
export function handleSignals(listener: (signal: Ending) => void): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      listener(signal);
    });
  }
}
