/** Prompts: the content of their messages. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import { isUri } from '../../../spec/formats.js';
import { asText, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isSound } from '../derived/conversation.js';
import { listAnswered } from '../derived/pages.js';
import { answered, blocksOf, isBase64, isMimeType, objects, shown } from '../derived/results.js';
import { resultIn } from '../derived/task-record.js';

function* blocks(conversation: Conversation, type: string): Generator<{ block: JsonObject; reply: Message }> {
  for (const { reply, result } of answered(conversation, 'prompts/get'))
    for (const message of objects(result.messages))
      for (const block of blocksOf(message.content)) if (block.type === type) yield { block, reply };
}

function* embedded(conversation: Conversation): Generator<{ resource: JsonObject; reply: Message }> {
  for (const { block, reply } of blocks(conversation, 'resource'))
    if (isObject(block.resource)) yield { resource: block.resource, reply };
}

/**
 * Whether the client supplied the text itself, or sent a deliberately invalid request that needs a refusal.
 */
function isOfOurs(conversation: Conversation, reply: Message, text: Json | undefined): boolean {
  const request = conversation.requestOf(reply);
  const given = request?.params?.arguments;
  return request?.frame.deliberate === true || (isObject(given) && Object.values(given).includes(text!));
}

const media = (row: RequirementId, type: string) =>
  rule(row, function* (conversation) {
    for (const { block, reply } of blocks(conversation, type)) {
      if (!isBase64(block.data)) yield fail('base64 data', [reply], shown(block.data));
      else if (!isMimeType(block.mimeType)) yield fail('a MIME type', [reply], shown(block.mimeType));
      else yield pass([reply]);
    }
  });

export const rules = [
  rule('prompts.required-arguments-sent', function* (conversation) {
    const known = new Map<Json | undefined, { list: Message; needed: (Json | undefined)[] }>();
    for (const m of conversation.messages) {
      if (m.method === 'notifications/prompts/list_changed') known.clear();
      const request = m.kind === 'result' ? conversation.requestOf(m) : undefined;
      if (request?.method === 'prompts/list')
        for (const prompt of objects(resultIn(m)?.prompts)) {
          const needed = objects(prompt.arguments).filter(argument => argument.required === true);
          known.set(prompt.name, { list: m, needed: needed.map(({ name }) => name) });
        }
      const prompt = m.method === 'prompts/get' && isSound(m) ? known.get(m.params?.name) : undefined;
      if (!prompt || prompt.needed.length === 0) continue;
      const given = isObject(m.params?.arguments) ? m.params.arguments : {};
      const missing = prompt.needed.find(name => given[asText(name)] === undefined);
      yield missing === undefined
        ? pass([prompt.list, m])
        : fail(`the argument ${shown(missing)}`, [prompt.list, m], 'none');
    }
  }),

  listAnswered('prompts.list-answered', 'prompts'),

  media('prompts.image-content-encoding', 'image'),
  media('prompts.audio-content-encoding', 'audio'),

  rule('prompts.embedded-resource-mime-type', function* (conversation) {
    for (const { resource, reply } of embedded(conversation))
      yield isMimeType(resource.mimeType)
        ? pass([reply])
        : fail('a MIME type', [reply], shown(resource.mimeType));
  }),

  rule('prompts.embedded-resource-payload', function* (conversation) {
    for (const { resource, reply } of embedded(conversation)) {
      const { text, blob } = resource;
      const fits = typeof text === 'string' || isBase64(blob);
      yield fits ? pass([reply]) : fail(['text', 'a base64 blob'], [reply], shown(blob ?? text));
    }
  }),

  rule('prompts.embedded-resource-uri', function* (conversation) {
    for (const { resource, reply } of embedded(conversation)) {
      const { uri } = resource;
      const fits = typeof uri === 'string' && isUri(uri.replace(/[^\0-\x7f]/gu, 'x'));
      if (!fits && isOfOurs(conversation, reply, uri)) continue;
      yield fits ? pass([reply]) : fail('a URI (RFC 3986)', [reply], shown(uri));
    }
  }),
];
