/** Faults of servers with unusual input, and smaller faults that belong to no other file. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  fault,
  onIncoming,
  onMessage,
  onNotification,
  onReply,
  onResult,
  onWorld,
  refusal,
  result,
} from '../../fault.js';
import { codes } from '../refusal.js';
import { says } from '../world/builders.js';
import { changeItem, onRefused, paramsOf } from './shared.js';

const nothing = { completion: { values: [], total: 0, hasMore: false } };
const incomplete = ({ ref, argument }: JsonObject): boolean => ref === undefined || argument === undefined;

/** Served completely or partly, but not declared. */
const undeclared = (capability: string) =>
  onWorld(world => {
    world.capabilities = without(world.capabilities, capability);
  });

const contents = (change: (item: JsonObject) => JsonObject, uri: string) =>
  onResult('resources/read', (body, ask) =>
    paramsOf(ask).uri === uri && Array.isArray(body.contents)
      ? { ...body, contents: body.contents.filter(isObject).map(change) }
      : body,
  );

export const carelessFaults = [
  fault(
    'completion-of-nothing',
    {
      what: 'completion/complete without ref or argument returns a result.',
      breaks: ['completion.missing-argument-error', 'completion.inputs-validated'],
    },
    onRefused('completion/complete', (reply, ask) =>
      incomplete(paramsOf(ask)) ? result(ask, nothing) : reply,
    ),
  ),

  fault(
    'completion-incomplete-internal-error',
    {
      what: 'completion/complete without ref or argument returns an internal error.',
      breaks: ['completion.missing-argument-error'],
    },
    onRefused('completion/complete', (reply, ask) =>
      incomplete(paramsOf(ask)) ? refusal(ask, codes.internalError, 'Something went wrong') : reply,
    ),
  ),

  fault(
    'completion-of-anything',
    {
      what: 'completion/complete with a number as value or an unknown type of reference returns a result.',
      breaks: ['completion.server-validates-inputs'],
    },
    onRefused('completion/complete', (reply, ask) => {
      const { ref, argument } = paramsOf(ask);
      const odd =
        isObject(ref) && (ref.type === 'ref/nothing' || (isObject(argument) && argument.value === 7));
      return odd ? result(ask, nothing) : reply;
    }),
  ),

  fault(
    'completion-refused-oddly',
    {
      what: 'completion/complete returns an internal error when completions are not declared.',
      breaks: ['completion.unsupported-error'],
      where: revision => !revision.undeclarable.includes('completions'),
    },
    undeclared('completions'),
    onRefused('completion/complete', (_reply, ask) => refusal(ask, codes.internalError, 'No')),
  ),

  fault(
    'nameless-call-is-result',
    {
      what: 'tools/call without a name returns a result with isError.',
      breaks: ['tools.malformed-call-protocol-error'],
    },
    onRefused('tools/call', (reply, ask) =>
      typeof paramsOf(ask).name === 'string' ? reply : result(ask, { ...says('Which tool?'), isError: true }),
    ),
  ),

  fault(
    'no-tools-is-result',
    {
      what: 'tools/call on a server that does not declare tools returns a result with isError.',
      breaks: ['tools.unsupported-calls-protocol-error'],
    },
    undeclared('tools'),
    onRefused('tools/call', (_reply, ask) => result(ask, { ...says('No tools here.'), isError: true })),
  ),

  fault(
    'resources-undeclared',
    {
      what: 'resources/list returns resources although resources are not declared.',
      breaks: ['resources.capability-declared', 'tools.embedded-resource-capability'],
    },
    undeclared('resources'),
    onRefused('resources/list', (_reply, ask) =>
      result(ask, { resources: [{ uri: 'test://static-text', name: 'static-text' }] }),
    ),
  ),

  fault(
    'resources-embedded-without-capability',
    {
      what: 'tools/call returns embedded resources although resources are not declared.',
      breaks: ['tools.embedded-resource-capability'],
    },
    undeclared('resources'),
  ),

  fault(
    'levels-undeclared',
    {
      what: 'logging/setLevel returns a result although logging is not declared.',
      breaks: ['base.server-feature-advertised'],
    },
    undeclared('logging'),
    onRefused('logging/setLevel', (_reply, ask) => result(ask, {})),
  ),

  fault(
    'critical-messages-lost',
    {
      what: 'notifications/message with the level critical is never sent.',
      breaks: ['logging.messages-at-or-above-level'],
    },
    onNotification('notifications/message', message =>
      paramsOf(message).level === 'critical' ? undefined : message,
    ),
  ),

  fault(
    'unreadable-is-internal-error',
    {
      what: 'The response to a line that is not JSON is an internal error.',
      breaks: ['jsonrpc.parse-error'],
    },
    onMessage(message =>
      isObject(message.error) && message.error.code === codes.parseError
        ? { ...message, error: { ...message.error, code: codes.internalError } }
        : message,
    ),
  ),

  fault(
    'unknown-metadata-refused',
    {
      what: 'ping with metadata under a reserved key is rejected.',
      breaks: ['meta.reserved-values-not-assumed', 'ping.answered-empty'],
    },
    onReply('ping', (reply, ask) => {
      const { _meta: meta } = paramsOf(ask);
      const odd = isObject(meta) && 'io.modelcontextprotocol/conformance' in meta;
      return odd ? refusal(ask, codes.invalidParams, 'Unknown metadata') : reply;
    }),
  ),

  fault(
    'unknown-progress-kills',
    {
      what: 'The process exits when it receives notifications/progress with an unknown progressToken.',
      breaks: ['progress.tokens-tracked', 'jsonrpc.request-answered-once'],
    },
    onIncoming((message, context) => {
      const about = isObject(message) && message.method === 'notifications/progress';
      if (about && paramsOf(message).progressToken === 7) context.exit(1);
      return message;
    }),
  ),

  fault(
    'late-sample-kills',
    {
      what: 'The process exits when it receives a response to a request that it has cancelled.',
      breaks: ['cancellation.late-response-ignored'],
    },
    onIncoming((message, context) => {
      if (JSON.stringify(message).includes('Too late.')) context.exit(1);
      return message;
    }),
  ),

  fault(
    'prompt-arguments-unchecked',
    {
      what: 'prompts/get with objects as arguments returns a result.',
      breaks: ['prompts.arguments-validated'],
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
    },
    onResult('prompts/get', body => {
      const text = JSON.stringify(body);
      return JSON.parse(
        text.replace(/"resource":\{"uri":"[^"]*"/g, '"resource":{"uri":"no scheme"'),
      ) as JsonObject;
    }),
  ),

  fault(
    'resource-type-differs-from-template',
    {
      what: 'resources/templates/list returns another MIME type than resources/read.',
      breaks: ['resources.template-mime-type-uniform'],
    },
    onResult('resources/templates/list', body => ({
      ...body,
      resourceTemplates: changeItem(
        body.resourceTemplates,
        item => item.uriTemplate === 'test://template/{id}/data',
        item => ({ ...item, mimeType: 'text/html' }),
      ),
    })),
  ),

  fault(
    'binary-as-text',
    {
      what: 'resources/read returns binary data as text.',
      breaks: ['resources.text-only-for-text', 'resources.size-is-raw-bytes'],
    },
    contents(item => ({ ...without(item, 'blob'), text: '\uFFFDPNG\uFFFD' }), 'test://static-binary'),
  ),

  fault(
    'nothing-is-read',
    {
      what: 'resources/read without a URI returns a result.',
      breaks: ['resources.uris-validated'],
    },
    onRefused('resources/read', (reply, ask) =>
      paramsOf(ask).uri === undefined ? result(ask, { contents: [{ uri: 'test://x', text: '' }] }) : reply,
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
    },
    onReply('initialize', (reply, ask) =>
      isObject(reply.result) && reply.result.protocolVersion === paramsOf(ask).protocolVersion
        ? reply
        : undefined,
    ),
  ),

  fault(
    'resource-links-refused',
    {
      what: 'tools/call of a tool that returns a resource link returns an internal error.',
      breaks: ['tools.resource-link-content'],
    },
    onReply('tools/call', (reply, ask) =>
      paramsOf(ask).name === 'test_resource_link' ? refusal(ask, codes.internalError, 'No links') : reply,
    ),
  ),

  fault(
    'progress-token-zero-lost',
    {
      what: 'tools/call with the progressToken 0 gets no notifications/progress.',
      breaks: ['progress.optional'],
    },
    onNotification('notifications/progress', message =>
      paramsOf(message).progressToken === 0 ? undefined : message,
    ),
  ),
];
