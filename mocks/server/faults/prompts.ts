/** server/prompts. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  fault,
  onHttpRequest,
  onNotification,
  onReply,
  onRequest,
  onResult,
  onWorld,
  refusal,
  result,
} from '../../fault.js';
import { refuse } from '../http/reply.js';
import { codes } from '../refusal.js';
import { askedIn, onRefused, paramsOf, refusedWithoutCursor } from './shared.js';

const messages = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello.' } }] };

const refusedFor = (words: string, reply: JsonObject): boolean =>
  isObject(reply.error) && String(reply.error.message).includes(words);

/** Changes each content block of one type. */
const content = (type: string, change: (block: JsonObject) => JsonObject) =>
  onResult('prompts/get', body =>
    Array.isArray(body.messages)
      ? {
          ...body,
          messages: (body.messages as JsonObject[]).map(message =>
            isObject(message.content) && message.content.type === type
              ? { ...message, content: change(message.content) }
              : message,
          ),
        }
      : body,
  );

const resource = (change: (resource: JsonObject) => JsonObject) =>
  content('resource', block => ({ ...block, resource: change(block.resource as JsonObject) }));

/** A prompt that inserts a missing argument as an empty text, also as the URI of a resource. */
const filledIn = {
  messages: [
    {
      role: 'user',
      content: { type: 'resource', resource: { uri: '', mimeType: 'text/plain', text: 'Hello.' } },
    },
  ],
};

export const promptFaults = [
  fault(
    'unknown-prompt-served',
    {
      what: 'prompts/get with an unknown name returns a result.',
      breaks: ['prompts.unknown-prompt-error'],
      shows: ['prompts.unknown-prompt-error#served'],
    },
    onRefused('prompts/get', (reply, ask) =>
      refusedFor('Unknown prompt', reply) ? result(ask, messages) : reply,
    ),
  ),

  fault(
    'prompt-argument-unchecked',
    {
      what: 'prompts/get without required arguments returns a result.',
      breaks: ['prompts.missing-argument-error'],
      shows: ['prompts.missing-argument-error#served'],
    },
    onRefused('prompts/get', (reply, ask) => (refusedFor('missing', reply) ? result(ask, filledIn) : reply)),
  ),

  fault(
    'prompt-second-argument-unchecked',
    {
      what: 'prompts/get with the first required argument returns a result without the second one.',
      breaks: ['prompts.missing-argument-error'],
      shows: ['prompts.missing-argument-error#other-missing'],
    },
    onRequest('prompts/get', ask => {
      const { arguments: given } = paramsOf(ask);
      return isObject(given) && given.arg1 !== undefined && given.arg2 === undefined
        ? { ...ask, params: { ...paramsOf(ask), arguments: { ...given, arg2: 'undefined' } } }
        : ask;
    }),
  ),

  fault(
    'inherited-names-internal-error',
    {
      what: 'tools/call, prompts/get and completion/complete with the name of an inherited object property return an internal error.',
      breaks: ['prompts.unknown-prompt-error', 'tools.unknown-tool-code', 'completion.unknown-prompt-error'],
      shows: [
        'prompts.unknown-prompt-error#inherited-name',
        'tools.unknown-tool-code#inherited-name',
        'completion.unknown-prompt-error#inherited-name',
      ],
    },
    onReply(['tools/call', 'prompts/get', 'completion/complete'], (reply, ask) => {
      const { name, ref } = paramsOf(ask);
      return name === 'constructor' || (isObject(ref) && ref.name === 'constructor')
        ? refusal(ask, codes.internalError, 'It is not a function.')
        : reply;
    }),
  ),

  fault(
    'prompt-unanswered',
    {
      what: 'prompts/get of a listed prompt with an embedded resource gets no response.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
    },
    onRequest('prompts/get', ask =>
      paramsOf(ask).name === 'test_prompt_with_embedded_resource' ? undefined : ask,
    ),
  ),

  fault(
    'prompt-image-not-base64',
    {
      what: 'prompts/get returns an image that is not base64.',
      breaks: ['prompts.image-content-encoding'],
      shows: ['prompts.image-content-encoding#not-base64'],
    },
    content('image', block => ({ ...block, data: '<not base64>' })),
  ),

  fault(
    'prompt-audio-without-type',
    {
      what: 'prompts/get returns audio with a MIME type without a subtype.',
      breaks: ['prompts.audio-content-encoding'],
      shows: ['prompts.audio-content-encoding#type-malformed'],
    },
    content('audio', block => ({ ...block, mimeType: 'wav' })),
  ),

  fault(
    'prompt-resource-without-type',
    {
      what: 'prompts/get returns an embedded resource without a MIME type.',
      breaks: ['prompts.embedded-resource-mime-type'],
      shows: ['prompts.embedded-resource-mime-type#missing'],
    },
    resource(r => without(r, 'mimeType')),
  ),

  fault(
    'prompt-resource-without-payload',
    {
      what: 'prompts/get returns an embedded resource with neither text nor blob.',
      breaks: ['prompts.embedded-resource-payload'],
      shows: ['prompts.embedded-resource-payload#missing'],
    },
    resource(r => without(r, 'text', 'blob')),
  ),

  fault(
    'prompt-names-double',
    {
      what: 'prompts/list returns two prompts with the same name.',
      breaks: ['prompts.name-unique'],
      shows: ['prompts.name-unique#twice'],
    },
    onWorld(world => {
      world.prompts.push({
        ...world.prompts[0]!,
        definition: { ...world.prompts[0]!.definition, description: 'Taken.' },
      });
    }),
  ),

  fault(
    'prompts-change-silently',
    {
      what: 'notifications/prompts/list_changed is never sent although it is declared.',
      breaks: ['prompts.list-changed-notification'],
      shows: ['prompts.list-changed-notification#silent'],
    },
    onNotification('notifications/prompts/list_changed', () => undefined),
  ),

  fault(
    'prompts-list-refused',
    {
      what: 'prompts/list returns the error -32601 although prompts are declared.',
      breaks: ['prompts.list-answered'],
      shows: ['prompts.list-answered#refused'],
    },
    onReply('prompts/list', refusedWithoutCursor),
  ),

  fault(
    'prompts-list-status-500',
    {
      what: 'prompts/list gets status 500 although prompts are declared.',
      breaks: ['prompts.list-answered'],
      shows: ['prompts.list-answered#status-500'],
      over: ['streamable-http'],
    },
    onHttpRequest(ask => {
      const list = askedIn(ask, 'prompts/list');
      return list && paramsOf(list).cursor === undefined ? refuse(500, 'Internal Server Error') : ask;
    }),
  ),

  fault(
    'prompts-undeclared',
    {
      what: 'prompts/list returns prompts although prompts are not declared.',
      breaks: ['prompts.capability-declared', 'subscriptions.ack-subset'],
      shows: ['prompts.capability-declared#list'],
    },
    onResult(['initialize', 'server/discover'], body => ({
      ...body,
      capabilities: without(body.capabilities as JsonObject, 'prompts'),
    })),
  ),

  fault(
    'prompt-arguments-unchecked',
    {
      what: 'prompts/get with objects as arguments returns a result.',
      breaks: ['prompts.arguments-validated'],
      shows: ['prompts.arguments-validated#objects-served'],
    },
    onRefused('prompts/get', (reply, ask) => {
      const given = paramsOf(ask).arguments;
      const odd = isObject(given) && Object.values(given).some(isObject);
      return odd ? result(ask, { messages: [] }) : reply;
    }),
  ),

  fault(
    'prompt-resource-without-scheme',
    {
      what: 'prompts/get returns an embedded resource with an invalid URI.',
      breaks: ['prompts.embedded-resource-uri'],
      shows: ['prompts.embedded-resource-uri#no-scheme'],
    },
    onResult('prompts/get', body => {
      const text = JSON.stringify(body);
      return JSON.parse(
        text.replace(/"resource":\{"uri":"[^"]*"/g, '"resource":{"uri":"no scheme"'),
      ) as JsonObject;
    }),
  ),
];
