/** client/roots. */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { refusal, result } from '../../fault.js';
import { clientFault, onAnswer, onHabits, onNotification, onReply } from '../fault.js';

const method = 'roots/list';
const declaresNone = { uri: 'file:///', name: 'everything' };

/** Changes the list. */
const roots = (change: (roots: Json[]) => Json[]) =>
  onAnswer(method, answer => ({ ...answer, roots: change(answer.roots as Json[]) }));

const codeOf = (reply: JsonObject): Json | undefined => (reply.error as JsonObject | undefined)?.code;

export const rootFaults = [
  clientFault(
    'client-root-not-file',
    { what: 'A root of the client is a web page.', breaks: ['roots.uri-file-scheme'] },
    roots(all => [...all, { uri: 'https://example.com/project' }]),
  ),

  clientFault(
    'client-root-twice',
    { what: 'The client tells a root twice.', breaks: ['roots.uri-unique'] },
    roots(all => [...all, ...all]),
  ),

  clientFault(
    'client-root-detour',
    { what: 'The path of a root leads up again.', breaks: ['roots.uris-validated'] },
    roots(all => [...all, { uri: 'file:///tmp/%2e%2e/etc' }]),
  ),

  clientFault(
    'client-roots-unchecked',
    {
      what: 'The client tells whatever roots it is given.',
      breaks: ['roots.uris-validated', 'roots.accessibility-validated'],
    },
    onHabits(habits => {
      habits.checksRoots = false;
    }),
  ),

  clientFault(
    'client-roots-undeclared',
    {
      what: 'The client tells its roots although it has declared none.',
      breaks: ['roots.capability-declared'],
    },
    onReply(method, (reply, ask) =>
      codeOf(reply) === -32601 ? result(ask, { roots: [declaresNone] }) : reply,
    ),
  ),

  clientFault(
    'client-roots-refused-oddly',
    {
      what: 'A client without roots refuses to list them as if it had failed.',
      breaks: ['roots.unsupported-error'],
    },
    onReply(method, (reply, ask) =>
      codeOf(reply) === -32601 ? refusal(ask, -32603, 'Internal error') : reply,
    ),
  ),

  clientFault(
    'client-roots-change-silent',
    {
      what: 'The client does not say that its roots have changed.',
      breaks: ['roots.list-changed-notification'],
    },
    onNotification('notifications/roots/list_changed', () => undefined),
  ),

  clientFault(
    'client-roots-failure-hidden',
    {
      what: 'A client that cannot list its roots says that there are none.',
      breaks: ['roots.internal-error-code'],
    },
    onReply(method, (reply, ask) => (codeOf(reply) === -32603 ? result(ask, { roots: [] }) : reply)),
  ),
];
