/** A subject whose first process starts before it is needed. */

import type { Endpoint, ProcessSubject } from './subject.js';

/**
 * Starts a process of the subject now, and returns the subject: its first `start` gives this process, later ones start
 * further processes. Nothing reads the output of the process before. A process that is not taken ends with the program.
 */
export function startEarly(subject: ProcessSubject): ProcessSubject {
  let early: Endpoint | undefined = subject.start();
  const start = (): Endpoint => {
    const endpoint = early ?? subject.start();
    early = undefined;
    return endpoint;
  };
  return { ...subject, start };
}
