/** server/utilities/logging. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  fault,
  notification,
  onHttpRequest,
  onIncoming,
  onNotification,
  onReply,
  onRequest,
  onWorld,
  refusal,
  result,
} from '../../fault.js';
import { featuresOf } from '../features.js';
import { severity } from '../handlers/logging.js';
import { codes } from '../refusal.js';
import { metaOf, withMeta } from './metadata.js';
import { askedIn, beforeCall, hasHandshake, isStateless, onRefused, paramsOf } from './shared.js';

const levelKey = 'io.modelcontextprotocol/logLevel';

const levelOf = (ask: JsonObject): Json | undefined => metaOf(ask)[levelKey];

/** The request with another log level in its metadata. */
const withLevel = (ask: JsonObject, level: Json): JsonObject => withMeta(ask, { [levelKey]: level });

/** The levels of calls in flight, by the ids of the calls. */
const openLevels = () => new Map<Json | undefined, string>();

/** Logs a member of each tools/call that requests the level debug. @param mark a text that the member contains */
const logsAtDebug = (member: 'arguments' | 'inputResponses', mark: string) =>
  onRequest('tools/call', (ask, context) => {
    const data = paramsOf(ask)[member] ?? null;
    if (levelOf(ask) === 'debug' && JSON.stringify(data).includes(mark))
      context.send(notification('notifications/message', { level: 'debug', data }));
    return ask;
  });

export const loggingFaults = [
  fault(
    'logs-without-level',
    {
      what: 'A tools/call without a log level gets log messages.',
      breaks: ['logging.no-log-level-no-messages'],
      shows: ['logging.no-log-level-no-messages#call'],
    },
    onRequest('tools/call', ask => {
      const params = paramsOf(ask);
      const meta = isObject(params._meta) ? params._meta : {};
      return { ...ask, params: { ...params, _meta: { [levelKey]: 'debug', ...meta } } };
    }),
  ),

  fault(
    'log-after-response',
    {
      what: 'A tools/call with a log level gets a log message after its response.',
      breaks: ['logging.before-final-response'],
      shows: ['logging.before-final-response#late'],
    },
    onReply('tools/call', (reply, ask) => {
      const { _meta: meta } = paramsOf(ask);
      const isLogged = isObject(meta) && meta[levelKey] !== undefined;
      return isLogged
        ? [reply, notification('notifications/message', { level: 'emergency', data: 'Done.' })]
        : reply;
    }),
  ),

  fault(
    'log-on-subscription',
    {
      what: 'A subscription delivers a log message.',
      breaks: [
        'logging.own-response-stream-only',
        'subscriptions.no-request-scoped',
        'ext-tasks.no-progress-on-listen',
      ],
      shows: [
        'logging.own-response-stream-only#subscription',
        'subscriptions.no-request-scoped#log',
        'ext-tasks.no-progress-on-listen#log',
      ],
    },
    onNotification('notifications/subscriptions/acknowledged', message => {
      const { _meta: meta } = message.params as JsonObject;
      const log = { level: 'emergency', data: 'Listening.', ...(meta !== undefined && { _meta: meta }) };
      return [message, notification('notifications/message', log)];
    }),
  ),

  fault(
    'log-level-ignored',
    {
      what: 'logging/setLevel has no effect.',
      breaks: ['logging.no-messages-below-level'],
      shows: ['logging.no-messages-below-level#below-set-level'],
      where: hasHandshake,
    },
    onRequest('logging/setLevel', (ask, context) => {
      context.session.logLevel = 'debug';
      return !context.session.vocabulary.fits('SetLevelRequest', ask)
        ? ask
        : (context.send(result(ask, {})) as undefined);
    }),
  ),

  fault(
    'log-level-unchecked',
    {
      what: 'logging/setLevel with an unknown level returns a result.',
      breaks: ['logging.invalid-level-error'],
      shows: ['logging.invalid-level-error#accepted'],
      where: hasHandshake,
    },
    onRefused('logging/setLevel', (_reply, ask) => result(ask, {})),
  ),

  fault(
    'log-level-internal-error',
    {
      what: 'logging/setLevel with an unknown level returns an internal error.',
      breaks: ['logging.invalid-level-error'],
      shows: ['logging.invalid-level-error#other-code'],
      where: hasHandshake,
    },
    onRefused('logging/setLevel', (_reply, ask) => refusal(ask, codes.internalError, 'Internal error')),
  ),

  fault(
    'log-level-refused',
    {
      what: 'logging/setLevel returns the error -32601 although logging is declared.',
      breaks: ['logging.set-level-answered'],
      shows: ['logging.set-level-answered#refused'],
    },
    onReply('logging/setLevel', (reply, ask) =>
      'result' in reply ? refusal(ask, codes.methodNotFound, 'Method not found') : reply,
    ),
  ),

  fault(
    'logs-undeclared',
    {
      what: 'notifications/message is sent although logging is not declared.',
      breaks: ['logging.capability-declared'],
      shows: ['logging.capability-declared#undeclared'],
      where: hasHandshake,
    },
    onWorld(world => {
      world.capabilities = without(world.capabilities, 'logging');
    }),
    beforeCall(context =>
      context.send(notification('notifications/message', { level: 'emergency', data: 'Hello' })),
    ),
  ),

  fault(
    'logs-at-level-undeclared',
    {
      what: 'A tool sends notifications/message to a client that states a level, although logging is not declared.',
      breaks: ['logging.capability-declared'],
      shows: ['logging.capability-declared#undeclared'],
      where: isStateless,
    },
    onWorld(world => {
      world.capabilities = without(world.capabilities, 'logging');
    }),
    onReply('tools/call', (reply, ask) =>
      metaOf(ask)[levelKey] !== undefined && paramsOf(ask).name === 'test_tool_with_logging'
        ? [notification('notifications/message', { level: 'emergency', data: 'Hello' }), reply]
        : reply,
    ),
  ),

  fault(
    'arguments-logged',
    {
      what: 'notifications/message contains the arguments of every tools/call, including passwords.',
      breaks: ['logging.no-credentials', 'logging.remove-sensitive'],
      shows: ['logging.no-credentials#password', 'logging.remove-sensitive#password'],
      where: hasHandshake,
    },
    onRequest('tools/call', (ask, context) => {
      context.send(notification('notifications/message', { level: 'emergency', data: paramsOf(ask) }));
      return ask;
    }),
  ),

  fault(
    'arguments-logged-at-level',
    {
      what: 'notifications/message for a tools/call with a logLevel contains its arguments, including passwords.',
      breaks: ['logging.no-credentials', 'logging.remove-sensitive'],
      shows: ['logging.no-credentials#password', 'logging.remove-sensitive#password'],
      where: isStateless,
    },
    logsAtDebug('arguments', '"password"'),
  ),

  fault(
    'answers-logged-at-level',
    {
      what: 'notifications/message for a tools/call with a logLevel contains the form data of users.',
      breaks: ['logging.no-personal-data'],
      shows: ['logging.no-personal-data#elicited'],
      where: isStateless,
    },
    logsAtDebug('inputResponses', '@'),
  ),

  fault(
    'answers-logged',
    {
      what: 'notifications/message contains the form data of users.',
      breaks: ['logging.no-personal-data'],
      shows: ['logging.no-personal-data#elicited'],
      where: revision => hasHandshake(revision) && featuresOf(revision).elicitation,
    },
    onIncoming((message, context) => {
      const content = isObject(message) && isObject(message.result) ? message.result.content : undefined;
      if (isObject(content) && JSON.stringify(content).includes('@'))
        context.send(notification('notifications/message', { level: 'emergency', data: content }));
      return message;
    }),
  ),

  fault(
    'log-logger-number',
    {
      what: 'notifications/message has a number as logger.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#member-retyped'],
      where: hasHandshake,
    },
    beforeCall(context =>
      context.send(notification('notifications/message', { level: 'emergency', logger: 7, data: 'Hello' })),
    ),
  ),

  fault(
    'critical-messages-lost',
    {
      what: 'notifications/message with the level critical is never sent.',
      breaks: ['logging.messages-at-or-above-level'],
      shows: ['logging.messages-at-or-above-level#missing'],
    },
    onNotification('notifications/message', message =>
      paramsOf(message).level === 'critical' ? undefined : message,
    ),
  ),

  ...(['tools/list', 'prompts/get', 'resources/read', 'server/discover'] as const).map(method =>
    fault(
      `logs-of-${method.replace('/', '-')}-without-level`,
      {
        what: `notifications/message is sent for ${method} although the request states no logLevel.`,
        breaks: ['logging.no-log-level-no-messages'],
        where: isStateless,
      },
      onRequest(method, (ask, context) => {
        if (levelOf(ask) === undefined && context.count() < 4)
          context.send(notification('notifications/message', { level: 'emergency', data: 'Hello' }));
        return ask;
      }),
    ),
  ),

  fault(
    'log-level-kept',
    {
      what: 'The logLevel of a request holds for all later requests of the connection.',
      breaks: ['logging.no-log-level-no-messages'],
      shows: ['logging.no-log-level-no-messages#level-kept'],
      where: isStateless,
      over: ['stdio'],
    },
    onRequest('tools/call', (ask, context) => {
      const last = context.keep((): { level?: Json | undefined } => ({}));
      last.level = levelOf(ask) ?? last.level;
      return last.level === undefined ? ask : withLevel(ask, last.level);
    }),
  ),

  fault(
    'log-level-of-all-sessions',
    {
      what: 'The level of logging/setLevel holds for all sessions.',
      breaks: ['logging.no-messages-below-level'],
      shows: ['logging.no-messages-below-level#other-session'],
      where: hasHandshake,
      over: ['streamable-http'],
    },
    onHttpRequest((ask, context) => {
      const last = context.keep((): { level?: string } => ({}));
      const session = context.sessionOf(ask);
      const level = askedIn(ask, 'logging/setLevel')?.params;
      if (isObject(level) && severity(String(level.level)) >= 0) last.level = String(level.level);
      if (session && last.level !== undefined && askedIn(ask, 'tools/call')) session.logLevel = last.level;
      return ask;
    }),
  ),

  fault(
    'log-level-of-calls-in-flight',
    {
      what: 'A tools/call gets log messages of the least severe level that any call in flight states.',
      breaks: ['logging.no-messages-below-level'],
      shows: ['logging.no-messages-below-level#other-request'],
      where: isStateless,
      over: ['streamable-http'],
    },
    onRequest('tools/call', (ask, context) => {
      const level = levelOf(ask);
      if (level === undefined) return ask;
      const open = context.keep(openLevels);
      open.set(ask.id, String(level));
      const [least = level] = [...open.values()].sort((a, b) => severity(a) - severity(b));
      return withLevel(ask, least);
    }),
    onReply('tools/call', (reply, ask, context) => {
      context.keep(openLevels).delete(ask.id);
      return reply;
    }),
  ),

  fault(
    'log-level-taken-as-debug',
    {
      what: 'Log messages of all levels are sent, whatever logLevel a request states.',
      breaks: ['logging.no-messages-below-level'],
      shows: ['logging.no-messages-below-level#below-level-of-request'],
      where: isStateless,
    },
    onRequest('tools/call', ask => (levelOf(ask) === undefined ? ask : withLevel(ask, 'debug'))),
  ),

  fault(
    'unknown-log-level-served',
    {
      what: 'A request with an unknown logLevel is served.',
      breaks: ['logging.invalid-level-error'],
      shows: ['logging.invalid-level-error#accepted-in-metadata'],
      where: isStateless,
    },
    onRequest('server/discover', ask => (levelOf(ask) === undefined ? ask : withLevel(ask, 'info'))),
  ),
];
