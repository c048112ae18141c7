/** client/roots. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { refusal, result } from '../../fault.js';
import { paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAnswer, onAsk, onBehaviour, onNotification, onReply } from '../fault.js';

const method = 'roots/list';
const declaresNone = { uri: 'file:///', name: 'everything' };

/** Changes the list of roots. */
const roots = (change: (roots: Json[]) => Json[]) =>
  onAnswer(method, answer => ({ ...answer, roots: change(answer.roots as Json[]) }));

const codeOf = (reply: JsonObject): Json | undefined => (reply.error as JsonObject | undefined)?.code;

export const rootFaults = [
  clientFault(
    'client-root-not-file',
    {
      what: 'The client responds to roots/list with an https URI.',
      breaks: ['roots.uri-file-scheme'],
      shows: ['roots.uri-file-scheme#other-scheme'],
    },
    roots(all => [...all, { uri: 'https://example.com/project' }]),
  ),

  clientFault(
    'client-root-twice',
    {
      what: 'The client responds to roots/list with each root twice.',
      breaks: ['roots.uri-unique'],
      shows: ['roots.uri-unique#twice'],
    },
    roots(all => [...all, ...all]),
  ),

  clientFault(
    'client-root-detour',
    {
      what: 'The client responds to roots/list with a path that contains an encoded parent folder.',
      breaks: ['roots.uris-validated'],
      shows: ['roots.uris-validated#encoded'],
    },
    roots(all => [...all, { uri: 'file:///tmp/%2e%2e/etc' }]),
  ),

  clientFault(
    'client-roots-unchecked',
    {
      what: 'The client responds to roots/list with unchecked roots.',
      breaks: ['roots.uris-validated', 'roots.accessibility-validated'],
      shows: ['roots.accessibility-validated#listed', 'roots.uris-validated#parent'],
    },
    onBehaviour(habits => {
      habits.checksRoots = false;
    }),
  ),

  clientFault(
    'client-roots-undeclared',
    {
      what: 'The client responds to roots/list with a result although it has not declared roots.',
      breaks: ['roots.capability-declared'],
      shows: ['roots.capability-declared#listed'],
    },
    onReply(method, (reply, ask) =>
      codeOf(reply) === -32601 ? result(ask, { roots: [declaresNone] }) : reply,
    ),
  ),

  clientFault(
    'client-roots-refused-oddly',
    {
      what: 'The client responds to roots/list with an internal error when it has not declared roots.',
      breaks: ['roots.unsupported-error'],
      shows: ['roots.unsupported-error#other-code'],
    },
    onReply(method, (reply, ask) =>
      codeOf(reply) === -32601 ? refusal(ask, -32603, 'Internal error') : reply,
    ),
  ),

  clientFault(
    'client-roots-change-silent',
    {
      what: 'The client sends no notifications/roots/list_changed when its roots change.',
      breaks: ['roots.list-changed-notification'],
      shows: ['roots.list-changed-notification#silent'],
    },
    onNotification('notifications/roots/list_changed', () => undefined),
  ),
  clientFault(
    'client-roots-change-undeclared',
    {
      what: 'The client sends notifications/roots/list_changed although it has declared roots without listChanged.',
      breaks: ['lifecycle.respect-capabilities'],
      shows: ['lifecycle.respect-capabilities#roots-change'],
    },
    onAsk('initialize', ask => {
      const params = paramsOf(ask);
      const capabilities = isObject(params.capabilities) ? params.capabilities : {};
      return { ...ask, params: { ...params, capabilities: { ...capabilities, roots: {} } } };
    }),
  ),

  clientFault(
    'client-roots-failure-hidden',
    {
      what: 'The client responds to roots/list with an empty list when its roots are not available.',
      breaks: ['roots.internal-error-code'],
      shows: ['roots.internal-error-code#hidden'],
    },
    onReply(method, (reply, ask) => (codeOf(reply) === -32603 ? result(ask, { roots: [] }) : reply)),
  ),
];
