/** basic/lifecycle: how clients spoil the opening of a conversation. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { latestRevision, revisions } from '../../../spec/revisions.js';
import { asking } from '../../fault.js';
import { paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAsk, onHabits, onIncoming, onNotification } from '../fault.js';

const initialized = 'notifications/initialized';

const withoutParam = (name: string) => (ask: JsonObject) => ({
  ...ask,
  params: without(paramsOf(ask), name),
});

export const lifecycleFaults = [
  clientFault(
    'client-never-initialized',
    {
      what: 'The client does not say that it is ready.',
      breaks: ['lifecycle.client-sends-initialized'],
    },
    onNotification(initialized, () => undefined),
  ),

  clientFault(
    'client-initialized-misnamed',
    {
      what: 'The client says "initialized", without the prefix.',
      breaks: ['lifecycle.client-sends-initialized'],
    },
    onNotification(initialized, note => ({ ...note, method: 'initialized' })),
  ),

  clientFault(
    'client-initialized-early',
    {
      what: 'The client says that it is ready in the same breath as it asks to initialize.',
      breaks: ['lifecycle.client-sends-initialized'],
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
      what: 'The client does not say what it can do.',
      breaks: ['lifecycle.client-sends-initialize'],
    },
    onAsk('initialize', withoutParam('capabilities')),
  ),

  clientFault(
    'client-anonymous',
    {
      what: 'The client has a name but no version.',
      breaks: ['lifecycle.client-sends-initialize'],
    },
    onAsk('initialize', ask => ({
      ...ask,
      params: { ...(ask.params as JsonObject), clientInfo: { name: 'no version' } },
    })),
  ),

  clientFault(
    'client-initialize-without-version',
    {
      what: 'The client does not say which version it asks for.',
      breaks: ['lifecycle.client-sends-initialize'],
    },
    onAsk('initialize', withoutParam('protocolVersion')),
  ),

  clientFault(
    'client-version-no-date',
    {
      what: 'The client asks for version 1.0, and takes what it is offered.',
      breaks: ['lifecycle.client-version-form'],
    },
    onHabits(habits => {
      habits.asksFor = '1.0';
    }),
  ),

  clientFault(
    'client-asks-before-answer',
    {
      what: 'The client asks for the tools before initialize is answered.',
      breaks: ['lifecycle.client-waits-for-initialize'],
    },
    onAsk('initialize', ask => [ask, asking('hasty', 'tools/list')]),
  ),

  clientFault(
    'client-asks-first',
    {
      what: 'The client asks for the tools before it asks to initialize.',
      breaks: ['lifecycle.initialize-first'],
    },
    onAsk('initialize', ask => [asking('first', 'tools/list'), ask]),
  ),

  clientFault(
    'client-drops-own-version',
    {
      what: 'The client leaves when the server agrees to the version it asked for.',
      breaks: ['lifecycle.client-version-supported'],
    },
    onHabits(habits => {
      habits.versions = habits.versions.filter(version => version !== habits.asksFor);
    }),
  ),

  clientFault(
    'client-asks-for-less',
    {
      what: 'The client asks for the oldest version it has, and goes on with any newer one.',
      breaks: ['lifecycle.client-version-latest'],
      // what is newer than all it knows cannot be offered, and the newest it is not offered unasked
      where: revision => revision !== revisions[0] && revision !== latestRevision,
    },
    onHabits(habits => {
      habits.asksFor = revisions[0]!.id;
    }),
  ),

  clientFault(
    'client-takes-any-version',
    {
      what: 'The client goes on, whatever version it is offered, and even when it is refused.',
      breaks: ['lifecycle.client-disconnects-on-version', 'lifecycle.init-errors-handled'],
    },
    onHabits(habits => {
      habits.leavesWhenRefused = false;
    }),
  ),

  clientFault(
    'client-asks-undeclared',
    {
      what: 'The client asks for what the server has not declared.',
      breaks: [
        'lifecycle.respect-capabilities',
        'prompts.respect-capabilities',
        'tasks.none-without-capability',
      ],
    },
    onHabits(habits => {
      habits.respectsCapabilities = false;
    }),
  ),

  clientFault(
    'client-fears-unknown-capabilities',
    {
      what: 'The client leaves when a server declares something it does not know.',
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
      what: 'The client has no way to ask for the tools.',
      breaks: ['base.components-supported'],
    },
    onAsk('tools/list', () => undefined),
  ),
];
