/** How the launch of a client ended, in words. */

import type { Peer } from '../../peer/peer.js';
import { notStartedInWords } from '../../record/not-started.js';
import { unexercised } from '../../report/occasions.js';
import type { Exit } from '../../subject/subject.js';
import { type Starved, starvedInWords } from '../../time/clock.js';

/**
 * End of a launch: the client exited by itself, asked for the steps of the next launch, was inactive, or did not finish;
 * or the run was over.
 */
export type Ending = 'exited' | 'asked' | 'idle' | 'endless' | 'stopped';

/** End of a lane: the client went on to the next test server, or its launch ended there. */
export type Fate = Ending | 'went on';

/** What is known about the process of a launch that ended. */
interface Ended {
  readonly exit: Exit | undefined;
  readonly starved: Starved | undefined;
  /** True if the client was stopped by a signal. */
  readonly wasSuspended: boolean;
  /** True if the client printed without an end while it sent nothing. */
  readonly wasLoud: boolean;
}

/** The end of a launch in words, and whether it is abnormal. */
export function howItEnded(
  ending: Ending,
  { exit, starved, wasSuspended, wasLoud }: Ended,
): [string, boolean] {
  if (starved) return [`the harness stopped waiting (${starvedInWords(starved)})`, true];
  if (wasSuspended) return ['the client was stopped by a signal (SIGSTOP) and was terminated', true];
  if (wasLoud) return ['the client printed without an end, sent nothing, and was terminated', true];
  if (ending === 'asked')
    return ['the client took the steps of its script and asked for further ones', false];
  if (ending === 'idle') return ['the client was inactive and was terminated', true];
  if (ending === 'stopped') return ['the run reached a limit', true];
  if (ending === 'endless') return ['the client did not finish and was terminated', true];
  if (exit?.problem !== undefined) return [notStartedInWords(exit.problem, 'the client'), true];
  if (exit?.signal) return [`the client was terminated by ${exit.signal}`, true];
  return [`the client exited with code ${exit?.code}`, exit?.code !== 0];
}

/**
 * How the client hung (it may print without an end), was stopped by a signal, or did not connect; undefined where
 * it did not.
 */
export function howLost(fate: Fate, launch: Ended, peers: readonly Peer[]): string | undefined {
  if (launch.starved || fate === 'went on') return undefined;
  const heardNothing = fate === 'idle' && peers.every(peer => peer.liveness.noTrafficSinceTimeout);
  const isLost = fate === 'endless' || launch.wasSuspended || launch.wasLoud || heardNothing;
  return isLost ? howItEnded(fate, launch)[0] : undefined;
}

/** Lines that Node prints after an error: the places of the calls, the members of the error, its own version. */
const afterTheError = /^ {2,}|^[\]}]|^Node\.js v/;

/** Reason why a requirement of a case was not exercised. @param output the last lines of the client */
export function whyUnexercised(
  fate: Fate,
  launch: Ended,
  peers: readonly Peer[],
  output: readonly string[],
): string {
  const lastWord = output.findLast(line => !afterTheError.test(line)) ?? output.at(-1);
  const said = lastWord === undefined ? '' : `; last output: ${lastWord.slice(0, 200)}`;
  if (fate === 'went on') return unexercised;
  const [how, bad] = howItEnded(fate, launch);
  if (peers.length === 0) return `the client did not connect: ${how}${said}`;
  return bad ? `${how}${said}` : unexercised;
}
