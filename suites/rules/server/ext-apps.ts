/** The MCP Apps extension (io.modelcontextprotocol/ui): tools with a UI, and the resources that they link. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares, derived } from '../../../harness/record/conversation.js';
import { errorOf, resultOf } from '../../../harness/record/message.js';
import { asText, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { vocabularyWith } from '../../../spec/vocabulary.js';
import {
  appsExtension,
  appType,
  callsOfApps,
  contentsRead,
  hasApps,
  isAppType,
  isFlat,
  isForApps,
  type Listed,
  linkOf,
  links,
  resourcesListed,
  toolsListed,
  uiOf,
} from '../derived/ext-apps.js';
import { answered, blocksOf, isBase64, objects, shown } from '../derived/results.js';

const isUiUri = (uri: string): boolean => /^ui:\/\//i.test(uri);
const scheme = 'a URI that begins with ui://';

/** `_meta.ui` has its members in their types. */
const metaRule = (
  row: RequirementId,
  definition: string,
  items: (conversation: Conversation) => readonly Listed[],
) =>
  rule.each(row, items, ({ item, reply }, conversation) => {
    const ui = uiOf(item);
    if (!hasApps(conversation)) return undefined;
    if (ui === undefined) return pass([reply]);
    const [problem] = vocabularyWith(conversation.revision, [appsExtension]).validate(definition, ui);
    return problem
      ? fail('members in their types', [reply], `_meta.ui${problem.path} ${problem.message} in ${shown(ui)}`)
      : pass([reply]);
  });

/** The text of contents that have one, or a blob in Base64; undefined for bytes that are not UTF-8. */
function textOf({ text, blob }: JsonObject): string | undefined {
  if (typeof text === 'string') return text;
  try {
    const bytes = Buffer.from(blob as string, 'base64');
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const hasContent = ({ text, blob }: JsonObject): boolean => typeof text === 'string' || isBase64(blob);

/** The text after what may be before a doctype: a byte order mark, white space and comments. */
function withoutPreamble(text: string): string {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  for (;;) {
    while (/[\t\n\f\r ]/.test(text[at] ?? '')) at++;
    if (!text.startsWith('<!--', at)) return text.slice(at, at + 100);
    const end = text.indexOf('-->', at + 4);
    if (end < 0) return '';
    at = end + 3;
  }
}

const doctype =
  /^<!doctype[\t\n\f\r ]+html[\t\n\f\r ]*(?:[\t\n\f\r ]system[\t\n\f\r ]+(?:"about:legacy-compat"|'about:legacy-compat')[\t\n\f\r ]*)?>/i;

/** The first flaw of a document; undefined if none shows. */
function htmlFlaw(item: JsonObject): string | undefined {
  const text = textOf(item);
  if (text === undefined) return 'bytes that are not UTF-8';
  if (text.trim() === '') return 'an empty document';
  return doctype.test(withoutPreamble(text))
    ? undefined
    : `a document that begins ${shown(text.slice(0, 60))}`;
}

const isBlank = (text: Json | undefined): boolean => typeof text !== 'string' || text.trim() === '';

/** Whether a block has a text for a reader: its own, or that of an embedded resource. */
const hasText = ({ text, resource }: JsonObject): boolean =>
  !isBlank(text) || !isBlank((resource as JsonObject | undefined)?.text);

/** Whether content has more than blank text. */
const isMeaningful = (content: Json | undefined): boolean =>
  objects(content).some(block => block.type !== 'text' || hasText(block));

/** Names of the tools that told the model something in one of their calls, if only an error. */
const telling = derived(
  (conversation: Conversation): ReadonlySet<Json | undefined> =>
    new Set(
      answered(conversation, 'tools/call')
        .filter(({ result }) => isMeaningful(result.content))
        .map(({ request }) => request.params?.name),
    ),
);

export const rules = [
  rule('ext-apps.uri-scheme', function* (conversation) {
    for (const { tool, uri, reply } of links(conversation))
      yield isUiUri(uri) ? pass([reply]) : fail(scheme, [reply], `${uri} in the tool ${shown(tool.name)}`);
    const contents = answered(conversation, 'resources/read').flatMap(({ result, reply }) =>
      objects(result.contents).map(item => ({ item, reply })),
    );
    for (const { item, reply } of [...resourcesListed(conversation), ...contents])
      if (isAppType(item.mimeType))
        yield isUiUri(asText(item.uri)) ? pass([reply]) : fail(scheme, [reply], shown(item.uri));
  }),

  rule('ext-apps.listed-mime-type', function* (conversation) {
    const linked = new Set(links(conversation).map(({ uri }) => uri));
    for (const { item, reply } of resourcesListed(conversation))
      if (linked.has(asText(item.uri)))
        yield isAppType(item.mimeType)
          ? pass([reply])
          : fail(`mimeType ${appType}`, [reply], `${shown(item.mimeType)} of ${shown(item.uri)}`);
  }),

  rule.each('ext-apps.mime-type', contentsRead, ({ item, request, reply }) =>
    isAppType(item.mimeType)
      ? pass([request, reply])
      : fail(`mimeType ${appType}`, [request, reply], `${shown(item.mimeType)} of ${shown(item.uri)}`),
  ),

  rule.each('ext-apps.content', contentsRead, ({ item, request, reply }) =>
    hasContent(item)
      ? pass([request, reply])
      : fail('a text, or a blob in Base64', [request, reply], `contents of ${shown(item.uri)}`),
  ),

  rule.each('ext-apps.html', contentsRead, ({ item, request, reply }) => {
    // contents that are neither break ext-apps.content
    if (!hasContent(item)) return undefined;
    const actual = htmlFlaw(item);
    return actual === undefined
      ? pass([request, reply])
      : fail('an HTML5 document with its doctype', [request, reply], `${actual} of ${shown(item.uri)}`);
  }),

  rule('ext-apps.resource-exists', function* (conversation) {
    const linked = links(conversation);
    const [first] = linked;
    const capabilities = conversation.capabilities('server');
    if (first && capabilities && !declares(capabilities, 'resources'))
      yield fail(
        `the resource ${first.uri}`,
        [first.reply],
        'no resources in the capabilities of the server',
      );
    for (const exchange of conversation.exchanges({ by: 'peer', method: 'resources/read' })) {
      const { request, reply } = exchange;
      const of = linked.filter(({ uri }) => uri === request.params?.uri);
      if (of.length === 0 || !reply || !isForApps(conversation, request)) continue;
      const later = answered(conversation, 'tools/list').some(list => list.reply.seq > reply.seq);
      const evidence = [of[0]!.reply, request, reply];
      const expected = `the resource that ${shown(of[0]!.tool.name)} links`;
      if (objects(resultOf(exchange)?.contents).length > 0) yield pass(evidence);
      else if (later && !of.some(link => link.reply.seq > reply.seq)) continue;
      else if (errorOf(exchange)) yield fail(expected, evidence, 'an error');
      else if (resultOf(exchange)) yield fail(expected, evidence, 'no contents');
    }
  }),

  metaRule('ext-apps.tool-meta', 'McpUiToolMeta', toolsListed),
  metaRule('ext-apps.resource-meta', 'UIResourceMeta', conversation => [
    ...resourcesListed(conversation),
    ...contentsRead(conversation),
  ]),

  rule.each('ext-apps.nested-key', links, ({ tool, uri, reply }) =>
    isFlat(tool)
      ? fail('_meta.ui.resourceUri', [reply], `_meta["ui/resourceUri"] ${shown(uri)} in ${shown(tool.name)}`)
      : pass([reply]),
  ),

  rule('ext-apps.capability-checked', function* (conversation) {
    if (!hasApps(conversation)) return;
    for (const { request, reply, result } of answered(conversation, 'tools/list')) {
      if (isForApps(conversation, request)) continue;
      const tool = objects(result.tools).find(one => linkOf(one) !== undefined);
      yield tool
        ? fail('no tool with a UI', [request, reply], `${shown(tool.name)} links ${linkOf(tool)}`)
        : pass([request, reply]);
    }
  }),

  rule.each('ext-apps.text-fallback', callsOfApps, ({ request, reply, result }, conversation) => {
    if (isForApps(conversation, request) || !isMeaningful(result.content)) return undefined;
    return blocksOf(result.content).some(hasText)
      ? pass([request, reply])
      : fail('a text in the content', [request, reply], shown(result.content));
  }),

  rule.each('ext-apps.content-returned', callsOfApps, ({ request, reply, result }, conversation) => {
    if (isMeaningful(result.content)) return pass([request, reply]);
    // an empty list may have an empty text
    const isNothing = result.structuredContent === undefined && result.content !== undefined;
    return isNothing && telling(conversation).has(request.params?.name)
      ? undefined
      : fail('content for the model', [request, reply], `content ${shown(result.content)}`);
  }),
];
