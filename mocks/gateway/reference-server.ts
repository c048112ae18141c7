/** The server behind a gateway under test: the reference server, whose results also have members of _meta. */

import { inProcess, type ProcessSubject } from '../../harness/subject/subject.js';
import { isObject } from '../../spec/json-rpc.js';
import type { RevisionId } from '../../spec/revisions.js';
import { onResult, type Quirk, quirk } from '../fault.js';
import { type Hosted, hosted } from '../server/hosted.js';
import { mockServer } from '../server/server.js';

const notes: Quirk = quirk(
  'results-with-notes',
  { what: 'Results of tools/call have a member of _meta of the server.' },
  onResult('tools/call', body =>
    body.resultType === 'input_required'
      ? body
      : {
          ...body,
          _meta: { ...(isObject(body._meta) && body._meta), 'com.example/note': { of: 'the server' } },
        },
  ),
);

interface ServerBehind {
  readonly stdio: ProcessSubject;
  listen(): Promise<Hosted>;
}

/**
 * @param delayMs pause between the messages of the fixture tools, in milliseconds
 * @param revisions those that the server offers; default: all
 */
export function serverBehind(delayMs = 10, revisions?: readonly RevisionId[]): ServerBehind {
  const make = () => mockServer({ quirks: [notes], delayMs, ...(revisions && { revisions }) });
  return {
    stdio: inProcess(streams => make().serve(streams)),
    listen: () => hosted(make().http()),
  };
}
