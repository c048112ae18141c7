/** basic/lifecycle: faults of clients at the start of a session. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { latestRevision, revisions } from '../../../spec/revisions.js';
import { asking } from '../../fault.js';
import { hasHandshake, paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAsk, onBehaviour, onIncoming, onNotification } from '../fault.js';

const initialized = 'notifications/initialized';

const withoutParam = (name: string) => (ask: JsonObject) => ({
  ...ask,
  params: without(paramsOf(ask), name),
});

/** Reads the capabilities of the server as other ones. */
const readingCapabilities = (read: (capabilities: JsonObject) => JsonObject) =>
  onIncoming(message => {
    const { result } = isObject(message) ? message : {};
    if (!isObject(message) || !isObject(result) || !isObject(result.capabilities)) return message;
    return { ...message, result: { ...result, capabilities: read(result.capabilities) } };
  });

export const lifecycleFaults = [
  clientFault(
    'client-never-initialized',
    {
      what: 'The client never sends notifications/initialized.',
      breaks: ['lifecycle.client-sends-initialized'],
      shows: ['lifecycle.client-sends-initialized#never'],
    },
    onNotification(initialized, () => undefined),
  ),

  clientFault(
    'client-initialized-misnamed',
    {
      what: 'The client sends the notification initialized without the prefix notifications/.',
      breaks: ['lifecycle.client-sends-initialized'],
      shows: ['lifecycle.client-sends-initialized#misnamed'],
    },
    onNotification(initialized, note => ({ ...note, method: 'initialized' })),
  ),

  clientFault(
    'client-initialized-early',
    {
      what: 'The client sends notifications/initialized together with initialize, before the response.',
      breaks: ['lifecycle.client-sends-initialized'],
      shows: ['lifecycle.client-sends-initialized#early'],
    },
    onAsk('initialize', ask => [ask, { jsonrpc: '2.0', method: initialized }]),
    onNotification(initialized, (note, context) => {
      const said = context.keep(() => new WeakSet<object>());
      if (said.has(context.session)) return undefined;
      said.add(context.session);
      return note;
    }),
  ),

  clientFault(
    'client-initialize-bare',
    {
      what: 'The client sends initialize without capabilities.',
      breaks: ['lifecycle.client-sends-initialize', 'lifecycle.respect-capabilities'],
      shows: [
        'lifecycle.client-sends-initialize#no-capabilities',
        'lifecycle.respect-capabilities#roots-change',
      ],
    },
    onAsk('initialize', withoutParam('capabilities')),
  ),

  clientFault(
    'client-anonymous',
    {
      what: 'The client sends initialize with a clientInfo that has no version.',
      breaks: ['lifecycle.client-sends-initialize'],
      shows: ['lifecycle.client-sends-initialize#client-info-incomplete'],
    },
    onAsk('initialize', ask => ({
      ...ask,
      params: { ...(ask.params as JsonObject), clientInfo: { name: 'no version' } },
    })),
  ),

  clientFault(
    'client-initialize-without-version',
    {
      what: 'The client sends initialize without protocolVersion.',
      breaks: ['lifecycle.client-sends-initialize'],
      shows: ['lifecycle.client-sends-initialize#no-version'],
    },
    onAsk('initialize', withoutParam('protocolVersion')),
  ),

  clientFault(
    'client-version-no-date',
    {
      what: 'The client sends initialize with the protocol version 1.0 and accepts the offered version.',
      breaks: ['lifecycle.client-version-form'],
      shows: ['lifecycle.client-version-form#no-version'],
    },
    onBehaviour(habits => {
      habits.asksFor = '1.0';
    }),
  ),

  clientFault(
    'client-asks-before-answer',
    {
      what: 'The client sends tools/list before the response to initialize.',
      breaks: ['lifecycle.client-waits-for-initialize'],
      shows: ['lifecycle.client-waits-for-initialize#early-request'],
    },
    onAsk('initialize', ask => [ask, asking('hasty', 'tools/list')]),
  ),

  clientFault(
    'client-initializes-twice',
    {
      what: 'The client sends initialize twice under the same id, the second time before the response to the first.',
      breaks: ['lifecycle.client-waits-for-initialize', 'jsonrpc.request-id-unique-in-session'],
      shows: [
        'lifecycle.client-waits-for-initialize#second-initialize',
        'jsonrpc.request-id-unique-in-session#initialize-repeated',
      ],
      over: ['stdio'],
    },
    onAsk('initialize', ask => [ask, ask]),
  ),

  clientFault(
    'client-initializes-again',
    {
      what: 'The client sends a second initialize under another id before the response to the first.',
      breaks: ['lifecycle.client-waits-for-initialize'],
      shows: ['lifecycle.client-waits-for-initialize#second-initialize'],
      over: ['stdio'],
    },
    onAsk('initialize', ask => [ask, { ...ask, id: 'again' }]),
  ),

  clientFault(
    'client-asks-first',
    {
      what: 'The client sends tools/list before initialize.',
      breaks: ['lifecycle.initialize-first'],
      shows: ['lifecycle.initialize-first#client-asks-first'],
    },
    onAsk('initialize', ask => [asking('first', 'tools/list'), ask]),
  ),

  clientFault(
    'client-drops-own-version',
    {
      what: 'The client disconnects when the initialize result has the requested version.',
      breaks: ['lifecycle.client-version-supported'],
      shows: ['lifecycle.client-version-supported#disconnects'],
    },
    onBehaviour(habits => {
      habits.versions = habits.versions.filter(version => version !== habits.asksFor);
    }),
  ),

  clientFault(
    'client-asks-for-less',
    {
      what: 'The client requests its oldest version in initialize and accepts any newer one.',
      breaks: ['lifecycle.client-version-latest'],
      shows: ['lifecycle.client-version-latest#continues-newer'],
      // a server cannot offer a version that is newer than all of the client's, and does not offer the newest
      // one unrequested
      where: revision => revision !== revisions[0] && revision !== latestRevision,
    },
    onBehaviour(habits => {
      habits.asksFor = revisions[0]!.id;
    }),
  ),

  clientFault(
    'client-takes-any-version',
    {
      what: 'The client continues after an initialize result with any version, and after an error.',
      breaks: ['lifecycle.client-disconnects-on-version', 'lifecycle.init-errors-handled'],
      shows: [
        'lifecycle.client-disconnects-on-version#continues',
        'lifecycle.init-errors-handled#client-continues',
      ],
    },
    onBehaviour(habits => {
      habits.leavesWhenRefused = false;
    }),
  ),

  clientFault(
    'client-asks-undeclared',
    {
      what: 'The client sends requests that need undeclared capabilities of the server.',
      breaks: [
        'lifecycle.respect-capabilities',
        'prompts.respect-capabilities',
        'tasks.none-without-capability',
      ],
      shows: [
        'lifecycle.respect-capabilities#client-asks',
        'prompts.respect-capabilities#client-asks',
        'tasks.none-without-capability#tasks-request',
      ],
    },
    onBehaviour(habits => {
      habits.respectsCapabilities = false;
    }),
  ),

  clientFault(
    'client-subscribes-undeclared',
    {
      what: 'The client subscribes to a resource of a server that declares resources without subscribe.',
      breaks: ['lifecycle.respect-capabilities'],
      shows: ['lifecycle.respect-capabilities#client-subscribes'],
      where: hasHandshake,
    },
    readingCapabilities(({ resources, ...others }) =>
      isObject(resources) ? { ...others, resources: { ...resources, subscribe: true } } : others,
    ),
  ),

  clientFault(
    'client-lists-undeclared-resources',
    {
      what: 'The client lists the resources of a server that does not declare resources.',
      breaks: ['lifecycle.respect-capabilities'],
      shows: ['lifecycle.respect-capabilities#client-asks'],
      where: hasHandshake,
    },
    readingCapabilities(capabilities => ({ resources: {}, ...capabilities })),
  ),

  clientFault(
    'client-fears-unknown-capabilities',
    {
      what: 'The client exits when the initialize result has an unknown capability.',
      breaks: ['lifecycle.capabilities-open-set'],
    },
    onIncoming((message, context) => {
      const result = isObject(message) && isObject(message.result) ? message.result : {};
      if (isObject(result.capabilities) && 'x-conformance' in result.capabilities) context.exit(1);
      return message;
    }),
  ),

  clientFault(
    'client-lists-nothing',
    {
      what: 'The client never sends tools/list.',
      breaks: ['base.components-supported'],
      shows: ['base.components-supported#client-without-requests'],
      where: hasHandshake,
    },
    onAsk('tools/list', () => undefined),
  ),
];
