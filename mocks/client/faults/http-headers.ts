/** basic/transports/streamable-http#request-metadata: faults of clients in headers that repeat the body. */

import { isObject, parseJson } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { latestRevision } from '../../../spec/revisions.js';
import { showing } from '../../fault.js';
import { isStateless, paramsOf } from '../../server/faults/shared.js';
import { type ClientMiddleware, clientFault, onAsk, onBehaviour, onHttp, onResult } from '../fault.js';

type Rows = readonly [RequirementId, ...RequirementId[]];
type Headers = Readonly<Record<string, string>>;

const over = ['streamable-http'] as const;

const http = (id: string, what: string, breaks: Rows, ...middleware: ClientMiddleware[]) =>
  clientFault(id, { what, breaks, where: isStateless, over }, ...middleware);

/** The headers of a POST differ. @param change receives the headers and the body */
const withHeaders = (change: (headers: Headers, body: ReturnType<typeof paramsOf>) => Headers) =>
  onHttp(ask => {
    const body = parseJson(ask.body ?? '');
    return ask.method === 'POST' && isObject(body) && 'mcp-method' in ask.headers
      ? { ...ask, headers: change(ask.headers, body) }
      : ask;
  });

const without = (headers: Headers, isGone: (name: string) => boolean): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isGone(name)));

const changing = (name: string, change: (value: string) => string) =>
  withHeaders(headers =>
    headers[name] === undefined ? headers : { ...headers, [name]: change(headers[name]) },
  );

const decoded = (value: string): string => {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
};

/** Bytes in UTF-8, as one character each. */
const raw = (value: string): string => Buffer.from(decoded(value), 'utf8').toString('latin1');

const isSafe = (value: string): boolean => /^[\x20-\x7e]*$/.test(value) && value === value.trim();

/** Offers these tools too, although their annotations are invalid. */
const offering = (...names: readonly string[]) =>
  onBehaviour(habits => {
    const { offersTool } = habits;
    habits.offersTool = tool => names.includes(String(tool.name)) || offersTool(tool);
  });

/** The names of the tools on one page of the list. */
const onePage = (): { names: readonly string[] } => ({ names: [] });

/** The client knows the annotations of one page only: of the last one that it has received, or of the first one. */
const mirroringOf = (page: 'first' | 'last') =>
  [
    onResult('tools/list', (result, ask, context) => {
      const tools = Array.isArray(result.tools) ? result.tools.filter(isObject) : [];
      if (page === 'last' || paramsOf(ask).cursor === undefined)
        context.keep(onePage).names = tools.map(({ name }) => String(name));
      return result;
    }),
    onHttp((ask, context) => {
      const body = parseJson(ask.body ?? '');
      if (!isObject(body) || body.method !== 'tools/call') return ask;
      const { names } = context.keep(onePage);
      return names.includes(String(paramsOf(body).name))
        ? ask
        : { ...ask, headers: without(ask.headers, name => name.startsWith('mcp-param-')) };
    }),
  ] as const;

export const httpHeaderFaults = [
  showing(
    ['http-headers.client-sends-metadata#no-version', 'http-headers.version-present#missing'],
    http(
      'client-omits-version-header',
      'The client sends no MCP-Protocol-Version.',
      ['http-headers.client-sends-metadata', 'http-headers.version-present'],
      withHeaders(headers => without(headers, name => name === 'mcp-protocol-version')),
    ),
  ),
  showing(
    ['http-headers.version-matches-body#other-version'],
    http(
      'client-sends-older-version-header',
      'The client sends an MCP-Protocol-Version other than that of the body.',
      ['http-headers.version-matches-body'],
      changing('mcp-protocol-version', () => latestRevision.id),
    ),
  ),
  showing(
    ['streamable-http.no-resumption#client-sends'],
    http(
      'client-names-last-event',
      'The client names the last event that it received in each POST.',
      ['streamable-http.no-resumption'],
      withHeaders(headers => ({ ...headers, 'last-event-id': '1' })),
    ),
  ),
  showing(
    ['http-headers.client-sends-metadata#no-method', 'http-headers.method-header#missing'],
    http(
      'client-omits-method-header',
      'The client sends tools/list without Mcp-Method.',
      ['http-headers.client-sends-metadata', 'http-headers.method-header'],
      withHeaders((headers, body) =>
        body.method === 'tools/list' ? without(headers, name => name === 'mcp-method') : headers,
      ),
    ),
  ),
  showing(
    ['http-headers.method-header#other-case'],
    http(
      'client-method-header-in-capitals',
      'The client sends the method in capitals in Mcp-Method.',
      ['http-headers.method-header'],
      changing('mcp-method', value => value.toUpperCase()),
    ),
  ),
  showing(
    ['http-headers.method-header#other-method'],
    http(
      'client-method-header-of-lists',
      'The client sends the method of a list in Mcp-Method of each tools/call.',
      ['http-headers.method-header'],
      changing('mcp-method', value => (value === 'tools/call' ? 'tools/list' : value)),
    ),
  ),
  showing(
    ['http-headers.version-matches-body#two-versions'],
    http(
      'client-version-header-with-more',
      'The client sends two versions in MCP-Protocol-Version.',
      ['http-headers.version-matches-body'],
      changing('mcp-protocol-version', value => `${latestRevision.id}, ${value}`),
    ),
  ),
  showing(
    ['http-headers.name-header#other-case'],
    http(
      'client-name-header-in-capitals',
      'The client sends the name of a prompt in capitals in Mcp-Name.',
      ['http-headers.name-header'],
      withHeaders((headers, body) =>
        body.method === 'prompts/get' && headers['mcp-name'] && !headers['mcp-name'].startsWith('=?')
          ? { ...headers, 'mcp-name': headers['mcp-name'].toUpperCase() }
          : headers,
      ),
    ),
  ),
  showing(
    ['http-headers.name-header#uri-decoded'],
    http(
      'client-name-header-uri-decoded',
      'The client sends the URI of a resource without its escapes in Mcp-Name.',
      ['http-headers.name-header'],
      withHeaders((headers, body) =>
        body.method === 'resources/read' && headers['mcp-name']
          ? { ...headers, 'mcp-name': headers['mcp-name'].replaceAll('%20', ' ') }
          : headers,
      ),
    ),
  ),
  showing(
    ['http-headers.sentinel-escaped#other-alphabet', 'http-headers.value-base64#other-alphabet'],
    http(
      'client-values-in-base64url',
      'The client encodes arguments in headers in the alphabet of URLs.',
      ['http-headers.value-base64', 'http-headers.sentinel-escaped'],
      changing('mcp-param-note', value =>
        value.startsWith('=?')
          ? `=?base64?${Buffer.from(decoded(value), 'utf8').toString('base64url')}?=`
          : value,
      ),
    ),
  ),
  showing(
    [
      'http-headers.sentinel-escaped#marker-malformed',
      'http-headers.sentinel-exact#no-end',
      'http-headers.value-base64#marker-malformed',
    ],
    http(
      'client-sentinel-without-end',
      'The client writes an encoded value in a header without ?= at its end.',
      ['http-headers.sentinel-exact', 'http-headers.value-base64', 'http-headers.sentinel-escaped'],
      changing('mcp-param-note', value => value.replace(/\?=$/, '')),
    ),
  ),
  showing(
    ['http-headers.client-sends-metadata#no-name', 'http-headers.name-header#missing'],
    http(
      'client-omits-name-header',
      'The client sends prompts/get without Mcp-Name.',
      ['http-headers.client-sends-metadata', 'http-headers.name-header'],
      withHeaders((headers, body) =>
        body.method === 'prompts/get' ? without(headers, name => name === 'mcp-name') : headers,
      ),
    ),
  ),
  showing(
    ['http-headers.name-header#other-value'],
    http(
      'client-name-header-of-method',
      'The client sends the method in Mcp-Name.',
      ['http-headers.name-header', 'ext-tasks.client-name-header'],
      withHeaders((headers, body) =>
        headers['mcp-name'] !== undefined && !headers['mcp-name'].startsWith('=?')
          ? { ...headers, 'mcp-name': String(body.method) }
          : headers,
      ),
    ),
  ),
  showing(
    ['http-headers.name-encoded#raw'],
    http(
      'client-name-header-raw',
      'The client sends a name in UTF-8 in Mcp-Name.',
      ['http-headers.name-encoded'],
      changing('mcp-name', value => (isSafe(decoded(value)) ? value : raw(value))),
    ),
  ),
  showing(
    ['http-headers.name-encoded#percent-encoded'],
    http(
      'client-name-header-percent-encoded',
      'The client sends a name with percent signs in Mcp-Name.',
      ['http-headers.name-encoded'],
      changing('mcp-name', value => (isSafe(decoded(value)) ? value : encodeURIComponent(decoded(value)))),
    ),
  ),
  showing(
    ['http-headers.name-encoded#trimmed'],
    http(
      'client-name-header-trimmed',
      'The client removes blanks around a name in Mcp-Name.',
      ['http-headers.name-encoded'],
      changing('mcp-name', value => (/^\s|\s$/.test(decoded(value)) ? decoded(value).trim() : value)),
    ),
  ),
  showing(
    ['http-headers.sentinel-escaped#as-it-is'],
    http(
      'client-sentinel-not-escaped',
      'The client sends a value that looks encoded as it is.',
      ['http-headers.sentinel-escaped'],
      changing('mcp-name', value => (decoded(value).startsWith('=?base64?') ? decoded(value) : value)),
    ),
  ),
  showing(
    [
      'http-headers.sentinel-escaped#marker-malformed',
      'http-headers.sentinel-exact#capitals',
      'http-headers.value-base64#marker-malformed',
    ],
    http(
      'client-sentinel-in-capitals',
      'The client writes =?BASE64? in capitals.',
      ['http-headers.sentinel-exact', 'http-headers.value-base64', 'http-headers.sentinel-escaped'],
      changing('mcp-param-note', value => value.replace('=?base64?', '=?BASE64?')),
    ),
  ),
  showing(
    ['http-headers.custom-mirrored#no-header', 'http-headers.custom-supported#no-header'],
    http(
      'client-mirrors-nothing',
      'The client sends no Mcp-Param header.',
      ['http-headers.custom-mirrored', 'http-headers.custom-supported'],
      withHeaders(headers => without(headers, name => name.startsWith('mcp-param-'))),
    ),
  ),
  showing(
    [
      'http-headers.custom-mirrored#nested-without-header',
      'http-headers.custom-supported#nested-without-header',
    ],
    http(
      'client-mirrors-top-level-only',
      'The client sends no header for a parameter inside of an object.',
      ['http-headers.custom-mirrored', 'http-headers.custom-supported'],
      withHeaders(headers => without(headers, name => name === 'mcp-param-zone')),
    ),
  ),
  showing(
    [
      'http-headers.custom-mirrored#nested-without-header',
      'http-headers.custom-supported#nested-without-header',
    ],
    http(
      'client-mirrors-one-level-of-nesting',
      'The client sends no header for a parameter inside of an object in an object.',
      ['http-headers.custom-mirrored', 'http-headers.custom-supported'],
      withHeaders(headers => without(headers, name => name === 'mcp-param-floor')),
    ),
  ),
  showing(
    ['http-headers.custom-mirrored#earlier-page', 'http-headers.custom-supported#earlier-page'],
    http(
      'client-mirrors-of-last-page',
      'The client sends Mcp-Param headers only for tools of the last page that it has received.',
      ['http-headers.custom-mirrored', 'http-headers.custom-supported'],
      ...mirroringOf('last'),
    ),
  ),
  showing(
    ['http-headers.custom-mirrored#later-page', 'http-headers.custom-supported#later-page'],
    http(
      'client-mirrors-of-first-page',
      'The client sends Mcp-Param headers only for tools of the first page of the list.',
      ['http-headers.custom-mirrored', 'http-headers.custom-supported'],
      ...mirroringOf('first'),
    ),
  ),
  showing(
    ['http-headers.custom-mirrored#empty', 'http-headers.custom-supported#empty'],
    http(
      'client-mirrors-no-empty-text',
      'The client sends no header for an empty argument.',
      ['http-headers.custom-mirrored', 'http-headers.custom-supported'],
      withHeaders(headers => without(headers, name => name === 'mcp-param-region' && headers[name] === '')),
    ),
  ),
  showing(
    ['http-headers.custom-mirrored#zero', 'http-headers.custom-supported#zero'],
    http(
      'client-mirrors-no-zero',
      'The client sends no header for an argument of 0.',
      ['http-headers.custom-mirrored', 'http-headers.custom-supported'],
      withHeaders(headers => without(headers, name => name === 'mcp-param-count' && headers[name] === '0')),
    ),
  ),
  showing(
    ['http-headers.custom-mirrored#in-retry', 'http-headers.custom-supported#in-retry'],
    http(
      'client-mirrors-in-first-round-only',
      'The client sends no Mcp-Param header with a call that it sends again after an input-required result.',
      ['http-headers.custom-mirrored', 'http-headers.custom-supported'],
      withHeaders((headers, body) =>
        paramsOf(body).requestState === undefined
          ? headers
          : without(headers, name => name.startsWith('mcp-param-')),
      ),
    ),
  ),
  showing(
    ['http-headers.value-encoding#integer'],
    http(
      'client-integers-in-groups',
      'The client sends integers with a comma before each group of three digits in headers.',
      ['http-headers.value-encoding'],
      changing('mcp-param-count', value => Number(value).toLocaleString('en-US')),
    ),
  ),
  showing(
    ['http-headers.value-encoding#integer'],
    http(
      'client-integers-with-exponent',
      'The client sends large integers with an exponent in headers.',
      ['http-headers.value-encoding'],
      changing('mcp-param-count', value =>
        Math.abs(Number(value)) > 2 ** 40 ? Number(value).toExponential() : value,
      ),
    ),
  ),
  showing(
    ['http-headers.value-base64#control-characters'],
    http(
      'client-values-without-controls',
      'The client leaves control characters out of values in headers.',
      ['http-headers.value-base64'],
      changing('mcp-param-region', value =>
        [...decoded(value)].filter(c => c >= ' ' && c !== '\u007f').join(''),
      ),
    ),
  ),
  showing(
    ['http-headers.value-encoding#boolean'],
    http(
      'client-booleans-in-capitals',
      'The client sends True and False in headers.',
      ['http-headers.value-encoding'],
      changing('mcp-param-dry-run', value => value[0]!.toUpperCase() + value.slice(1)),
    ),
  ),
  showing(
    ['http-headers.value-encoding#quotes'],
    http(
      'client-strings-in-quotes',
      'The client sends strings with quotation marks in headers.',
      ['http-headers.value-encoding'],
      changing('mcp-param-region', value => (value.startsWith('=?') ? value : JSON.stringify(value))),
    ),
  ),
  showing(
    ['http-headers.value-base64#raw'],
    http(
      'client-values-in-utf-8',
      'The client sends an argument in UTF-8 in a header.',
      ['http-headers.value-base64'],
      changing('mcp-param-note', value =>
        /[^\x20-\x7e]/.test(decoded(value)) && !decoded(value).includes('\n') ? raw(value) : value,
      ),
    ),
  ),
  showing(
    ['http-headers.value-base64#trimmed'],
    http(
      'client-values-trimmed',
      'The client removes blanks around an argument in a header.',
      ['http-headers.value-base64'],
      changing('mcp-param-note', value => {
        const text = decoded(value);
        return text !== text.trim() ? text.trim() : value;
      }),
    ),
  ),
  showing(
    ['http-headers.param-omitted-when-absent#sent'],
    http(
      'client-absent-parameters-as-null',
      'The client sends null in the header of a parameter that has no value.',
      ['http-headers.param-omitted-when-absent'],
      withHeaders((headers, body) =>
        body.method === 'tools/call' && paramsOf(body).name === 'mirrors' && !('mcp-param-note' in headers)
          ? { ...headers, 'mcp-param-note': 'null' }
          : headers,
      ),
    ),
  ),
  showing(
    ['tools.x-mcp-header-safe-integers#too-large', 'http-headers.custom-safe-integers#too-large'],
    http(
      'client-sends-large-integers',
      'The client sends an integer beyond 2^53 in a parameter that a header repeats.',
      ['http-headers.custom-safe-integers', 'tools.x-mcp-header-safe-integers'],
      onAsk('tools/call', ask => {
        const params = paramsOf(ask);
        const args = isObject(params.arguments) ? params.arguments : {};
        return params.name === 'mirrors' && args.count === 42
          ? { ...ask, params: { ...params, arguments: { ...args, count: 2 ** 60 } } }
          : ask;
      }),
    ),
  ),
  showing(
    ['tools.x-mcp-header-client-rejects#called', 'http-headers.client-rejects-invalid-tool#called'],
    http(
      'client-keeps-invalid-tools',
      'The client calls tools whose x-mcp-header is invalid.',
      ['http-headers.client-rejects-invalid-tool', 'tools.x-mcp-header-client-rejects'],
      onBehaviour(habits => {
        habits.offersTool = () => true;
      }),
    ),
  ),
  showing(
    ['tools.x-mcp-header-client-rejects#called', 'http-headers.client-rejects-invalid-tool#called'],
    http(
      'client-keeps-tools-with-references',
      'The client calls a tool whose x-mcp-header is behind a $ref.',
      ['http-headers.client-rejects-invalid-tool', 'tools.x-mcp-header-client-rejects'],
      offering('header-behind-reference'),
    ),
  ),
  showing(
    ['tools.x-mcp-header-client-rejects#called', 'http-headers.client-rejects-invalid-tool#called'],
    http(
      'client-keeps-tools-with-headers-of-objects',
      'The client calls a tool whose x-mcp-header is at an object or a list.',
      ['http-headers.client-rejects-invalid-tool', 'tools.x-mcp-header-client-rejects'],
      offering('header-of-object', 'header-of-list'),
    ),
  ),
  showing(
    ['tools.x-mcp-header-client-rejects#called', 'http-headers.client-rejects-invalid-tool#called'],
    http(
      'client-keeps-tools-with-conditional-headers',
      'The client calls a tool whose x-mcp-header is below then.',
      ['http-headers.client-rejects-invalid-tool', 'tools.x-mcp-header-client-rejects'],
      offering('header-in-condition'),
    ),
  ),
  showing(
    ['tools.x-mcp-header-client-rejects#called', 'http-headers.client-rejects-invalid-tool#called'],
    http(
      'client-compares-headers-at-one-level',
      'The client calls a tool in which a nested property has the x-mcp-header of another one.',
      ['http-headers.client-rejects-invalid-tool', 'tools.x-mcp-header-client-rejects'],
      offering('header-twice-nested'),
    ),
  ),
  showing(
    [
      'tools.x-mcp-header-client-excludes#list-dropped',
      'http-headers.client-excludes-invalid-tool#list-dropped',
    ],
    http(
      'client-drops-list-with-invalid-tool',
      'The client uses no tool of a list in which one x-mcp-header is invalid.',
      ['http-headers.client-excludes-invalid-tool', 'tools.x-mcp-header-client-excludes'],
      onBehaviour(habits => {
        const { offersTool } = habits;
        let isBroken = false;
        habits.offersTool = tool => {
          isBroken ||= !offersTool(tool);
          return !isBroken;
        };
      }),
    ),
  ),
  showing(
    ['http-headers.client-refreshes-on-mismatch#no-list'],
    http(
      'client-ignores-header-mismatch',
      'The client does not list the tools again after error -32020.',
      ['http-headers.client-refreshes-on-mismatch'],
      onBehaviour(habits => {
        habits.refreshesTools = false;
      }),
    ),
  ),
];
