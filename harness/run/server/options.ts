/** Options of a run against a server. */

import type { Revision, TransportId } from '../../../spec/revisions.js';
import type { Credentials } from '../../oauth/login.js';
import type { OwnTools } from '../../scenario/tool-roles.js';
import type { Subject } from '../../subject/subject.js';
import type { Timing } from '../../time/timing.js';
import type { CommonOptions } from '../recorder.js';
import type { CallTools } from './probe.js';
import type { Patience } from './shrink.js';

/** A server and its transport. */
export interface ServerTarget {
  readonly subject: Subject;
  /** Default: stdio for a command, streamable-http for a URL. */
  readonly transport?: TransportId;
}

export interface RunOptions extends CommonOptions, ServerTarget {
  /** The same server over further transports, tested one after the other. */
  readonly further?: readonly ServerTarget[];
  /** Default `latest`: the newest revision that the subject offers. */
  readonly revision?: 'latest' | 'all' | Revision;
  /** Tools of the subject with a role in scenarios. */
  readonly ownTools?: OwnTools;
  readonly callTools?: CallTools;
  readonly timing?: Timing;
  /** Access of the harness to a protected server. */
  readonly credentials?: Credentials;
  /** Identifiers of extensions that the server has, beside those that it declares. */
  readonly extensions?: readonly string[];
  /** Number of conversations beside the shared one; default: one per core, over HTTP 8, or 1 without sessions. */
  readonly jobs?: number;
  /** Budget for shrinking failures of generated values; default: some seconds and a few conversations. */
  readonly patience?: Patience;
}
