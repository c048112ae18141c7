/** server/resources. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import {
  fault,
  notification,
  onNotification,
  onReply,
  onRequest,
  onResult,
  onWorld,
  refusal,
  result,
} from '../../fault.js';
import { codes } from '../refusal.js';
import {
  beforeCall,
  changeItem,
  hasHandshake,
  onRefused,
  paramsOf,
  refusedWithoutCursor,
  serveFiles,
  undeclared,
} from './shared.js';

const listing = (change: (resource: JsonObject) => Json) =>
  onResult('resources/list', body => ({
    ...body,
    resources: changeItem(body.resources, r => r.uri === 'test://static-text', change),
  }));

const contents = (change: (item: JsonObject) => JsonObject, uri: string) =>
  onResult('resources/read', (body, ask) =>
    paramsOf(ask).uri === uri && Array.isArray(body.contents)
      ? { ...body, contents: body.contents.filter(isObject).map(change) }
      : body,
  );

/** Ends all subscriptions before a request is served. */
const endsSubscriptions = (method: string) =>
  onRequest(method, (ask, { session }) => {
    session.subscriptions.clear();
    return ask;
  });

export const resourceFaults = [
  fault(
    'missing-resource-code-zero',
    {
      what: 'resources/read of an unknown resource returns an error with the code 0.',
      breaks: ['resources.not-found-code-32002'],
      shows: ['resources.not-found-code-32002#other-code'],
    },
    onRefused('resources/read', (_reply, ask) => refusal(ask, 0, 'Unknown resource')),
  ),

  fault(
    'resource-without-uri',
    {
      what: 'resources/list returns a resource without a URI.',
      breaks: ['resources.uri-valid', 'base.schema-valid'],
      shows: ['base.schema-valid#member-missing', 'resources.uri-valid#missing'],
    },
    listing(resource => without(resource, 'uri')),
  ),

  fault(
    'resource-without-name',
    {
      what: 'resources/list returns a resource without a name.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#member-missing'],
    },
    listing(resource => without(resource, 'name')),
  ),

  fault(
    'resource-uri-relative',
    {
      what: 'resources/list returns a resource with a path instead of a URI.',
      breaks: ['resources.uri-valid'],
      shows: ['resources.uri-valid#relative'],
    },
    listing(resource => ({ ...resource, uri: '/static text' })),
  ),

  fault(
    'resource-uris-double',
    {
      what: 'resources/list returns two resources with the same URI.',
      breaks: ['resources.uri-unique'],
      shows: ['resources.uri-unique#twice'],
    },
    onWorld(world => {
      const [first] = world.resources;
      world.resources.push({ ...first!, definition: { ...first!.definition, name: 'Taken' } });
    }),
  ),

  fault(
    'blob-not-base64',
    {
      what: 'resources/read returns a blob in hexadecimal with colons.',
      breaks: ['resources.binary-encoded'],
      shows: ['resources.binary-encoded#not-base64'],
    },
    onResult('resources/read', body => ({
      ...body,
      contents: changeItem(
        body.contents,
        contents => 'blob' in contents,
        contents => ({ ...contents, blob: '89:50:4e:47' }),
      ),
    })),
  ),

  fault(
    'size-of-base64',
    {
      what: 'resources/list returns the length of the base64 text as the size of a binary resource.',
      breaks: ['resources.size-is-raw-bytes'],
      shows: ['resources.size-is-raw-bytes#base64-length'],
    },
    onWorld(world => {
      for (const resource of world.resources)
        if (resource.definition.mimeType === 'image/png')
          resource.definition.size = String(resource.read().blob).length;
    }),
  ),

  fault(
    'template-unbalanced',
    {
      what: 'resources/templates/list returns a URI template with an unclosed brace.',
      breaks: ['resources.uri-template-rfc6570'],
      shows: ['resources.uri-template-rfc6570#brace-open'],
    },
    onResult('resources/templates/list', body => ({
      ...body,
      resourceTemplates: changeItem(
        body.resourceTemplates,
        t => t.uriTemplate === 'test://flags/{flag}',
        t => ({ ...t, uriTemplate: 'test://flags/{flag' }),
      ),
    })),
  ),

  fault(
    'subscribe-refused',
    {
      what: 'resources/subscribe returns the error -32601 although subscriptions are declared.',
      breaks: ['resources.subscribe-methods-answered'],
      shows: ['resources.subscribe-methods-answered#refused'],
    },
    onReply('resources/subscribe', (_reply, ask) => refusal(ask, codes.methodNotFound, 'Method not found')),
  ),

  fault(
    'updates-missing',
    {
      what: 'notifications/resources/updated is never sent to subscribers.',
      breaks: ['resources.updated-notification'],
      shows: ['resources.updated-notification#missing'],
    },
    onNotification('notifications/resources/updated', () => undefined),
  ),

  fault(
    'subscription-replaced',
    {
      what: 'A subscription to a resource ends the updates of another one.',
      breaks: ['resources.updated-notification'],
      shows: ['resources.updated-notification#replaced'],
      where: hasHandshake,
    },
    endsSubscriptions('resources/subscribe'),
  ),

  fault(
    'unsubscribe-ends-all',
    {
      what: 'resources/unsubscribe ends the subscriptions to all resources.',
      breaks: ['resources.updated-notification'],
      shows: ['resources.updated-notification#ended-with-another'],
      where: hasHandshake,
    },
    endsSubscriptions('resources/unsubscribe'),
  ),

  fault(
    'updates-after-unsubscribe',
    {
      what: 'resources/unsubscribe returns a result and has no effect.',
      breaks: ['resources.unsubscribe-ends-updates'],
      shows: ['resources.unsubscribe-ends-updates#goes-on'],
    },
    onRequest('resources/unsubscribe', (ask, context) => context.send(result(ask, {})) as undefined),
  ),

  fault(
    'updates-unasked',
    {
      what: 'notifications/resources/updated is sent to clients without a subscription.',
      breaks: ['resources.updated-only-after-subscribe'],
      shows: ['resources.updated-only-after-subscribe#no-subscription'],
    },
    beforeCall(context => {
      if (context.count() === 1)
        context.send(notification('notifications/resources/updated', { uri: 'test://watched-resource' }));
    }),
  ),

  fault(
    'resources-change-silently',
    {
      what: 'notifications/resources/list_changed is never sent although it is declared.',
      breaks: ['resources.list-changed-notification'],
      shows: ['resources.list-changed-notification#silent'],
    },
    onNotification('notifications/resources/list_changed', () => undefined),
  ),

  fault(
    'resources-list-refused',
    {
      what: 'resources/list returns the error -32601 although resources are declared.',
      breaks: ['resources.list-answered'],
      shows: ['resources.list-answered#refused'],
    },
    onReply('resources/list', refusedWithoutCursor),
  ),

  fault(
    'resources-undeclared',
    {
      what: 'resources/list returns resources although resources are not declared.',
      breaks: [
        'resources.capability-declared',
        'tools.embedded-resource-capability',
        'ext-skills.resources-declared',
      ],
      shows: ['tools.embedded-resource-capability#embedded', 'resources.capability-declared#list'],
    },
    undeclared('resources'),
    onRefused('resources/list', (_reply, ask) =>
      result(ask, { resources: [{ uri: 'test://static-text', name: 'static-text' }] }),
    ),
  ),

  fault(
    'resource-type-differs-from-template',
    {
      what: 'resources/templates/list returns another MIME type than resources/read.',
      breaks: ['resources.template-mime-type-uniform'],
      shows: ['resources.template-mime-type-uniform#differs'],
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
      breaks: ['resources.text-only-for-text'],
      shows: ['resources.text-only-for-text#binary-as-text'],
    },
    contents(item => ({ ...without(item, 'blob'), text: '\uFFFDPNG\uFFFD' }), 'test://static-binary'),
  ),

  fault(
    'nothing-is-read',
    {
      what: 'resources/read without a URI returns a result.',
      breaks: ['resources.uris-validated'],
      shows: ['resources.uris-validated#no-uri-read'],
    },
    onRefused('resources/read', (reply, ask) =>
      paramsOf(ask).uri === undefined ? result(ask, { contents: [{ uri: 'test://x', text: '' }] }) : reply,
    ),
  ),

  fault(
    'unknown-resource-as-tool-result',
    {
      what: 'resources/read of a resource that does not exist returns a tool result with isError.',
      breaks: ['base.schema-valid', 'ext-skills.read-unknown'],
    },
    onRefused('resources/read', (_, ask) =>
      result(ask, { isError: true, content: [{ type: 'text', text: 'unknown resource' }] }),
    ),
  ),

  fault(
    'resource-scheme-malformed',
    {
      what: 'resources/list returns a resource with an underscore in the scheme of its URI.',
      breaks: ['resources.custom-scheme-rfc3986'],
      shows: ['resources.custom-scheme-rfc3986#character'],
      where: revision => clauseIn(requirement('resources.custom-scheme-rfc3986'), revision.id) !== undefined,
    },
    onWorld(world => {
      const [first] = world.resources;
      const definition = { ...first!.definition, uri: 'my_scheme://text', name: 'odd' };
      world.resources.push({ ...first!, definition });
    }),
  ),

  fault(
    'last-modified-in-words',
    {
      what: 'tools/call returns content with a lastModified annotation in words.',
      breaks: ['resources.last-modified-format'],
      shows: ['resources.last-modified-format#words'],
    },
    onResult('tools/call', (body, ask) =>
      // only one tool: the result of a task must equal the result of the call
      Array.isArray(body.content) && (ask.params as JsonObject).name === 'test_simple_text'
        ? {
            ...body,
            content: (body.content as JsonObject[]).map(block => ({
              ...block,
              annotations: { lastModified: 'Monday afternoon' },
            })),
          }
        : body,
    ),
  ),

  fault(
    'files-outside-read',
    {
      what: 'resources/read follows encoded steps to a parent directory out of the served area.',
      breaks: ['resources.path-traversal-sanitized'],
      shows: ['resources.path-traversal-sanitized#outside-read'],
    },
    onWorld(world => {
      serveFiles(
        world,
        /^file:\/\/\/srv\/docs\/(?:%2e%2e%2f)+etc%2fpasswd$/,
        'root:x:0:0:root:/root:/bin/sh\n',
      );
    }),
  ),
];
