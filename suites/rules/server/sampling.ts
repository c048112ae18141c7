/** Sampling: the requests that a server may send, and tool loops inside one request. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import { capabilitiesFor, questionsOf } from '../../../harness/record/questions.js';
import { asText, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { answered, blocksOf, isMedia, mediaFlaw, objects, sameJson } from '../derived/results.js';
import { judgeValue } from '../derived/schemas.js';

const method = 'sampling/createMessage';

const asked = (conversation: Conversation): readonly Message[] =>
  questionsOf(conversation, method).map(q => q.request);

interface Turn {
  readonly role: Json | undefined;
  readonly blocks: readonly JsonObject[];
}

const turnsOf = (value: Json | undefined): Turn[] =>
  objects(value).map(({ role, content }) => ({ role, blocks: blocksOf(content) }));

/** The messages that the subject wrote: those in its requests, and its own results. */
function* written(conversation: Conversation): Generator<{ m: Message; turns: Turn[] }> {
  for (const m of asked(conversation)) yield { m, turns: turnsOf(m.params?.messages) };
  for (const { reply, result } of answered(conversation, method))
    yield { m: reply, turns: turnsOf([result]) };
}

/** The ids of tool uses, or of the tool uses that tool results refer to. */
const uses = (turn: Turn | undefined): Json[] =>
  (turn?.blocks ?? []).flatMap(b => (b.type === 'tool_use' && b.id !== undefined ? [b.id] : []));
const answersIn = (turn: Turn | undefined): Json[] =>
  (turn?.blocks ?? []).flatMap(b =>
    b.type === 'tool_result' && b.toolUseId !== undefined ? [b.toolUseId] : [],
  );

const usesBefore = (turns: readonly Turn[], end: number): Set<Json> =>
  new Set(turns.slice(0, end).flatMap(uses));

export const rules = [
  rule('sampling.message-shape', function* (conversation) {
    for (const m of asked(conversation)) {
      const messages = m.params?.messages;
      if (!Array.isArray(messages)) continue;
      const wrong = messages.find(
        message =>
          !isObject(message) ||
          !['user', 'assistant'].includes(asText(message.role)) ||
          !(isObject(message.content) || Array.isArray(message.content)),
      );
      yield wrong === undefined
        ? pass([m])
        : fail('the role user or assistant, and content', [m], JSON.stringify(wrong).slice(0, 200));
    }
  }),

  rule('sampling.media-content-encoding', function* (conversation) {
    for (const { m, turns } of written(conversation)) {
      const media = turns.flatMap(t => t.blocks).filter(isMedia);
      const flaw = mediaFlaw(media);
      if (flaw) yield fail('base64 data', [m], flaw);
      else if (media.length > 0) yield pass([m]);
    }
  }),

  rule('sampling.no-tools-without-capability', function* (conversation) {
    for (const m of asked(conversation)) {
      const has = declares(capabilitiesFor(conversation, m), 'sampling.tools');
      if (m.params?.tools === undefined && m.params?.toolChoice === undefined) continue;
      yield has ? pass([m]) : fail('no tools and no toolChoice', [m], 'sampling.tools is not declared');
    }
  }),

  rule('sampling.include-context-needs-capability', function* (conversation) {
    for (const m of asked(conversation)) {
      const has = declares(capabilitiesFor(conversation, m), 'sampling.context');
      const { includeContext } = m.params ?? {};
      if (includeContext === undefined || includeContext === 'none') continue;
      yield has ? pass([m]) : fail('none', [m], `${includeContext} without sampling.context`);
    }
  }),

  rule('sampling.include-context-avoided', function* (conversation) {
    for (const m of asked(conversation)) {
      const has = declares(capabilitiesFor(conversation, m), 'sampling.context');
      const { includeContext } = m.params ?? {};
      if (includeContext === undefined || includeContext === 'none') yield pass([m]);
      else if (has) yield fail('none', [m], asText(includeContext));
    }
  }),

  rule('sampling.tool-block-roles', function* (conversation) {
    for (const { m, turns } of written(conversation)) {
      const wrong = turns.some(
        t => (uses(t).length > 0 && t.role !== 'assistant') || (answersIn(t).length > 0 && t.role !== 'user'),
      );
      if (wrong) yield fail('tool uses by the assistant, tool results by the user', [m], 'the other role');
      else if (turns.some(t => uses(t).length + answersIn(t).length > 0)) yield pass([m]);
    }
  }),

  rule('sampling.tool-use-ids-unique', function* (conversation) {
    for (const { m, turns } of written(conversation)) {
      const ids = turns.flatMap(uses);
      if (new Set(ids).size < ids.length) yield fail('each id once', [m], JSON.stringify(ids));
      else if (ids.length > 0) yield pass([m]);
    }
  }),

  rule('sampling.tool-results-unmixed', function* (conversation) {
    for (const m of asked(conversation))
      for (const turn of turnsOf(m.params?.messages)) {
        const results = answersIn(turn).length;
        if (turn.role !== 'user' || results === 0) continue;
        yield results === turn.blocks.length
          ? pass([m])
          : fail('tool results only', [m], 'mixed with other content');
      }
  }),

  rule('sampling.tool-result-id-matches', function* (conversation) {
    for (const m of asked(conversation)) {
      const turns = turnsOf(m.params?.messages);
      const unknown = turns.flatMap((t, i) => answersIn(t).filter(id => !usesBefore(turns, i).has(id)));
      if (unknown.length > 0) yield fail('ids of earlier tool uses', [m], JSON.stringify(unknown));
      else if (turns.some(t => answersIn(t).length > 0)) yield pass([m]);
    }
  }),

  // A result for an unknown tool use is judged by sampling.tool-result-id-matches, also where it replaces the
  // result of another one.
  rule('sampling.tool-use-result-balance', function* (conversation) {
    for (const m of asked(conversation)) {
      const turns = turnsOf(m.params?.messages);
      for (const [i, turn] of turns.entries()) {
        const wanted = new Set(uses(turn));
        const given = new Set(answersIn(turns[i + 1]));
        if (wanted.size === 0 || [...given].some(id => !usesBefore(turns, i + 1).has(id))) continue;
        const balanced = wanted.size === given.size && [...wanted].every(id => given.has(id));
        yield balanced ? pass([m]) : fail(JSON.stringify([...wanted]), [m], JSON.stringify([...given]));
      }
    }
  }),

  // The tool uses in a request show which response it continues; sampling.tool-use-result-balance judges
  // whether each tool use has a result.
  rule('sampling.tool-loop-answers-all', function* (conversation) {
    for (const { request, reply } of questionsOf(conversation, method)) {
      const body = reply?.kind === 'result' ? (reply.json as JsonObject).result : undefined;
      const [turn] = turnsOf([body ?? null]);
      const ids = uses(turn);
      if (ids.length === 0) continue;
      const next = asked(conversation).find(m => m.seq > reply!.seq && taken(m).some(id => ids.includes(id)));
      if (!next) continue;
      const all = ids.every(id => taken(next).includes(id));
      yield all ? pass([request, reply, next]) : fail(JSON.stringify(ids), [reply, next], 'not all of them');
    }
  }),

  rule('sampling.tool-result-structured-conformance', function* (conversation) {
    for (const m of asked(conversation)) {
      const turns = turnsOf(m.params?.messages);
      const calls = new Map(
        turns.flatMap(t => t.blocks).flatMap(b => (b.type === 'tool_use' ? [[b.id, b.name]] : [])),
      );
      for (const block of turns.flatMap(t => t.blocks)) {
        if (block.type !== 'tool_result' || block.isError === true || block.structuredContent === undefined)
          continue;
        const tool = objects(m.params?.tools).find(t => sameJson(t.name, calls.get(block.toolUseId)));
        if (tool?.outputSchema === undefined) continue;
        yield judgeValue(tool.outputSchema as JsonObject, block.structuredContent, {
          revision: conversation.revision,
          expected: 'content that is valid for the output schema',
          evidence: [m],
        });
      }
    }
  }),
];

const taken = (m: Message): Json[] => turnsOf(m.params?.messages).flatMap(uses);
