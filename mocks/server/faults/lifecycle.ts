/** basic/lifecycle: initialization, versions, capabilities. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { findRevision, revisions } from '../../../spec/revisions.js';
import {
  asking,
  fault,
  notification,
  onIncoming,
  onReply,
  onRequest,
  onResult,
  onStart,
  onWorld,
  refusal,
  result,
} from '../../fault.js';
import { featuresOf } from '../features.js';
import { codes } from '../refusal.js';
import { afterInitialized, beforeCall, hasHandshake, paramsOf } from './shared.js';

const askedVersion = (ask: JsonObject): string =>
  String((ask.params as JsonObject | undefined)?.protocolVersion);

const isSpoilt = () => ({ yes: false });

const anyForm = { message: 'Who are you?', requestedSchema: { type: 'object', properties: {} } };
const anySample = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10 };

/** Sends a request as soon as the session is initialized, if the revision has the method. */
const asksUndeclared = (capability: string, method: string, params?: JsonObject) =>
  afterInitialized(context => {
    const { clientCapabilities, vocabulary } = context.session;
    if (!clientCapabilities[capability] && vocabulary.requests.server.has(method))
      context.send(asking(context.nextId(), method, params));
  });

export const lifecycleFaults = [
  fault(
    'early-request-spoils-all',
    {
      what: 'All requests of a session are rejected when ping was sent before initialize.',
      breaks: [
        'base.components-supported',
        'ping.answered-empty',
        'tools.list-answered',
        'resources.list-answered',
        'prompts.list-answered',
      ],
      shows: [
        'base.components-supported#session-unusable',
        'tools.list-answered#refused',
        'prompts.list-answered#refused',
        'resources.list-answered#refused',
      ],
      where: hasHandshake,
    },
    onIncoming((message, context) => {
      if (!context.session.opened && isObject(message) && message.method === 'ping')
        context.keep(isSpoilt).yes = true;
      return message;
    }),
    onReply('*', (reply, ask, context) =>
      context.initialized && context.keep(isSpoilt).yes
        ? refusal(ask, codes.invalidRequest, 'Not ready')
        : reply,
    ),
  ),

  fault(
    'version-echoes-anything',
    {
      what: 'initialize returns the requested version even if it is unknown.',
      breaks: ['lifecycle.version-counter-offer'],
      shows: ['lifecycle.version-counter-offer#echoed'],
    },
    onResult('initialize', (body, ask) => ({ ...body, protocolVersion: askedVersion(ask) })),
  ),

  fault(
    'version-offer-not-kept',
    {
      what: 'initialize with an unknown version returns another version, which a later initialize does not accept.',
      breaks: ['lifecycle.version-echo'],
      shows: ['lifecycle.version-echo#other-version'],
    },
    onResult('initialize', (body, ask) => {
      const preview = `${body.protocolVersion}-preview`;
      const known = findRevision(askedVersion(ask)) || askedVersion(ask) === preview;
      return known ? body : { ...body, protocolVersion: preview };
    }),
  ),

  fault(
    'version-offered-and-refused',
    {
      what: 'initialize with a future version returns another version, which a later initialize refuses.',
      breaks: ['lifecycle.version-counter-offer'],
      shows: ['lifecycle.version-counter-offer#refused-later'],
      where: hasHandshake,
    },
    onReply('initialize', (reply, ask) => {
      const offer = `${askedVersion(ask)}-preview`;
      if (/^2999.*-preview$/.test(askedVersion(ask)))
        return refusal(ask, codes.invalidParams, 'Unsupported protocol version');
      return isObject(reply.result) && askedVersion(ask).startsWith('2999')
        ? { ...reply, result: { ...reply.result, protocolVersion: offer } }
        : reply;
    }),
  ),

  fault(
    'version-offers-oldest',
    {
      what: 'initialize with an unknown version returns the oldest version.',
      breaks: ['lifecycle.version-counter-latest'],
      shows: ['lifecycle.version-counter-latest#older'],
      where: revision => revision !== revisions[0],
    },
    onResult('initialize', (body, ask, context) => {
      const [oldest] = context.session.options.revisions;
      return findRevision(askedVersion(ask)) ? body : { ...body, protocolVersion: oldest!.id };
    }),
  ),

  fault(
    'version-unknown-refused',
    {
      what: 'initialize with an unknown version returns an error.',
      breaks: ['lifecycle.version-counter-offer-as-result'],
      shows: ['lifecycle.version-counter-offer-as-result#error'],
    },
    onRequest('initialize', (ask, context) => {
      if (findRevision(askedVersion(ask))) return ask;
      return context.send(refusal(ask, codes.invalidParams, 'Unsupported protocol version')) as undefined;
    }),
  ),

  fault(
    'initialize-unchecked',
    {
      what: 'initialize without protocolVersion returns a result.',
      breaks: ['jsonrpc.invalid-params'],
      shows: ['jsonrpc.invalid-params#member-missing-served'],
      where: hasHandshake,
    },
    onReply('initialize', (reply, ask) =>
      'error' in reply && paramsOf(ask).protocolVersion === undefined
        ? result(ask, {
            protocolVersion: '%params/protocolVersion%',
            capabilities: {},
            serverInfo: { name: 'mock', version: '1' },
          })
        : reply,
    ),
  ),

  fault(
    'server-info-missing',
    {
      what: 'The initialize result has no serverInfo.',
      breaks: ['lifecycle.server-answers-initialize'],
      shows: ['lifecycle.server-answers-initialize#no-server-info'],
    },
    onResult('initialize', body => without(body, 'serverInfo')),
  ),

  fault(
    'server-version-missing',
    {
      what: 'The initialize result has a serverInfo without a version.',
      breaks: ['lifecycle.server-answers-initialize'],
      shows: ['lifecycle.server-answers-initialize#server-info-incomplete'],
    },
    onResult('initialize', body => ({ ...body, serverInfo: { name: 'mock' } })),
  ),

  fault(
    'capabilities-null',
    {
      what: 'The initialize result has null as capabilities.',
      breaks: ['lifecycle.server-answers-initialize'],
      shows: ['lifecycle.server-answers-initialize#capabilities-null'],
    },
    onWorld(world => {
      world.capabilities = {};
    }),
    onResult('initialize', body => ({ ...body, capabilities: null })),
  ),

  fault(
    'capability-true',
    {
      what: 'The initialize result has true as the capability tools.',
      breaks: ['lifecycle.server-answers-initialize'],
      shows: ['lifecycle.server-answers-initialize#capability-true'],
    },
    onWorld(world => {
      world.capabilities.tools = {};
    }),
    onResult('initialize', (body, _ask, context) => ({
      ...body,
      capabilities: { ...context.session.capabilities, tools: true },
    })),
  ),

  fault(
    'unknown-capability-refused',
    {
      what: 'initialize with an unknown client capability returns an error.',
      breaks: ['lifecycle.capabilities-open-set'],
      where: hasHandshake,
    },
    onRequest('initialize', (ask, context) => {
      const known = ['experimental', 'roots', 'sampling', 'elicitation', 'tasks'];
      const capabilities = (ask.params as JsonObject | undefined)?.capabilities ?? {};
      if (Object.keys(capabilities as JsonObject).every(name => known.includes(name))) return ask;
      return context.send(refusal(ask, codes.invalidParams, 'Unknown capability')) as undefined;
    }),
  ),

  fault(
    'asks-before-initialized',
    {
      what: 'roots/list is sent before notifications/initialized.',
      breaks: ['lifecycle.server-waits-for-initialized'],
      shows: ['lifecycle.server-waits-for-initialized#early-request'],
    },
    onReply('initialize', (reply, _ask, context) =>
      context.session.clientCapabilities.roots ? [reply, asking(context.nextId(), 'roots/list')] : reply,
    ),
  ),

  fault(
    'asks-roots-undeclared',
    {
      what: 'roots/list is sent to a client that has not declared roots.',
      breaks: ['lifecycle.respect-capabilities', 'roots.capability-checked'],
      shows: ['lifecycle.respect-capabilities#asks-roots', 'roots.capability-checked#asked'],
      where: hasHandshake,
    },
    asksUndeclared('roots', 'roots/list'),
  ),

  fault(
    'asks-sampling-undeclared',
    {
      what: 'sampling/createMessage is sent to a client that has not declared sampling.',
      breaks: ['lifecycle.respect-capabilities'],
      shows: ['lifecycle.respect-capabilities#asks-sampling'],
    },
    asksUndeclared('sampling', 'sampling/createMessage', anySample),
  ),

  fault(
    'asks-elicitation-undeclared',
    {
      what: 'elicitation/create is sent to a client that has not declared elicitation.',
      breaks: ['lifecycle.respect-capabilities'],
      shows: ['lifecycle.respect-capabilities#asks-elicitation'],
      where: revision => featuresOf(revision).elicitation,
    },
    asksUndeclared('elicitation', 'elicitation/create', anyForm),
  ),

  fault(
    'asks-elicitation-in-prompt',
    {
      what: 'elicitation/create is sent at prompts/get to a client that has not declared elicitation.',
      breaks: ['lifecycle.respect-capabilities'],
      shows: ['lifecycle.respect-capabilities#asks-in-prompt'],
      where: revision => hasHandshake(revision) && featuresOf(revision).elicitation,
    },
    onRequest('prompts/get', (ask, context) => {
      const { clientCapabilities, vocabulary } = context.session;
      if (!clientCapabilities.elicitation && vocabulary.requests.server.has('elicitation/create'))
        context.send(asking(context.nextId(), 'elicitation/create', anyForm));
      return ask;
    }),
  ),

  fault(
    'asks-roots-in-read',
    {
      what: 'roots/list is sent at resources/read to a client that has not declared roots.',
      breaks: ['lifecycle.respect-capabilities', 'roots.capability-checked'],
      shows: ['lifecycle.respect-capabilities#asks-in-read'],
      where: hasHandshake,
    },
    onRequest('resources/read', (ask, context) => {
      if (!context.session.clientCapabilities.roots) context.send(asking(context.nextId(), 'roots/list'));
      return ask;
    }),
  ),

  fault(
    'asks-what-comes-later',
    {
      what: 'elicitation/create is sent in a revision without this request.',
      breaks: ['lifecycle.respect-version'],
      shows: ['lifecycle.respect-version#request-of-later-revision'],
      where: revision => !featuresOf(revision).elicitation,
    },
    beforeCall(context => {
      const { session } = context;
      if (session.clientCapabilities.roots && !session.features.elicitation && context.count() === 1)
        context.send(asking(context.nextId(), 'elicitation/create', anyForm));
    }),
  ),

  fault(
    'content-of-later-revision',
    {
      what: 'tools/call returns a resource link in a revision without resource links.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#content-of-later-revision'],
      where: revision => !featuresOf(revision).links,
    },
    onResult('tools/call', (body, _ask, context) =>
      context.session.features.links || !Array.isArray(body.content)
        ? body
        : { ...body, content: [...body.content, { type: 'resource_link', uri: 'test://x', name: 'x' }] },
    ),
  ),

  fault(
    'unknown-version-unanswered',
    {
      what: 'initialize with an unknown version gets no response.',
      breaks: [
        'lifecycle.init-errors-handled',
        'lifecycle.version-counter-offer',
        'jsonrpc.request-answered-once',
      ],
      shows: [
        'lifecycle.init-errors-handled#unknown-version-unanswered',
        'lifecycle.version-counter-offer#no-response',
        'jsonrpc.request-answered-once#no-response',
      ],
      where: hasHandshake,
    },
    onReply('initialize', (reply, ask) =>
      isObject(reply.result) && reply.result.protocolVersion === paramsOf(ask).protocolVersion
        ? reply
        : undefined,
    ),
  ),

  fault(
    'speaks-first',
    {
      what: 'The server sends notifications/tools/list_changed before initialize.',
      breaks: ['lifecycle.initialize-first'],
      shows: ['lifecycle.initialize-first#server-speaks-first'],
    },
    onStart(context => context.send(notification('notifications/tools/list_changed'))),
  ),

  fault(
    'prompts-change-undeclared',
    {
      what: 'notifications/prompts/list_changed is sent although it is not declared.',
      breaks: ['lifecycle.respect-capabilities', 'prompts.respect-capabilities'],
      shows: [
        'lifecycle.respect-capabilities#prompts-change',
        'prompts.respect-capabilities#change-undeclared',
      ],
      where: hasHandshake,
    },
    onWorld(world => {
      world.capabilities.prompts = {};
    }),
    beforeCall(context => {
      if (context.count() === 1) context.send(notification('notifications/prompts/list_changed'));
    }),
  ),

  fault(
    'asks-sampling-on-subscribe',
    {
      what: 'sampling/createMessage is sent after resources/subscribe to a client that has not declared sampling.',
      breaks: ['lifecycle.respect-capabilities'],
      shows: ['lifecycle.respect-capabilities#asks-sampling'],
      where: hasHandshake,
    },
    onReply('resources/subscribe', (reply, _ask, context) =>
      context.session.clientCapabilities.sampling
        ? reply
        : [reply, asking(context.nextId(), 'sampling/createMessage', anySample)],
    ),
  ),
];
