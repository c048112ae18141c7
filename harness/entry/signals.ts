/** Signal handling for commands that write a report before they exit. */

import { type EndingSignal, endingSignals, signalExitCode } from './interruption.js';

/** The command handles the first signal; a second signal terminates the program immediately. */
export function handleSignals(listener: (signal: EndingSignal) => void): void {
  for (const signal of endingSignals) {
    process.removeAllListeners(signal);
    process.once(signal, () => {
      process.once(signal, () => process.exit(signalExitCode(signal)));
      listener(signal);
    });
  }
}
