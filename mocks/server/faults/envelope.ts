/** basic/index#meta, basic/versioning: the metadata of requests. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { latestRevision } from '../../../spec/revisions.js';
import { fault, onError, onReply, onRequest, onResult, refusal, result } from '../../fault.js';
import { codes } from '../refusal.js';
import { key, metaOf, offered, withMeta } from './metadata.js';
import {
  announcedLists,
  growAfterCall,
  hasHandshake,
  internalInPlaceOf,
  isStateless,
  paramsOf,
  unnamedCapability,
} from './shared.js';

const nameOf = (ask: JsonObject): string => {
  const info = metaOf(ask)[key('clientInfo')];
  return isObject(info) ? String(info.name) : '';
};

/** The extensions that a request declares: a fault about capabilities leaves them as they are. */
const extensionsOf = (ask: JsonObject): JsonObject => {
  const declared = metaOf(ask)[key('clientCapabilities')];
  return isObject(declared) && declared.extensions !== undefined ? { extensions: declared.extensions } : {};
};

const everything = { roots: {}, sampling: { tools: {} }, elicitation: { form: {}, url: {} } };

/** The rows besides `mrtr.only-declared-kinds` about input that the client has not declared. */
const alsoUndeclared = {
  elicitation: ['meta.missing-capability-error', 'meta.capability-not-assumed'],
  sampling: ['meta.missing-capability-error'],
  roots: ['roots.capability-checked'],
} as const;

/** Another error for a request in an unknown version. */
const unsupported = (id: string, what: string, change: (error: JsonObject) => JsonObject) => [
  fault(
    `unsupported-version-${id}`,
    { what, breaks: ['versioning.unsupported-version-error'], over: ['stdio'] },
    onError(['server/discover', 'tools/list'], error =>
      error.code === codes.unsupportedVersion ? change(error) : error,
    ),
  ),
];

/** Reverses the first page of tools in each nth tools/list. */
const reversesEach = (nth: number) =>
  onResult('tools/list', (body, ask, context) =>
    paramsOf(ask).cursor === undefined && Array.isArray(body.tools) && context.count() % nth === 0
      ? { ...body, tools: [...body.tools].reverse() }
      : body,
  );

/** Lists a further version. */
const listsToo = (version: string) =>
  onResult('server/discover', (body, _ask, context) => ({
    ...body,
    supportedVersions: [...offered(context), version],
  }));

export const envelopeFaults = [
  fault(
    'capabilities-not-needed',
    {
      what: 'A request without clientCapabilities is served.',
      breaks: ['meta.missing-field-rejected', 'meta.missing-field-http-400'],
      shows: ['meta.missing-field-http-400#served', 'meta.missing-field-rejected#no-capabilities-served'],
    },
    onRequest('*', ask =>
      metaOf(ask)[key('protocolVersion')] !== undefined &&
      metaOf(ask)[key('clientCapabilities')] === undefined
        ? withMeta(ask, { [key('clientCapabilities')]: {} })
        : ask,
    ),
  ),

  fault(
    'missing-capability-internal-error',
    {
      what: 'A tools/call that needs a capability returns an internal error to a client without it.',
      breaks: ['meta.missing-capability-error', 'ext-tasks.required-capability-error'],
      shows: ['meta.missing-capability-error#other-code', 'ext-tasks.required-capability-error#code'],
    },
    internalInPlaceOf(codes.missingClientCapability, 'tools/call'),
  ),

  fault(
    'missing-capability-tool-error',
    {
      what: 'A tools/call that needs a capability returns a result with isError to a client without it.',
      breaks: ['meta.missing-capability-error'],
      shows: ['meta.missing-capability-error#tool-error'],
    },
    onReply('tools/call', reply => {
      const { code, data } = (reply.error ?? {}) as JsonObject;
      const kind = /"(elicitation|sampling)":/.exec(JSON.stringify(data ?? {}))?.[1];
      if (code !== codes.missingClientCapability || kind === undefined) return reply;
      const content = [{ type: 'text', text: `The client does not support ${kind}.` }];
      const { error: _, ...rest } = reply;
      return {
        ...rest,
        result: {
          resultType: 'complete',
          content,
          isError: true,
          _meta: { [key('serverInfo')]: { name: 'mock', version: '1' } },
        },
      };
    }),
  ),

  fault(
    'missing-capability-unnamed',
    {
      what: 'Error -32021 does not name the missing capability.',
      breaks: ['meta.missing-capability-error', 'ext-tasks.required-capability-error'],
      shows: ['meta.missing-capability-error#unnamed', 'ext-tasks.required-capability-error#data'],
    },
    unnamedCapability('tools/call'),
  ),

  fault(
    'asks-undeclared',
    {
      what: 'A tools/call asks for input that the client has not declared.',
      breaks: [
        'mrtr.only-declared-kinds',
        'meta.missing-capability-error',
        'meta.capability-not-assumed',
        'roots.capability-checked',
        'sampling.no-tools-without-capability',
        'elicitation.undeclared-mode-not-sent',
        'elicitation.empty-capability-is-form',
      ],
      shows: [
        'meta.capability-not-assumed#never-declared',
        'meta.missing-capability-error#asks',
        'mrtr.only-declared-kinds#elicitation',
        'elicitation.empty-capability-is-form#page-sent',
        'elicitation.undeclared-mode-not-sent#page',
        'roots.capability-checked#asked',
        'sampling.no-tools-without-capability#tools',
      ],
      where: isStateless,
    },
    onRequest('tools/call', ask =>
      metaOf(ask)[key('clientCapabilities')] === undefined
        ? ask
        : withMeta(ask, { [key('clientCapabilities')]: { ...everything, ...extensionsOf(ask) } }),
    ),
  ),

  fault(
    'list-by-client-name',
    {
      what: 'The result of tools/list depends on the name of the client.',
      breaks: ['meta.self-reported-not-behavioural'],
      shows: ['meta.self-reported-not-behavioural#name'],
    },
    onResult('tools/list', (body, ask) =>
      nameOf(ask) === 'claude-ai' && Array.isArray(body.tools)
        ? { ...body, tools: body.tools.slice(1) }
        : body,
    ),
  ),

  fault(
    'discover-by-client-name',
    {
      what: 'The capabilities of server/discover depend on the name of the client.',
      breaks: ['meta.self-reported-not-behavioural'],
      shows: ['meta.self-reported-not-behavioural#discover'],
    },
    onResult('server/discover', (body, ask) =>
      nameOf(ask) === 'claude-ai' ? { ...body, instructions: 'For Claude.' } : body,
    ),
  ),

  fault(
    'prompts-for-named-clients-only',
    {
      what: 'prompts/list of a client without a name is empty.',
      breaks: ['meta.self-reported-not-behavioural'],
      shows: ['meta.self-reported-not-behavioural#other-list'],
    },
    onResult('prompts/list', (body, ask) =>
      metaOf(ask)[key('clientInfo')] === undefined ? { ...body, prompts: [] } : body,
    ),
  ),

  fault(
    'subscription-in-unknown-version',
    {
      what: 'subscriptions/listen in a version that does not exist is served.',
      breaks: ['versioning.unsupported-version-error'],
      shows: ['versioning.unsupported-version-error#subscription-served'],
    },
    onRequest('subscriptions/listen', (ask, context) =>
      withMeta(ask, { [key('protocolVersion')]: offered(context).at(-1)! }),
    ),
  ),

  fault(
    'discover-needs-capabilities',
    {
      what: 'server/discover is unknown to clients without capabilities.',
      breaks: ['discover.implemented'],
      shows: ['discover.implemented#refused'],
    },
    onReply('server/discover', (reply, ask) => {
      const capabilities = metaOf(ask)[key('clientCapabilities')];
      const isBare = isObject(capabilities) && Object.keys(capabilities).length === 0;
      return isBare ? refusal(ask, codes.methodNotFound, 'Method not found') : reply;
    }),
  ),

  fault(
    'discover-lists-refused-version',
    {
      what: 'server/discover lists a version in which requests are refused.',
      breaks: ['discover.versions-true', 'error-codes.defined-meaning'],
      shows: ['discover.versions-true#refused', 'error-codes.defined-meaning#version-code-for-supported'],
    },
    listsToo('9999-12-31'),
  ),

  fault(
    'discover-lists-version-of-discover-only',
    {
      what: 'server/discover lists a version in which it is served itself, and each other request is refused.',
      breaks: ['discover.versions-true', 'error-codes.defined-meaning'],
      shows: [
        'discover.versions-true#refused-except-discover',
        'error-codes.defined-meaning#version-code-for-supported',
      ],
    },
    onRequest('server/discover', (ask, context) =>
      metaOf(ask)[key('protocolVersion')] === '9999-12-31'
        ? withMeta(ask, { [key('protocolVersion')]: offered(context).at(-1)! })
        : ask,
    ),
    listsToo('9999-12-31'),
  ),

  fault(
    'discover-lists-versions-with-handshake',
    {
      what: 'server/discover lists a version with a handshake, although initialize is refused.',
      breaks: ['discover.versions-true', 'error-codes.defined-meaning'],
      shows: [
        'discover.versions-true#no-handshake',
        'error-codes.defined-meaning#version-code-for-supported',
      ],
      where: isStateless,
    },
    listsToo(latestRevision.id),
  ),

  fault(
    'unknown-version-served',
    {
      what: 'A request in an unknown version gets a result.',
      breaks: ['versioning.unsupported-version-error'],
      shows: ['versioning.unsupported-version-error#served'],
    },
    onRequest('*', (ask, context) => {
      const version = metaOf(ask)[key('protocolVersion')];
      return typeof version === 'string' && !offered(context).includes(version)
        ? withMeta(ask, { [key('protocolVersion')]: offered(context).at(-1)! })
        : ask;
    }),
  ),

  fault(
    'unsupported-version-bare',
    {
      what: 'Error -32022 does not contain the supported versions.',
      breaks: ['versioning.unsupported-version-error'],
      shows: ['versioning.unsupported-version-error#no-supported'],
    },
    onError(['server/discover', 'tools/list'], error =>
      error.code === codes.unsupportedVersion ? without(error, 'data') : error,
    ),
  ),

  fault(
    'unsupported-version-lists-others',
    {
      what: 'Error -32022 lists a version, but not the one in which the server responds.',
      breaks: ['versioning.unsupported-version-error'],
      shows: ['versioning.unsupported-version-error#lists-others'],
    },
    onError('*', (error, ask) =>
      error.code === codes.unsupportedVersion && isObject(error.data) && ask.method !== 'initialize'
        ? { ...error, data: { ...error.data, supported: ['9999-12-31'] } }
        : error,
    ),
  ),

  fault(
    'initialize-unanswered',
    {
      what: 'initialize gets no response from a server without a handshake.',
      breaks: ['versioning.initialize-rejected'],
      shows: ['versioning.initialize-rejected#no-response'],
      where: isStateless,
    },
    onReply('initialize', () => undefined),
  ),

  fault(
    'initialize-without-era',
    {
      what: 'initialize gets a result with the version of the server, which has no handshake.',
      breaks: ['versioning.initialize-rejected', 'versioning.dual-era-selection'],
      shows: [
        'versioning.initialize-rejected#result',
        'versioning.dual-era-selection#version-without-handshake',
      ],
      where: isStateless,
    },
    onReply('initialize', (_reply, ask, context) =>
      result(ask, {
        protocolVersion: offered(context).at(-1)!,
        capabilities: { tools: {} },
        serverInfo: { name: 'mock', version: '1' },
      }),
    ),
  ),

  fault(
    'initialize-versions-unnamed',
    {
      what: 'The error to initialize does not name the versions of the server.',
      breaks: ['versioning.modern-only-names-versions'],
      shows: ['versioning.modern-only-names-versions#unnamed'],
    },
    onReply('initialize', (_reply, ask) => refusal(ask, codes.methodNotFound, 'Method not found')),
  ),

  fault(
    'handshake-for-completion',
    {
      what: 'completion/complete is refused because no initialize came before; other requests are served.',
      breaks: ['stateless.no-connection-context'],
      shows: ['stateless.no-connection-context#handshake-for-some-methods'],
      where: isStateless,
    },
    onReply('completion/complete', (reply, ask) =>
      'result' in reply ? refusal(ask, codes.invalidRequest, 'initialize is required') : reply,
    ),
  ),

  fault(
    'first-request-refused',
    {
      what: 'Requests are refused until server/discover was served on the connection.',
      breaks: [
        'stateless.no-connection-context',
        'stateless.no-connection-affinity',
        'tools.list-not-per-connection',
        'prompts.list-not-per-connection',
        'resources.list-not-per-connection',
      ],
      shows: [
        'stateless.no-connection-affinity#first-request-refused',
        'stateless.no-connection-context#first-request-refused',
        'tools.list-not-per-connection#after-discover',
        'prompts.list-not-per-connection#after-discover',
        'resources.list-not-per-connection#after-discover',
      ],
      over: ['stdio'],
    },
    onReply('*', (reply, ask, context) => {
      const state = context.keep(() => ({ isOpen: false }));
      if (ask.method === 'server/discover') state.isOpen = true;
      return state.isOpen || ask.method === 'initialize'
        ? reply
        : refusal(ask, codes.invalidRequest, 'Discover first.');
    }),
  ),

  fault(
    'cursor-of-connection',
    {
      what: 'A cursor is served only on the connection that returned it.',
      breaks: ['stateless.no-connection-affinity'],
      shows: ['stateless.no-connection-affinity#cursor-of-connection'],
      over: ['stdio'],
    },
    onReply(
      ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
      (reply, ask, context) => {
        const issued = context.keep(() => new Set<unknown>());
        const { cursor } = paramsOf(ask);
        if (isObject(reply.result)) issued.add(reply.result.nextCursor);
        return 'result' in reply && cursor !== undefined && !issued.has(cursor)
          ? refusal(ask, codes.invalidParams, 'The cursor is unknown.')
          : reply;
      },
    ),
  ),

  fault(
    'one-client-at-a-time',
    {
      what: 'A request of another client than the last one is refused.',
      breaks: [
        'stateless.interleaved-conversations',
        'tools.list-answered',
        'prompts.list-answered',
        'resources.list-answered',
      ],
      shows: [
        'stateless.interleaved-conversations#other-client-refused',
        'tools.list-answered#refused-to-second-client',
        'prompts.list-answered#refused-to-second-client',
        'resources.list-answered#refused-to-second-client',
      ],
      where: isStateless,
    },
    onReply('*', (reply, ask, context) => {
      const last = context.keep(() => ({ name: '' }));
      const [before, name] = [last.name, nameOf(ask)];
      last.name = name;
      const isOther = ['one', 'two', 'three'].includes(before) && ['one', 'two', 'three'].includes(name);
      return isOther && before !== name ? refusal(ask, codes.internalError, 'Another client.') : reply;
    }),
  ),

  ...announcedLists.flatMap(list => [
    fault(
      `${list}-of-connection`,
      {
        what: `${list}/list has one item more after a tools/call on the same connection.`,
        breaks: [`${list}.list-not-per-connection`],
        shows: [`${list}.list-not-per-connection#after-call`],
        over: ['stdio'],
      },
      ...growAfterCall([list]),
    ),
    fault(
      `${list}-grow-unannounced`,
      {
        what: `${list}/list has one item more after a tools/call, without a notification.`,
        breaks: ['pagination.stable-cursors'],
        shows: ['pagination.stable-cursors#other-page'],
        where: hasHandshake,
        over: ['stdio'],
      },
      ...growAfterCall([list]),
    ),
  ]),

  fault(
    'tools-in-changing-order',
    {
      what: 'Every other tools/list returns the first page in reverse order.',
      breaks: ['tools.list-deterministic-order'],
      shows: ['tools.list-deterministic-order#reversed'],
    },
    reversesEach(2),
  ),

  fault(
    'tools-in-irregular-order',
    {
      what: 'One of three tools/list returns the first page in reverse order.',
      breaks: ['tools.list-deterministic-order'],
      shows: ['tools.list-deterministic-order#reversed'],
    },
    reversesEach(3),
  ),

  fault(
    'tools-in-order-of-connection',
    {
      what: 'tools/list returns the first page in another order on a connection that did not begin with server/discover.',
      breaks: ['tools.list-deterministic-order'],
      shows: ['tools.list-deterministic-order#other-connection'],
      over: ['stdio'],
      where: isStateless,
    },
    onResult('*', (body, ask, context) => {
      const { first } = context.keep(() => ({ first: ask.method }));
      return first !== 'server/discover' && ask.method === 'tools/list' && paramsOf(ask).cursor === undefined
        ? { ...body, tools: Array.isArray(body.tools) ? [...body.tools].reverse() : body.tools! }
        : body;
    }),
  ),

  fault(
    'metadata-not-needed-without-params',
    {
      what: 'A request without params is served, although it has no metadata.',
      breaks: ['meta.missing-field-rejected'],
      shows: ['meta.missing-field-rejected#no-params-served'],
      over: ['stdio'],
      where: isStateless,
    },
    onRequest('*', (ask, context) =>
      ask.params === undefined && ask.method !== 'initialize'
        ? withMeta(ask, {
            [key('protocolVersion')]: offered(context).at(-1)!,
            [key('clientCapabilities')]: {},
          })
        : ask,
    ),
  ),

  fault(
    'version-not-needed',
    {
      what: 'A request without any metadata is served.',
      breaks: ['meta.missing-field-rejected', 'meta.missing-field-http-400'],
      shows: ['meta.missing-field-http-400#served', 'meta.missing-field-rejected#no-metadata-served'],
      over: ['stdio'],
    },
    onRequest('*', (ask, context) =>
      metaOf(ask)[key('protocolVersion')] === undefined && ask.method !== 'initialize'
        ? withMeta(ask, {
            [key('protocolVersion')]: offered(context).at(-1)!,
            [key('clientCapabilities')]: {},
          })
        : ask,
    ),
  ),

  ...([-32600, -32601, -32603] as const).map(code =>
    fault(
      `missing-field-code${code}`,
      {
        what: `A request without a required member of its metadata gets error ${code}.`,
        breaks: ['meta.missing-field-rejected'],
        over: ['stdio'],
      },
      onError('tools/list', (error, ask) =>
        error.code === codes.invalidParams && metaOf(ask)[key('clientCapabilities')] === undefined
          ? { ...error, code }
          : error,
      ),
    ),
  ),

  ...unsupported('as-invalid-request', 'Error -32600 refuses an unknown version.', error => ({
    ...error,
    code: codes.invalidRequest,
  })),
  ...unsupported('as-invalid-params', 'Error -32602 refuses an unknown version.', error => ({
    ...error,
    code: codes.invalidParams,
  })),
  ...unsupported('lists-nothing', 'Error -32022 has an empty list of supported versions.', error => ({
    ...error,
    data: { ...(error.data as JsonObject), supported: [] },
  })),
  ...unsupported('lists-a-text', 'Error -32022 has a text as supported versions.', error => ({
    ...error,
    data: { ...(error.data as JsonObject), supported: 'the newest' },
  })),
  ...unsupported('lists-requested', 'Error -32022 lists the requested version as supported.', error => {
    const data = error.data as JsonObject;
    return { ...error, data: { ...data, supported: [data.requested!] } };
  }),
  ...unsupported('without-requested', 'Error -32022 does not name the requested version.', error => ({
    ...error,
    data: without(error.data as JsonObject, 'requested'),
  })),
  ...unsupported('requested-as-number', 'Error -32022 has a number as requested version.', error => ({
    ...error,
    data: { ...(error.data as JsonObject), requested: 1900 },
  })),

  ...(['elicitation', 'sampling'] as const).map(kind =>
    fault(
      `${kind}-error-names-other-capability`,
      {
        what: `Error -32021 of a tool that needs ${kind} names another capability.`,
        breaks: ['meta.missing-capability-error'],
        where: isStateless,
      },
      onError('tools/call', error =>
        error.code === codes.missingClientCapability && JSON.stringify(error.data).includes(`"${kind}"`)
          ? { ...error, data: { requiredCapabilities: { experimental: {} } } }
          : error,
      ),
    ),
  ),

  fault(
    'missing-capability-as-list',
    {
      what: 'Error -32021 has a list of names as requiredCapabilities.',
      breaks: ['meta.missing-capability-error', 'ext-tasks.required-capability-error'],
      shows: ['meta.missing-capability-error#as-list'],
    },
    onError('tools/call', error =>
      error.code === codes.missingClientCapability && isObject(error.data)
        ? {
            ...error,
            data: { requiredCapabilities: Object.keys(error.data.requiredCapabilities as JsonObject) },
          }
        : error,
    ),
  ),

  ...(['elicitation', 'sampling', 'roots'] as const).map(kind =>
    fault(
      `${kind}-asked-undeclared`,
      {
        what: `A tools/call asks for ${kind} although the client has not declared it.`,
        breaks: ['mrtr.only-declared-kinds', ...alsoUndeclared[kind]],
        where: isStateless,
      },
      onRequest('tools/call', ask => {
        const declared = metaOf(ask)[key('clientCapabilities')];
        if (!isObject(declared)) return ask;
        const capabilities = { [kind]: {}, ...declared };
        return withMeta(ask, { [key('clientCapabilities')]: capabilities });
      }),
    ),
  ),

  fault(
    'capabilities-of-earlier-requests',
    {
      what: 'A tools/call asks for what any earlier request on the connection declared.',
      breaks: ['meta.capability-not-assumed', 'mrtr.only-declared-kinds', 'meta.missing-capability-error'],
      shows: [
        'meta.capability-not-assumed#earlier-request',
        'meta.missing-capability-error#asks',
        'mrtr.only-declared-kinds#earlier-request',
      ],
      where: isStateless,
    },
    onRequest('*', (ask, context) => {
      const seen = context.keep((): { all: JsonObject } => ({ all: {} }));
      const declared = metaOf(ask)[key('clientCapabilities')];
      if (!isObject(declared)) return ask;
      seen.all = { ...seen.all, ...without(declared, 'extensions') };
      return ask.method === 'tools/call'
        ? withMeta(ask, { [key('clientCapabilities')]: { ...seen.all, ...extensionsOf(ask) } })
        : ask;
    }),
  ),

  fault(
    'list-by-client-version',
    {
      what: 'The result of tools/list depends on the version of the client.',
      breaks: ['meta.self-reported-not-behavioural'],
      shows: ['meta.self-reported-not-behavioural#version'],
    },
    onResult('tools/list', (body, ask) => {
      const info = metaOf(ask)[key('clientInfo')];
      return isObject(info) && info.version === '0.1.0' ? { ...body, 'x-compatible': true } : body;
    }),
  ),

  fault(
    'list-for-named-clients-only',
    {
      what: 'tools/list returns fewer tools to a client without a name.',
      breaks: ['meta.self-reported-not-behavioural'],
      shows: ['meta.self-reported-not-behavioural#no-name'],
    },
    onResult('tools/list', (body, ask) =>
      metaOf(ask)[key('clientInfo')] === undefined && Array.isArray(body.tools)
        ? { ...body, tools: body.tools.slice(2) }
        : body,
    ),
  ),

  fault(
    'tools-rotate',
    {
      what: 'Each tools/list begins its first page with another tool.',
      breaks: ['tools.list-deterministic-order'],
      shows: ['tools.list-deterministic-order#reversed'],
    },
    onResult('tools/list', (body, ask, context) => {
      if (paramsOf(ask).cursor !== undefined || !Array.isArray(body.tools)) return body;
      const at = context.count() % body.tools.length;
      return { ...body, tools: [...body.tools.slice(at), ...body.tools.slice(0, at)] };
    }),
  ),

  fault(
    'initialize-refused-without-data',
    {
      what: 'initialize gets error -32022 without data.',
      breaks: ['versioning.modern-only-names-versions'],
      shows: ['versioning.modern-only-names-versions#unnamed'],
    },
    onError('initialize', error => without(error, 'data')),
  ),

  ...(['tools', 'prompts', 'resources'] as const).map(list =>
    fault(
      `${list}-after-discover`,
      {
        what: `${list}/list is refused until server/discover was served on the connection.`,
        breaks: [
          `${list}.list-not-per-connection`,
          ...(list === 'tools'
            ? (['stateless.no-connection-affinity', 'stateless.no-connection-context'] as const)
            : []),
        ],
        over: ['stdio'],
        where: isStateless,
      },
      onReply('*', (reply, ask, context) => {
        const state = context.keep(() => ({ isOpen: false }));
        if (ask.method === 'server/discover') state.isOpen = true;
        return state.isOpen || ask.method !== `${list}/list`
          ? reply
          : refusal(ask, codes.invalidRequest, 'Discover first.');
      }),
    ),
  ),

  fault(
    'version-of-first-request',
    {
      what: 'A connection keeps the version of its first request, and serves any later one in it.',
      breaks: ['versioning.unsupported-version-error'],
      shows: ['versioning.unsupported-version-error#served'],
      where: isStateless,
    },
    onRequest('*', (ask, context) => {
      const state = context.keep((): { version?: Json } => ({}));
      const version = metaOf(ask)[key('protocolVersion')];
      if (offered(context).includes(String(version))) state.version ??= version!;
      return state.version !== undefined && version !== undefined && ask.method !== 'initialize'
        ? withMeta(ask, { [key('protocolVersion')]: state.version })
        : ask;
    }),
  ),
];
