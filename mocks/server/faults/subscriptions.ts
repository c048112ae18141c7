/** basic/patterns/subscriptions. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  fault,
  type Middleware,
  notification,
  onBlock,
  onIncoming,
  onMessage,
  onNotification,
  onRequest,
  onResult,
  onWorld,
  result,
} from '../../fault.js';
import { askedIn, isStateless, paramsOf } from './shared.js';

const tag = 'io.modelcontextprotocol/subscriptionId';
const acknowledged = 'notifications/subscriptions/acknowledged';

const changeMethods = [
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
];

/** The message with another id of its subscription. */
const tagged = (message: JsonObject, id: string | number): JsonObject => ({
  ...message,
  params: { ...paramsOf(message), _meta: { [tag]: id } },
});

const serverInfo = 'io.modelcontextprotocol/serverInfo';
const own = { name: 'mcp-conform-mock', version: '1' };

/** The result of a subscription. @param meta the metadata of its acknowledgement */
const endOf = (meta: JsonObject): JsonObject =>
  result({ id: meta[tag]! }, { resultType: 'complete', _meta: { ...meta, [serverInfo]: own } });

const everyList = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** The requested notifications, by the id of the subscription. */
const requested = () => new Map<string, JsonObject>();

/** The ids of the subscriptions that the client has not cancelled. */
const openSubscriptions = () => new Set<Json | undefined>();

/** The change that a call of the tool for changes causes is announced on the stream of the call. */
const changedOnCall = (list: 'tools' | 'prompts' | 'resources') =>
  fault(
    `${list}-changed-on-call`,
    {
      what: `notifications/${list}/list_changed arrives without a subscription.`,
      breaks: [`${list}.list-changed-opt-in`],
    },
    onIncoming((message, context) => {
      const open = context.keep(openSubscriptions);
      if (!isObject(message)) return message;
      if (message.method === 'subscriptions/listen') open.add(message.id);
      if (message.method === 'notifications/cancelled') open.delete(paramsOf(message).requestId);
      return message;
    }),
    onRequest('tools/call', (ask, context) => {
      // on stdio an open subscription may be meant: then the change lacks its id
      if (paramsOf(ask).name === 'test_simple_text' && context.keep(openSubscriptions).size === 0)
        context.send(notification(`notifications/${list}/list_changed`));
      return ask;
    }),
  );

/** Changes the notifications to which the acknowledgement of a subscription agrees. */
const onAgreed = (change: (agreed: JsonObject) => Json): Middleware =>
  onNotification(acknowledged, message => {
    const params = paramsOf(message);
    const agreed = isObject(params.notifications) ? params.notifications : {};
    return { ...message, params: { ...params, notifications: change(agreed) } };
  });

export const subscriptionFaults = [
  fault(
    'subscription-change-first',
    {
      what: 'A subscription delivers a change before its acknowledgement.',
      breaks: ['subscriptions.ack-first', 'subscriptions.nothing-before-ack'],
      shows: ['subscriptions.ack-first#change-first', 'subscriptions.nothing-before-ack#change'],
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
      shows: ['subscriptions.ack-first#no-filter'],
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
      shows: ['subscriptions.ack-subset#not-requested'],
    },
    onNotification(acknowledged, message => ({
      ...message,
      params: { ...(message.params as JsonObject), notifications: everyList },
    })),
  ),

  fault(
    'acknowledgement-of-nothing',
    {
      what: 'The acknowledgement of a subscription states no notifications, and the server sends those that were requested.',
      breaks: ['subscriptions.ack-subset'],
      shows: ['subscriptions.ack-subset#not-agreed'],
    },
    onAgreed(() => ({})),
  ),

  fault(
    'acknowledgement-of-undeclared',
    {
      what: 'The acknowledgement of a subscription states changes of prompts, whose capability the server does not declare.',
      breaks: ['subscriptions.ack-subset'],
      shows: ['subscriptions.ack-subset#unsupported'],
      where: isStateless,
    },
    onWorld(world => {
      world.capabilities.prompts = {};
    }),
    // only a subscription to everything asks for changes of resources
    onAgreed(agreed =>
      agreed.resourcesListChanged === true ? { ...agreed, promptsListChanged: true } : agreed,
    ),
  ),

  fault(
    'filter-by-presence',
    {
      what: 'An entry of a filter counts as requested whatever its value, false included.',
      breaks: ['subscriptions.ack-subset', 'subscriptions.only-requested-types', 'tools.list-changed-opt-in'],
      shows: [
        'subscriptions.ack-subset#requested-with-false',
        'subscriptions.only-requested-types#requested-with-false',
      ],
    },
    onRequest('subscriptions/listen', ask => {
      const { notifications: filter, ...rest } = paramsOf(ask);
      if (!isObject(filter)) return ask;
      const all = Object.entries(filter).map(([entry, value]) => [entry, value === false ? true : value]);
      return { ...ask, params: { ...rest, notifications: Object.fromEntries(all) } };
    }),
  ),

  fault(
    'subscription-stream-ends',
    {
      what: 'The stream of a subscription to several kinds of changes ends after its acknowledgement.',
      breaks: ['subscriptions.stays-open'],
      shows: ['subscriptions.stays-open#stream-ends'],
      over: ['streamable-http'],
    },
    onBlock((block, ask, _context, writer) => {
      const filter = paramsOf(askedIn(ask, 'subscriptions/listen') ?? {}).notifications;
      if (!isObject(filter) || Object.keys(filter).length < 2) return block;
      writer.write(block);
      writer.close();
      return undefined;
    }),
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
      shows: [
        'tools.list-changed-opt-in#other-filter',
        'prompts.list-changed-opt-in#other-filter',
        'resources.list-changed-opt-in#other-filter',
        'subscriptions.only-requested-types#other-list',
      ],
    },
    onRequest('subscriptions/listen', (ask, context) => {
      const params = paramsOf(ask);
      const { notifications: wanted } = params;
      if (!isObject(wanted)) return ask;
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
      shows: ['subscriptions.notifications-tagged#change-untagged'],
      where: isStateless,
    },
    onNotification(['notifications/tools/list_changed', 'notifications/resources/updated'], message => ({
      ...message,
      params: without(message.params as JsonObject, '_meta'),
    })),
  ),

  fault(
    'triggered-changes-untagged',
    {
      what: 'Notifications about changes of lists, which only the tools of the official suite cause, do not name the subscription.',
      breaks: ['subscriptions.notifications-tagged'],
      over: ['streamable-http'],
    },
    onWorld(world => {
      world.tools = world.tools.filter(tool => tool.definition.name !== 'test_list_change');
    }),
    onNotification(['notifications/tools/list_changed', 'notifications/prompts/list_changed'], message => ({
      ...message,
      params: without(message.params as JsonObject, '_meta'),
    })),
  ),

  fault(
    'subscription-end-untagged',
    {
      what: 'The result that ends a subscription does not name the subscription.',
      breaks: ['subscriptions.notifications-tagged'],
      shows: ['subscriptions.notifications-tagged#end-untagged'],
      over: ['stdio'],
    },
    onResult('subscriptions/listen', body => ({ ...body, _meta: without(body._meta as JsonObject, tag) })),
  ),

  fault(
    'subscription-ends-silently',
    {
      what: 'A process that exits sends no result for its subscriptions.',
      breaks: ['subscriptions.graceful-end', 'cancellation.server-listen-teardown'],
      shows: ['cancellation.server-listen-teardown#silent', 'subscriptions.graceful-end#silent'],
      over: ['stdio'],
    },
    onResult('subscriptions/listen', () => undefined),
  ),

  fault(
    'progress-on-subscription',
    {
      what: 'A subscription delivers progress of other requests.',
      breaks: [
        'subscriptions.no-request-scoped',
        'progress.token-of-active-request',
        'ext-tasks.no-progress-on-listen',
      ],
      shows: ['progress.token-of-active-request#on-subscription', 'subscriptions.no-request-scoped#progress'],
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
      shows: ['cancellation.server-only-listen#call', 'cancellation.server-references-listen#call'],
    },
    onRequest('tools/call', (ask, context) => {
      if (paramsOf(ask).name === 'test_simple_text')
        context.send(notification('notifications/cancelled', { requestId: ask.id! }));
      return ask;
    }),
  ),

  fault(
    'acknowledgement-untagged',
    {
      what: 'The acknowledgement of a subscription does not name the subscription.',
      breaks: ['subscriptions.notifications-tagged'],
      shows: ['subscriptions.notifications-tagged#acknowledgement-untagged'],
      over: ['streamable-http'],
    },
    onNotification(acknowledged, message => ({
      ...message,
      params: without(message.params as JsonObject, '_meta'),
    })),
  ),

  fault(
    'changes-tagged-with-another-id',
    {
      what: 'Changes name another subscription.',
      breaks: ['subscriptions.notifications-tagged'],
      shows: ['subscriptions.notifications-tagged#other-id'],
      over: ['streamable-http'],
    },
    onNotification(changeMethods, message => tagged(message, 'another')),
  ),

  fault(
    'changes-tagged-in-lower-case',
    {
      what: 'Changes name the subscription with its id in lower case.',
      breaks: ['subscriptions.notifications-tagged'],
      shows: ['subscriptions.notifications-tagged#other-id'],
      over: ['streamable-http'],
    },
    onNotification(changeMethods, message => {
      const id = (paramsOf(message)._meta as JsonObject)[tag];
      return typeof id === 'string' ? tagged(message, id.toLowerCase()) : message;
    }),
  ),

  fault(
    'changes-tagged-with-first-subscription',
    {
      what: 'Changes for a subscription to prompts whose id is a text name the subscription to tools beside it.',
      breaks: ['subscriptions.only-requested-types', 'prompts.list-changed-opt-in'],
      shows: ['subscriptions.only-requested-types#other-list', 'prompts.list-changed-opt-in#other-filter'],
      over: ['stdio'],
      where: isStateless,
    },
    onRequest('subscriptions/listen', (ask, context) => {
      const { notifications } = paramsOf(ask);
      if (isObject(notifications)) context.keep(requested).set(String(ask.id), notifications);
      return ask;
    }),
    onIncoming((message, context) => {
      if (isObject(message) && message.method === 'notifications/cancelled')
        context.keep(requested).delete(String(paramsOf(message).requestId));
      return message;
    }),
    onNotification('notifications/prompts/list_changed', (message, context) => {
      const asked = [...context.keep(requested)];
      const first = asked.findLast(
        ([, { toolsListChanged, promptsListChanged }]) => toolsListChanged && !promptsListChanged,
      );
      const id = (paramsOf(message)._meta as JsonObject)[tag];
      return first && typeof id === 'string'
        ? { ...message, params: { ...paramsOf(message), _meta: { [tag]: Number(first[0]) } } }
        : message;
    }),
  ),

  fault(
    'changes-tagged-with-text',
    {
      what: 'Changes name the subscription with its id as a text.',
      breaks: ['subscriptions.notifications-tagged'],
      shows: ['subscriptions.notifications-tagged#retyped'],
      over: ['streamable-http'],
    },
    onNotification([...changeMethods, acknowledged], message =>
      tagged(message, `${String((paramsOf(message)._meta as JsonObject)[tag])}`),
    ),
  ),

  fault(
    'acknowledgement-tagged-with-number',
    {
      what: 'The acknowledgement of a subscription whose id is a text of digits names it with a number.',
      breaks: ['subscriptions.notifications-tagged'],
      shows: ['subscriptions.notifications-tagged#number-for-text'],
    },
    onNotification(acknowledged, message => {
      const id = String((paramsOf(message)._meta as JsonObject)[tag]);
      return /^\d{5,}$/.test(id) ? tagged(message, Number(id)) : message;
    }),
  ),

  fault(
    'subscription-end-tagged-with-another-id',
    {
      what: 'The result that ends a subscription names another one.',
      breaks: ['subscriptions.notifications-tagged'],
      shows: ['subscriptions.notifications-tagged#end-with-other-id'],
      over: ['stdio'],
    },
    onResult('subscriptions/listen', body => ({
      ...body,
      _meta: { ...(body._meta as JsonObject), [tag]: 'another' },
    })),
  ),

  fault(
    'subscription-end-without-type',
    {
      what: 'The result that ends a subscription has no resultType.',
      breaks: ['result.type-present'],
      shows: ['result.type-present#missing-at-end'],
      over: ['stdio'],
    },
    onMessage(message =>
      isObject(message.result) && isObject(message.result._meta) && tag in message.result._meta
        ? { ...message, result: without(message.result, 'resultType') }
        : message,
    ),
  ),

  fault(
    'acknowledgement-of-another-resource',
    {
      what: 'The acknowledgement of a subscription names a resource that was not requested.',
      breaks: ['subscriptions.ack-subset'],
      shows: ['subscriptions.ack-subset#other-resource'],
    },
    onAgreed(agreed => {
      const uris = Array.isArray(agreed.resourceSubscriptions) ? agreed.resourceSubscriptions : [];
      return { ...agreed, resourceSubscriptions: [...uris, 'test://static-text'] };
    }),
  ),

  fault(
    'acknowledgement-of-prompts',
    {
      what: 'The acknowledgement of a subscription states changes of prompts, whatever was requested.',
      breaks: ['subscriptions.ack-subset'],
      shows: ['subscriptions.ack-subset#not-requested'],
    },
    onAgreed(agreed => ({ ...agreed, promptsListChanged: true })),
  ),

  fault(
    'acknowledgement-as-list',
    {
      what: 'The acknowledgement of a subscription states the notifications as a list.',
      breaks: ['subscriptions.ack-first'],
      shows: ['subscriptions.ack-first#filter-no-object'],
    },
    onAgreed(agreed => Object.keys(agreed)),
  ),

  fault(
    'acknowledgement-after-result',
    {
      what: 'A subscription to nothing ends before its acknowledgement.',
      breaks: ['subscriptions.ack-first'],
      shows: ['subscriptions.ack-first#result-first'],
    },
    onNotification(acknowledged, message => {
      const { notifications, _meta } = paramsOf(message);
      const isEmpty = isObject(notifications) && Object.keys(notifications).length === 0;
      return isEmpty && isObject(_meta) ? endOf(_meta) : message;
    }),
  ),

  ...(['tools', 'resources'] as const).map(list =>
    fault(
      `${list}-delivered-unrequested`,
      {
        what: `A subscription to prompts delivers changes of ${list} too.`,
        breaks: ['subscriptions.only-requested-types', `${list}.list-changed-opt-in`],
      },
      onNotification('notifications/prompts/list_changed', message => [
        message,
        { ...message, method: `notifications/${list}/list_changed` },
      ]),
    ),
  ),

  fault(
    'updates-delivered-unrequested',
    {
      what: 'A subscription to prompts delivers updates of a resource too.',
      breaks: ['subscriptions.only-requested-types', 'resources.updated-only-after-subscribe'],
      shows: [
        'resources.updated-only-after-subscribe#other-filter',
        'subscriptions.only-requested-types#updates',
      ],
      where: isStateless,
    },
    onNotification('notifications/prompts/list_changed', message => [
      message,
      {
        ...message,
        method: 'notifications/resources/updated',
        params: { ...paramsOf(message), uri: 'test://watched-resource' },
      },
    ]),
  ),

  fault(
    'updates-of-another-resource',
    {
      what: 'A subscription to one resource delivers updates of another one.',
      breaks: ['subscriptions.only-requested-types', 'resources.updated-only-after-subscribe'],
      shows: [
        'resources.updated-only-after-subscribe#other-resource',
        'subscriptions.only-requested-types#other-resource',
      ],
      where: isStateless,
    },
    onNotification('notifications/resources/updated', message => [
      message,
      { ...message, params: { ...paramsOf(message), uri: 'test://static-text' } },
    ]),
  ),

  fault(
    'change-with-acknowledgement',
    {
      what: 'A subscription delivers a change of the resources before its acknowledgement.',
      breaks: ['subscriptions.ack-first', 'subscriptions.nothing-before-ack'],
      shows: ['subscriptions.ack-first#change-first', 'subscriptions.nothing-before-ack#change'],
    },
    onNotification(acknowledged, message => {
      const { notifications, _meta } = paramsOf(message);
      const uris = isObject(notifications) ? notifications.resourceSubscriptions : undefined;
      return Array.isArray(uris) && isObject(_meta)
        ? [notification('notifications/resources/updated', { uri: uris[0]!, _meta }), message]
        : message;
    }),
  ),

  fault(
    'server-cancels-unknown-request',
    {
      what: 'The server sends notifications/cancelled for an id that no request had.',
      breaks: ['cancellation.server-only-listen', 'cancellation.server-references-listen'],
      shows: ['cancellation.server-only-listen#unknown', 'cancellation.server-references-listen#unknown'],
    },
    onRequest('tools/call', (ask, context) => {
      if (paramsOf(ask).name === 'test_simple_text')
        context.send(notification('notifications/cancelled', { requestId: 'nobody-used-this' }));
      return ask;
    }),
  ),

  fault(
    'subscription-ends-with-acknowledgement',
    {
      what: 'A subscription to all notifications gets its result with the acknowledgement.',
      breaks: ['subscriptions.stays-open'],
      shows: ['subscriptions.stays-open#at-once'],
    },
    onNotification(acknowledged, message => {
      const { notifications, _meta } = paramsOf(message);
      const isAll = isObject(notifications) && Object.keys(notifications).length >= 4;
      return isAll && isObject(_meta) ? [message, endOf(_meta)] : message;
    }),
  ),

  fault(
    'listen-ignored',
    {
      what: 'subscriptions/listen gets neither an acknowledgement nor a response.',
      breaks: ['subscriptions.ack-first'],
      shows: ['subscriptions.ack-first#silent'],
      where: isStateless,
    },
    onIncoming(message =>
      isObject(message) && message.method === 'subscriptions/listen' ? undefined : message,
    ),
  ),

  fault(
    'cancelled-subscription-continues',
    {
      what: 'A cancelled subscription still delivers changes.',
      breaks: ['cancellation.no-response', 'cancellation.no-further-messages'],
      shows: [
        'cancellation.no-response#subscription-goes-on',
        'cancellation.no-further-messages#subscription-goes-on',
      ],
      over: ['stdio'],
      where: isStateless,
    },
    onIncoming((message, context) => {
      const listening = context.keep(() => new Set<unknown>());
      if (!isObject(message)) return message;
      if (message.method === 'subscriptions/listen') listening.add(message.id);
      const isEnd = message.method === 'notifications/cancelled';
      return isEnd && listening.has(paramsOf(message).requestId) ? undefined : message;
    }),
  ),

  fault(
    'listen-without-filter-served',
    {
      what: 'subscriptions/listen without a filter is acknowledged like one for nothing.',
      breaks: ['jsonrpc.invalid-params'],
      shows: ['jsonrpc.invalid-params#member-missing-served'],
      where: isStateless,
    },
    onRequest('subscriptions/listen', ask =>
      isObject(ask.params) && ask.params.notifications === undefined
        ? { ...ask, params: { ...ask.params, notifications: {} } }
        : ask,
    ),
  ),
];
