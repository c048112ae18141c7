/** Legal forms of subscriptions. */

import { envelopeKeys } from '../../../harness/record/envelope.js';
import { isObject, without } from '../../../spec/json-rpc.js';
import {
  quirk as anyQuirk,
  type Middleware,
  notification,
  onNotification,
  onReply,
  onRequest,
  onWorld,
  type Quirk,
  refusal,
  result,
  showing,
} from '../../fault.js';
import { announcedLists, growAfterCall, isStateless, paramsOf } from '../faults/shared.js';
import { codes } from '../refusal.js';

const quirk = (id: string, what: string, ...middleware: Middleware[]): Quirk =>
  anyQuirk(id, { what, where: isStateless }, ...middleware);

const acknowledged = 'notifications/subscriptions/acknowledged';

const changes = [
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
];

export const subscriptionQuirks = [
  showing(
    ['prompts.list-changed-opt-in#refused-in-acknowledgement', 'subscriptions.ack-subset#states-false'],
    quirk(
      'acknowledgement-with-refusals',
      'The acknowledgement of a subscription states false for each list that is not delivered.',
      onNotification(acknowledged, message => {
        const params = paramsOf(message);
        const none = { toolsListChanged: false, promptsListChanged: false, resourcesListChanged: false };
        const agreed = isObject(params.notifications) ? params.notifications : {};
        return { ...message, params: { ...params, notifications: { ...none, ...agreed } } };
      }),
    ),
  ),
  showing(
    ['resources.updated-notification#narrowed', 'subscriptions.ack-subset#fewer-resources'],
    quirk(
      'resource-subscriptions-narrowed',
      'A subscription covers no resource, and the acknowledgement says so.',
      onRequest('subscriptions/listen', ask => {
        const params = paramsOf(ask);
        const wanted = isObject(params.notifications) ? params.notifications : {};
        return { ...ask, params: { ...params, notifications: without(wanted, 'resourceSubscriptions') } };
      }),
      onWorld(world => {
        world.capabilities = { ...world.capabilities, resources: { listChanged: true } };
      }),
    ),
  ),
  showing(
    ['tools.list-changed-notification#twice', 'prompts.list-changed-notification#twice'],
    quirk(
      'changes-announced-twice',
      'Each change is announced twice.',
      onNotification([...changes, 'notifications/resources/updated'], message => [message, { ...message }]),
    ),
  ),
  showing(
    ['tools.list-changed-notification#late'],
    quirk(
      'changes-announced-late',
      'Changes are announced a few milliseconds later.',
      onNotification(changes, (message, context) => {
        context.after(3, () => context.send(message));
        return undefined;
      }),
    ),
  ),
  showing(
    ['subscriptions.notifications-tagged#unknown-notification'],
    quirk(
      'unknown-notification-on-subscription',
      'A subscription delivers an unknown notification.',
      onNotification(acknowledged, message => [
        message,
        notification('notifications/com.example/odd', { _meta: paramsOf(message)._meta!, a: [1] }),
      ]),
    ),
  ),
  showing(
    [
      'resources.updated-notification#part',
      'resources.updated-only-after-subscribe#part',
      'subscriptions.only-requested-types#part',
    ],
    quirk(
      'part-of-resource-updated',
      'An update names a resource inside of the requested one.',
      onNotification('notifications/resources/updated', message => [
        message,
        { ...message, params: { ...paramsOf(message), uri: `${String(paramsOf(message).uri)}/part` } },
      ]),
    ),
  ),
  showing(
    [
      'cancellation.server-listen-teardown#notification-alone',
      'cancellation.server-only-listen#listen',
      'cancellation.server-references-listen#listen',
      'subscriptions.graceful-end#notification-alone',
    ],
    quirk(
      'subscription-cancelled-at-end',
      'A process that exits ends its subscriptions with notifications/cancelled and without a result.',
      onReply('subscriptions/listen', (reply, ask) =>
        'result' in reply ? notification('notifications/cancelled', { requestId: ask.id! }) : reply,
      ),
    ),
  ),
  showing(
    [
      'base.components-supported#no-subscriptions',
      'subscriptions.ack-first#refused',
      'ext-tasks.listen-undeclared#no-subscriptions',
    ],
    quirk(
      'no-subscriptions',
      'The server announces no changes, and subscriptions/listen is unknown.',
      onWorld(world => {
        const { extensions } = world.capabilities;
        const silent = { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} };
        world.capabilities = { ...silent, ...(extensions !== undefined && { extensions }) };
      }),
      onRequest('subscriptions/listen', ask => ({ ...ask, method: 'subscriptions/none' })),
      onReply('subscriptions/listen', (_reply, ask) =>
        refusal(ask, codes.methodNotFound, 'There are no subscriptions.'),
      ),
    ),
  ),
  showing(
    ['subscriptions.ack-first#ends-at-once'],
    quirk(
      'subscription-ends-at-once',
      'A subscription for nothing ends with its acknowledgement.',
      onNotification(acknowledged, message => {
        const { notifications, _meta } = paramsOf(message);
        const isEmpty = isObject(notifications) && Object.keys(notifications).length === 0;
        if (!isEmpty || !isObject(_meta)) return message;
        const meta = { ..._meta, [envelopeKeys.serverInfo]: { name: 'mcp-conform-mock', version: '1' } };
        return [
          message,
          result({ id: _meta[envelopeKeys.subscriptionId]! }, { resultType: 'complete', _meta: meta }),
        ];
      }),
    ),
  ),
  showing(
    [
      'tools.list-not-per-connection#announced',
      'prompts.list-not-per-connection#announced',
      'resources.list-not-per-connection#announced',
    ],
    anyQuirk(
      'lists-changed-by-a-call',
      {
        what: 'The first tools/call of a process changes all lists, and the server announces the changes.',
        where: isStateless,
        over: ['stdio'],
      },
      ...growAfterCall(announcedLists, ({ world }) => {
        for (const list of announcedLists) world.announce({ list });
      }),
    ),
  ),
];
