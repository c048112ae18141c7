/** basic/lifecycle: the handshake, versions, capabilities. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { findRevision, revisions } from '../../../spec/revisions.js';
import {
  asking,
  fault,
  onIncoming,
  onReply,
  onRequest,
  onResult,
  onWorld,
  refusal,
  result,
} from '../../fault.js';
import { featuresOf } from '../features.js';
import { codes } from '../refusal.js';
import { afterInitialized, beforeCall, paramsOf } from './shared.js';

const askedVersion = (ask: JsonObject): string =>
  String((ask.params as JsonObject | undefined)?.protocolVersion);

const isSpoilt = () => ({ yes: false });

const anyForm = { message: 'Who are you?', requestedSchema: { type: 'object', properties: {} } };
const anySample = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10 };

/** Asks as soon as the client is ready, if the revision has the method. */
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
      what: 'A conversation in which something came before initialize never gets usable.',
      breaks: [
        'base.components-supported',
        'ping.answered-empty',
        'tools.list-answered',
        'resources.list-answered',
        'prompts.list-answered',
      ],
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
      what: 'Any version is accepted, known or not.',
      breaks: ['lifecycle.version-counter-offer'],
    },
    onResult('initialize', (body, ask) => ({ ...body, protocolVersion: askedVersion(ask) })),
  ),

  fault(
    'version-offer-not-kept',
    {
      what: 'The version offered for an unknown one is not accepted when it is asked for.',
      breaks: ['lifecycle.version-echo'],
    },
    onResult('initialize', (body, ask) => {
      const preview = `${body.protocolVersion}-preview`;
      const known = findRevision(askedVersion(ask)) || askedVersion(ask) === preview;
      return known ? body : { ...body, protocolVersion: preview };
    }),
  ),

  fault(
    'version-offers-oldest',
    {
      what: 'Unknown versions are countered with the oldest one.',
      breaks: ['lifecycle.version-counter-latest'],
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
      what: 'Unknown versions are refused with an error.',
      breaks: ['lifecycle.version-counter-offer-as-result'],
    },
    onRequest('initialize', (ask, context) => {
      if (findRevision(askedVersion(ask))) return ask;
      return context.send(refusal(ask, codes.invalidParams, 'Unsupported protocol version')) as undefined;
    }),
  ),

  fault(
    'initialize-unchecked',
    {
      what: 'An initialize request that names no version is served.',
      breaks: ['jsonrpc.invalid-params'],
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
    { what: 'The server does not say who it is.', breaks: ['lifecycle.server-answers-initialize'] },
    onResult('initialize', body => without(body, 'serverInfo')),
  ),

  fault(
    'server-version-missing',
    { what: 'The server has a name but no version.', breaks: ['lifecycle.server-answers-initialize'] },
    onResult('initialize', body => ({ ...body, serverInfo: { name: 'mock' } })),
  ),

  fault(
    'capabilities-null',
    { what: 'The declared capabilities are null.', breaks: ['lifecycle.server-answers-initialize'] },
    onWorld(world => {
      world.capabilities = {};
    }),
    onResult('initialize', body => ({ ...body, capabilities: null })),
  ),

  fault(
    'capability-true',
    { what: 'tools is declared as true.', breaks: ['lifecycle.server-answers-initialize'] },
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
      what: 'A client with a capability that the server does not know is refused.',
      breaks: ['lifecycle.capabilities-open-set'],
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
      what: 'roots/list is sent before the client has said that it is initialized.',
      breaks: ['lifecycle.server-waits-for-initialized'],
    },
    onReply('initialize', (reply, _ask, context) =>
      context.session.clientCapabilities.roots ? [reply, asking(context.nextId(), 'roots/list')] : reply,
    ),
  ),

  fault(
    'asks-roots-undeclared',
    {
      what: 'roots/list is sent to clients that did not declare roots.',
      breaks: ['lifecycle.respect-capabilities', 'roots.capability-checked'],
    },
    asksUndeclared('roots', 'roots/list'),
  ),

  fault(
    'asks-sampling-undeclared',
    {
      what: 'sampling/createMessage is sent to clients that did not declare sampling.',
      breaks: ['lifecycle.respect-capabilities'],
    },
    asksUndeclared('sampling', 'sampling/createMessage', anySample),
  ),

  fault(
    'asks-elicitation-undeclared',
    {
      what: 'elicitation/create is sent to clients that did not declare elicitation.',
      breaks: ['lifecycle.respect-capabilities'],
      where: revision => featuresOf(revision).elicitation,
    },
    asksUndeclared('elicitation', 'elicitation/create', anyForm),
  ),

  fault(
    'asks-what-comes-later',
    {
      what: 'The server sends a request that only a later revision has.',
      breaks: ['lifecycle.respect-version'],
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
      what: 'A tool answers with a kind of content that the negotiated revision does not have.',
      breaks: ['base.schema-valid'],
      where: revision => !featuresOf(revision).links,
    },
    onResult('tools/call', (body, _ask, context) =>
      context.session.features.links || !Array.isArray(body.content)
        ? body
        : { ...body, content: [...body.content, { type: 'resource_link', uri: 'test://x', name: 'x' }] },
    ),
  ),
];
