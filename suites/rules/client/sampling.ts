/** Sampling: the responses of clients. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares } from '../../../harness/record/conversation.js';
import { type Exchange, errorOf, resultOf } from '../../../harness/record/message.js';
import { capabilitiesFor } from '../../../harness/record/questions.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { answered, askedOf, blocksOf, objects } from '../derived/results.js';
import { judgeValue } from '../derived/schemas.js';

const method = 'sampling/createMessage';

const asked = (conversation: Conversation): readonly Exchange[] => askedOf(conversation, method);

const uses = (result: JsonObject | undefined): JsonObject[] =>
  blocksOf(result?.content).filter(block => block.type === 'tool_use');

const wantsTools = ({ request }: Exchange): boolean =>
  request.params?.tools !== undefined || request.params?.toolChoice !== undefined;

const mode = ({ request }: Exchange): unknown =>
  isObject(request.params?.toolChoice) ? request.params.toolChoice.mode : undefined;

/** Whether the messages contain a tool result: the required tool use has already happened. */
const hasResults = ({ request }: Exchange): boolean =>
  objects(request.params?.messages).some(m =>
    blocksOf(m.content).some(block => block.type === 'tool_result'),
  );

export const rules = [
  rule('sampling.capability-declared', function* (conversation) {
    for (const { request, reply } of answered(conversation, method))
      yield declares(capabilitiesFor(conversation, request), 'sampling')
        ? pass([request, reply])
        : fail('sampling declared', [request, reply], 'a result without the declaration');
  }),

  rule('sampling.tools-capability-declared', function* (conversation) {
    for (const exchange of asked(conversation)) {
      const { request, reply } = exchange;
      if (!reply || !wantsTools(exchange)) continue;
      const has = declares(capabilitiesFor(conversation, request), 'sampling.tools');
      const undeclared = !has && uses(resultOf(exchange)).length > 0;
      yield undeclared
        ? fail('sampling.tools declared', [request, reply], 'a tool use without the declaration')
        : pass([request, reply]);
    }
  }),

  rule('sampling.client-refuses-undeclared-tools', function* (conversation) {
    for (const exchange of asked(conversation)) {
      const { request, reply } = exchange;
      if (!reply || !wantsTools(exchange)) continue;
      if (declares(capabilitiesFor(conversation, request), 'sampling.tools')) continue;
      yield errorOf(exchange) ? pass([request, reply]) : fail('an error', [request, reply], 'a result');
    }
  }),

  rule('sampling.tool-choice-none', function* (conversation) {
    for (const exchange of asked(conversation)) {
      const result = resultOf(exchange);
      if (!result || mode(exchange) !== 'none') continue;
      const [use] = uses(result);
      const evidence = [exchange.request, exchange.reply];
      yield use ? fail('no tool use', evidence, `a use of ${JSON.stringify(use.name)}`) : pass(evidence);
    }
  }),

  rule('sampling.tool-choice-required', function* (conversation) {
    for (const exchange of asked(conversation)) {
      const result = resultOf(exchange);
      if (!result || mode(exchange) !== 'required' || hasResults(exchange)) continue;
      if (result.stopReason === 'maxTokens') continue;
      const evidence = [exchange.request, exchange.reply];
      yield uses(result).length > 0 ? pass(evidence) : fail('a tool use', evidence, 'none');
    }
  }),

  rule('sampling.tool-use-fits-tools', function* (conversation) {
    for (const exchange of asked(conversation)) {
      const offered = objects(exchange.request.params?.tools);
      for (const use of uses(resultOf(exchange))) {
        const tool = offered.find(({ name }) => name === use.name);
        const evidence = [exchange.request, exchange.reply];
        const schema = isObject(tool?.inputSchema) ? tool.inputSchema : {};
        const { revision } = conversation;
        const expected = 'input that is valid for the schema';
        if (!tool) yield fail('a tool from the request', evidence, JSON.stringify(use.name));
        else yield judgeValue(schema, use.input ?? null, { revision, expected, evidence });
      }
    }
  }),
];
