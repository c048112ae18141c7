/** What careless servers make of odd input, and smaller slips that belong to no other file. */

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

/** Served or half served, but not declared. */
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
      what: 'Completion without a reference or an argument succeeds.',
      breaks: ['completion.missing-argument-error', 'completion.inputs-validated'],
    },
    onRefused('completion/complete', (reply, ask) =>
      incomplete(paramsOf(ask)) ? result(ask, nothing) : reply,
    ),
  ),

  fault(
    'completion-incomplete-internal-error',
    {
      what: 'Completion without a reference or an argument is an internal error.',
      breaks: ['completion.missing-argument-error'],
    },
    onRefused('completion/complete', (reply, ask) =>
      incomplete(paramsOf(ask)) ? refusal(ask, codes.internalError, 'Something went wrong') : reply,
    ),
  ),

  fault(
    'completion-of-anything',
    {
      what: 'Completion of a number, or at a reference of an unknown kind, succeeds.',
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
      what: 'Completion is not there, and the refusal does not say so.',
      breaks: ['completion.unsupported-error'],
      where: revision => !revision.undeclarable.includes('completions'),
    },
    undeclared('completions'),
    onRefused('completion/complete', (_reply, ask) => refusal(ask, codes.internalError, 'No')),
  ),

  fault(
    'nameless-call-is-result',
    {
      what: 'A call that names no tool is answered with a result that tells of an error.',
      breaks: ['tools.malformed-call-protocol-error'],
    },
    onRefused('tools/call', (reply, ask) =>
      typeof paramsOf(ask).name === 'string' ? reply : result(ask, { ...says('Which tool?'), isError: true }),
    ),
  ),

  fault(
    'no-tools-is-result',
    {
      what: 'A server without tools answers a call with a result that tells of an error.',
      breaks: ['tools.unsupported-calls-protocol-error'],
    },
    undeclared('tools'),
    onRefused('tools/call', (_reply, ask) => result(ask, { ...says('No tools here.'), isError: true })),
  ),

  fault(
    'resources-undeclared',
    {
      what: 'Resources are listed but not declared.',
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
      what: 'Tools embed resources although the server has none.',
      breaks: ['tools.embedded-resource-capability'],
    },
    undeclared('resources'),
  ),

  fault(
    'levels-undeclared',
    { what: 'Log levels are taken but logging is not declared.', breaks: ['base.server-feature-advertised'] },
    undeclared('logging'),
    onRefused('logging/setLevel', (_reply, ask) => result(ask, {})),
  ),

  fault(
    'critical-messages-lost',
    {
      what: 'Critical log messages are not sent.',
      breaks: ['logging.messages-at-or-above-level'],
    },
    onNotification('notifications/message', message =>
      paramsOf(message).level === 'critical' ? undefined : message,
    ),
  ),

  fault(
    'unreadable-is-internal-error',
    { what: 'A line that is not JSON is answered as an internal error.', breaks: ['jsonrpc.parse-error'] },
    onMessage(message =>
      isObject(message.error) && message.error.code === codes.parseError
        ? { ...message, error: { ...message.error, code: codes.internalError } }
        : message,
    ),
  ),

  fault(
    'unknown-metadata-refused',
    {
      what: 'A request with metadata under a reserved key is refused.',
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
      what: 'The process dies of progress for a token that nobody gave.',
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
      what: 'The process dies of an answer to a request that it has cancelled.',
      breaks: ['cancellation.late-response-ignored'],
    },
    onIncoming((message, context) => {
      if (JSON.stringify(message).includes('Too late.')) context.exit(1);
      return message;
    }),
  ),

  fault(
    'prompt-arguments-unchecked',
    { what: 'Prompts take objects for texts.', breaks: ['prompts.arguments-validated'] },
    onRefused('prompts/get', (reply, ask) => {
      const given = paramsOf(ask).arguments;
      const odd = isObject(given) && Object.values(given).some(isObject);
      return odd ? result(ask, { messages: [] }) : reply;
    }),
  ),

  fault(
    'prompt-resource-without-scheme',
    {
      what: 'A resource in a prompt has something for a URI that is none.',
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
      what: 'A resource has another type than its template says.',
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
      what: 'Binary data is given as text.',
      breaks: ['resources.text-only-for-text', 'resources.size-is-raw-bytes'],
    },
    contents(item => ({ ...without(item, 'blob'), text: '\uFFFDPNG\uFFFD' }), 'test://static-binary'),
  ),

  fault(
    'nothing-is-read',
    {
      what: 'Reading without a URI gives something.',
      breaks: ['resources.uris-validated'],
    },
    onRefused('resources/read', (reply, ask) =>
      paramsOf(ask).uri === undefined ? result(ask, { contents: [{ uri: 'test://x', text: '' }] }) : reply,
    ),
  ),

  fault(
    'unknown-version-unanswered',
    {
      what: 'An initialize request with an unknown version is not answered.',
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
      what: 'A tool that links to a resource is refused.',
      breaks: ['tools.resource-link-content'],
    },
    onReply('tools/call', (reply, ask) =>
      paramsOf(ask).name === 'test_resource_link' ? refusal(ask, codes.internalError, 'No links') : reply,
    ),
  ),

  fault(
    'progress-token-zero-lost',
    { what: 'The progress token 0 is taken for none.', breaks: ['progress.optional'] },
    onNotification('notifications/progress', message =>
      paramsOf(message).progressToken === 0 ? undefined : message,
    ),
  ),
];
