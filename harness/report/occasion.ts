/** What a party sends before a requirement can be judged. */

import { isObject, parseJson, type Role } from '../../spec/json-rpc.js';
import { entry } from '../grouped.js';

/** Rows that need something in the messages of the bound party. */
export interface Occasion {
  /** Ids of rows; `*` is any text. */
  readonly rows: string;
  /** What the subject did not do, after its name. */
  readonly lacks: string;
  /** Each text that is an occasion contains one of these, which have no characters of patterns. */
  readonly hints: readonly string[];
  /** True for the text of each message that may be an occasion, and perhaps for further texts; slashes are not escaped. */
  readonly shows: (text: string) => boolean;
}

/** @param parts texts that an occasion contains, each of them or one of several */
const occasion = (
  rows: string,
  lacks: string,
  ...parts: readonly (string | readonly string[])[]
): Occasion => ({
  rows,
  lacks,
  hints: [parts.at(-1)!].flat(),
  shows: text =>
    parts.every(part =>
      typeof part === 'string' ? text.includes(part) : part.some(one => text.includes(one)),
    ),
});

/** The kinds of the last text: several occasions look at the same one. */
let last = { text: '', kinds: new Set<string>() };

/** Whether a text has requests, and notifications. */
function kindsIn(text: string): ReadonlySet<string> {
  if (last.text === text) return last.kinds;
  const json = parseJson(text);
  const kinds = (Array.isArray(json) ? json : [json]).map(m =>
    !isObject(m) || m.method === undefined ? '' : m.id === undefined ? 'notification' : 'request',
  );
  last = { text, kinds: new Set(kinds) };
  return last.kinds;
}

/** Members that each message of a kind has. */
const marks = { request: ['"id"', '"method"'], notification: ['"method"'] } as const;

/** A request or a notification. @param parts texts that it contains */
const call = (rows: string, kind: keyof typeof marks, what = '', ...parts: string[]): Occasion => {
  const { shows, ...rest } = occasion(rows, `sent no ${kind}${what}`, ...marks[kind], ...parts);
  return { ...rest, shows: text => shows(text) && kindsIn(text).has(kind) };
};

const sends = (rows: string, method: string): Occasion => occasion(rows, `sent no ${method}`, `"${method}"`);

/** A list with an item. */
const lists = (rows: string, member: string, item: string): Occasion => {
  const filled = new RegExp(`"${member}"\\s*:\\s*\\[\\s*[^\\]\\s]`);
  const { shows, ...rest } = occasion(rows, `lists no ${item}`, `"${member}"`);
  return { ...rest, shows: text => shows(text) && filled.test(text) };
};

const response = ['"result"', '"error"'];
const media = ['"image"', '"audio"'];
const embedded = '"resource"';
const createMessage = '"sampling/createMessage"';

/** By the party that is bound. The first line of a row whose message was not sent gives the reason. */
const occasions: Readonly<Record<Role, readonly Occasion[]>> = {
  server: [
    lists('tools.name-* tools.input-schema-valid versioning.extension-fallback', 'tools', 'tool'),
    occasion('json-schema.schemas-valid', 'lists no tool with an outputSchema', [
      '"outputSchema"',
      createMessage,
    ]),
    lists('prompts.name-unique prompts.*-encoding prompts.embedded-*', 'prompts', 'prompt'),
    lists('resources.uri-unique', 'resources', 'resource'),
    lists('resources.uri-template-rfc6570', 'resourceTemplates', 'resource template'),
    occasion('resources.uri-valid resources.custom-scheme-*', 'names no resource', '"uri"'),
    occasion('resources.size-is-raw-bytes', 'lists no resource with a size', '"size"'),
    occasion('resources.binary-encoded', 'sent no binary resource', '"blob"'),
    occasion('base.base64-without-line-breaks', 'sent no base64 data', ['"blob"', '"data"']),
    occasion('prompts.image-*', 'sent no image', '"image"'),
    occasion('prompts.audio-*', 'sent no audio', '"audio"'),
    occasion('prompts.embedded-* tools.embedded-*', 'sent no embedded resource', embedded),
    occasion('tools.media-content-encoding', 'sent no image or audio', media),
    sends(
      'elicitation.common-* elicitation.form-* elicitation.schema-* elicitation.no-*',
      'elicitation/create',
    ),
    sends('elicitation.undeclared-* elicitation.empty-* elicitation.url-parameters', 'elicitation/create'),
    sends('elicitation.url-valid elicitation.url-no-* elicitation.url-https', 'elicitation/create'),
    sends('sampling.*', 'sampling/createMessage'),
    occasion('sampling.media-*', 'sent no image or audio in sampling/createMessage', createMessage, media),
    occasion(
      'sampling.tool-result-structured-*',
      'sent no tool result with structuredContent in sampling/createMessage',
      createMessage,
      '"tool_result"',
      '"structuredContent"',
    ),
    occasion('sampling.include-context-*', 'sent no request with includeContext', '"includeContext"'),
    sends('roots.*', 'roots/list'),
    sends('logging.capability-* logging.no-* logging.remove-* logging.messages-*', 'notifications/message'),
    occasion(
      'mrtr.keys-unique mrtr.no-other-requests mrtr.one-of-two mrtr.only-way mrtr.request-kinds caching.no-hints-*',
      'sent no input-required result',
      '"input_required"',
    ),
    occasion('caching.same-scope-on-all-pages', 'sent no list with a second page', '"nextCursor"'),
    occasion('tools.x-mcp-header-*', 'lists no tool with x-mcp-header', '"x-mcp-header"'),
    occasion('patterns.server-no-*', 'sent neither a request nor a notification', '"method"'),
    occasion('transport.message-directions', 'sent neither a request nor a notification', '"method"'),
    occasion('versioning.extension-identifiers', 'declares no extension', '"extensions"'),
    call('tasks.none-without-* tasks.capability-declared tasks.request-without-*', 'request'),
  ],
  client: [
    occasion('pagination.* prompts.client-paginates', 'sent no request for a list', '/list"'),
    sends('prompts.client-paginates', 'prompts/list'),
    occasion('pagination.* prompts.client-paginates', 'requests no further page', '"cursor"'),
    sends('completion.*', 'completion/complete'),
    occasion('json-schema.schemas-valid', 'sent no schema', 'Schema"'),
    sends('tools.client-*', 'tools/call'),
    sends('streamable-http.cancel-explicit', 'notifications/cancelled'),
    occasion('ping.result-* streamable-http.redelivered-answered-once', 'sent no response', response),
    occasion('sampling.media-*', 'sent no image or audio', media),
    occasion('jsonrpc.invalid-* jsonrpc.parse-* jsonrpc.notification-not-*', 'sent no response', response),
    occasion('logging.implementations-*', 'sent no response', response),
    {
      rows: 'streamable-http.get-accept',
      lacks: 'opened no stream with GET',
      hints: ['GET'],
      shows: text => text === 'GET',
    },
  ],
};

/** What binds both parties. */
const common: readonly Occasion[] = [
  occasion('error-codes.* jsonrpc.error-* jsonrpc.method-not-found', 'sent no error response', '"error"'),
  occasion('jsonrpc.result-* jsonrpc.response-id-matches', 'sent no response', response),
  call('jsonrpc.request-id-* base.method-of-own-side base.params-object', 'request'),
  call('prompts.respect-capabilities lifecycle.respect-version', 'request'),
  call('jsonrpc.notification-without-id', 'notification'),
  call('progress.token-type progress.token-unique', 'request', ' with a progressToken', '"progressToken"'),
  call('tasks.augment-only-declared', 'request', ' for a task', '"task"'),
  sends(
    'progress.fields progress.increases progress.message-* progress.rate-* progress.stops-* progress.token-of-*',
    'notifications/progress',
  ),
  sends('cancellation.*-request cancellation.request-id-given', 'notifications/cancelled'),
  sends('cancellation.still-in-flight cancellation.server-*', 'notifications/cancelled'),
  sends('cancellation.notification-not-for-tasks', 'notifications/cancelled'),
  sends('cancellation.tasks-use-tasks-cancel', 'notifications/cancelled'),
  sends('ping.not-excessive', 'ping'),
  occasion('icons.size-format icons.src-uri', 'sent no icons', '"icons"'),
  occasion('meta.trace-*', 'sent no trace context', ['"traceparent"', '"tracestate"', '"baggage"']),
  occasion('meta.key-* meta.reserved-prefix-*', 'sent no _meta', '"_meta"'),
  occasion('json-schema.recommended-*', 'sent no schema', 'Schema"'),
  occasion('resources.last-modified-format', 'sent no lastModified', '"lastModified"'),
  sends('tasks.cursor-opaque', 'tasks/list'),
  sends('tasks.poll-interval-respected', 'tasks/get'),
];

/** @param side the party under test */
export const occasionsOf = (side: Role): readonly Occasion[] => [...common, ...occasions[side]];

const patternOf = ({ rows }: Occasion): RegExp =>
  new RegExp(`^(?:${rows.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll(' ', '|')})$`);

/** The pattern of the rows of each occasion. */
const patterns = new Map<Occasion, RegExp>();

/** True if the occasion is one of the row. */
export const isOccasionOf = (occasion: Occasion, id: string): boolean =>
  entry(patterns, occasion, () => patternOf(occasion)).test(id);
