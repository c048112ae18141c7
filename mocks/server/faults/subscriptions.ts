/** basic/patterns/subscriptions. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { fault, notification, onBlock, onNotification, onRequest, onResult } from '../../fault.js';
import { paramsOf } from './shared.js';

const tag = 'io.modelcontextprotocol/subscriptionId';
const acknowledged = 'notifications/subscriptions/acknowledged';

const everyList = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** The requested notifications, by the id of the subscription. */
const requested = () => new Map<string, JsonObject>();

/** The change that a call of the tool for changes causes is announced on the stream of the call. */
const changedOnCall = (list: 'tools' | 'prompts' | 'resources') =>
  fault(
    `${list}-changed-on-call`,
    {
      what: `notifications/${list}/list_changed arrives without a subscription.`,
      breaks: [`${list}.list-changed-opt-in`],
    },
    onRequest('tools/call', (ask, context) => {
      if (paramsOf(ask).name === 'test_simple_text')
        context.send(notification(`notifications/${list}/list_changed`));
      return ask;
    }),
  );

export const subscriptionFaults = [
  fault(
    'subscription-change-first',
    {
      what: 'A subscription delivers a change before its acknowledgement.',
      breaks: ['subscriptions.ack-first', 'subscriptions.nothing-before-ack'],
    },
    onNotification(acknowledged, message => {
      const { params } = message;
      const filter = isObject(params) && isObject(params.notifications) ? params.notifications : {};
      const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
      return filter.toolsListChanged === true
        ? [notification('notifications/tools/list_changed', { _meta: meta }), message]
        : message;
    }),
  ),

  fault(
    'acknowledgement-without-filter',
    {
      what: 'The acknowledgement of a subscription does not state the notifications.',
      breaks: ['subscriptions.ack-first'],
    },
    onNotification(acknowledged, message => ({
      ...message,
      params: without(message.params as JsonObject, 'notifications'),
    })),
  ),

  fault(
    'acknowledgement-of-everything',
    {
      what: 'The acknowledgement of a subscription states notifications that were not requested.',
      breaks: ['subscriptions.ack-subset'],
    },
    onNotification(acknowledged, message => ({
      ...message,
      params: { ...(message.params as JsonObject), notifications: everyList },
    })),
  ),

  fault(
    'filter-ignored',
    {
      what: 'A subscription delivers changes of all lists, whatever was requested.',
      breaks: [
        'subscriptions.only-requested-types',
        'tools.list-changed-opt-in',
        'prompts.list-changed-opt-in',
        'resources.list-changed-opt-in',
      ],
    },
    onRequest('subscriptions/listen', (ask, context) => {
      const params = paramsOf(ask);
      const wanted = isObject(params.notifications) ? params.notifications : {};
      context.keep(requested).set(String(ask.id), wanted);
      return { ...ask, params: { ...params, notifications: { ...wanted, ...everyList } } };
    }),
    onNotification(acknowledged, (message, context) => {
      const params = message.params as JsonObject;
      const id = isObject(params._meta) ? String(params._meta[tag]) : '';
      const notifications = context.keep(requested).get(id) ?? {};
      return { ...message, params: { ...params, notifications } };
    }),
  ),

  fault(
    'changes-untagged',
    {
      what: 'Notifications of a subscription do not name the subscription.',
      breaks: ['subscriptions.notifications-tagged'],
      over: ['streamable-http'],
    },
    onNotification(['notifications/tools/list_changed', 'notifications/resources/updated'], message => ({
      ...message,
      params: without(message.params as JsonObject, '_meta'),
    })),
  ),

  fault(
    'subscription-end-untagged',
    {
      what: 'The result that ends a subscription does not name the subscription.',
      breaks: ['subscriptions.notifications-tagged'],
      over: ['stdio'],
    },
    onResult('subscriptions/listen', body => ({ ...body, _meta: without(body._meta as JsonObject, tag) })),
  ),

  fault(
    'subscription-ends-silently',
    {
      what: 'A process that exits sends no result for its subscriptions.',
      breaks: ['subscriptions.graceful-end', 'cancellation.server-listen-teardown'],
      over: ['stdio'],
    },
    onResult('subscriptions/listen', () => undefined),
  ),

  fault(
    'progress-on-subscription',
    {
      what: 'A subscription delivers progress of other requests.',
      breaks: ['subscriptions.no-request-scoped', 'progress.token-of-active-request'],
      over: ['streamable-http'],
    },
    onBlock(block =>
      typeof block === 'object' && 'data' in block && block.data?.includes(`"${acknowledged}"`)
        ? [
            block,
            {
              event: 'message',
              data: JSON.stringify(
                notification('notifications/progress', { progressToken: 'of-another-request', progress: 1 }),
              ),
            },
          ]
        : block,
    ),
  ),

  changedOnCall('tools'),
  changedOnCall('prompts'),
  changedOnCall('resources'),

  fault(
    'server-cancels-a-call',
    {
      what: 'The server sends notifications/cancelled for a tools/call.',
      breaks: ['cancellation.server-only-listen', 'cancellation.server-references-listen'],
    },
    onRequest('tools/call', (ask, context) => {
      if (paramsOf(ask).name === 'test_simple_text')
        context.send(notification('notifications/cancelled', { requestId: ask.id! }));
      return ask;
    }),
  ),
];
