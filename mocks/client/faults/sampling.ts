/** client/sampling. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { refusal, result } from '../../fault.js';
import { hasHandshake } from '../../server/faults/shared.js';
import { featuresOf } from '../../server/features.js';
import { codes } from '../../server/refusal.js';
import { type ClientMiddleware, clientFault, onAnswer, onIncoming, onReply } from '../fault.js';

const method = 'sampling/createMessage';

const says = (text: string): JsonObject => ({
  role: 'assistant',
  content: { type: 'text', text },
  model: 'none',
  stopReason: 'endTurn',
});

const using = (name: string, input: JsonObject = {}): JsonObject => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'made-up', name, input }],
  model: 'none',
  stopReason: 'toolUse',
});

const paramsOf = (ask: JsonObject): JsonObject => (isObject(ask.params) ? ask.params : {});
const modeOf = (ask: JsonObject): unknown => {
  const { toolChoice } = paramsOf(ask);
  return isObject(toolChoice) ? toolChoice.mode : undefined;
};
const wantsTools = (ask: JsonObject): boolean =>
  paramsOf(ask).tools !== undefined || paramsOf(ask).toolChoice !== undefined;

/** The content of the last message, where it is a list. */
const lastBlocks = (ask: JsonObject): JsonObject[] => {
  const { messages } = paramsOf(ask);
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isObject(last) && Array.isArray(last.content) ? last.content.filter(isObject) : [];
};

/** Responds with a result instead of an error. */
const insteadOf = (message: RegExp, answer: JsonObject, fits = (_ask: JsonObject) => true) =>
  onReply(method, (reply, ask) => {
    const error = isObject(reply.error) ? reply.error : {};
    return message.test(String(error.message)) && fits(ask) ? result(ask, answer) : reply;
  });

/** Changes the model preferences before the client reads them. */
const preferring = (change: (preferences: JsonObject, hints: Json[]) => JsonObject): ClientMiddleware =>
  onIncoming(message => {
    const params = isObject(message) ? paramsOf(message) : {};
    const { modelPreferences } = params;
    if (!isObject(message) || !isObject(modelPreferences) || !Array.isArray(modelPreferences.hints))
      return message;
    return {
      ...message,
      params: { ...params, modelPreferences: change(modelPreferences, modelPreferences.hints) },
    };
  });

/** Changes the tool uses in a response. */
const uses = (change: (uses: JsonObject[], answer: JsonObject) => JsonObject) =>
  onAnswer(method, answer =>
    answer.stopReason === 'toolUse' ? change(answer.content as JsonObject[], answer) : answer,
  );

export const samplingFaults = [
  clientFault(
    'client-samples-undeclared',
    {
      what: 'The client responds to sampling/createMessage with a result although it has not declared sampling.',
      breaks: ['sampling.capability-declared'],
      shows: ['sampling.capability-declared#result'],
    },
    insteadOf(/^There is no method/, says('All the same.')),
  ),

  clientFault(
    'client-rejection-as-message',
    {
      what: 'The client responds to sampling/createMessage with a message of the model when the user rejects the request.',
      breaks: ['sampling.rejection-error'],
      shows: ['sampling.rejection-error#message'],
    },
    insteadOf(/^The user rejected/, says('I am sorry, I may not do this.')),
  ),

  clientFault(
    'client-rejection-as-internal-error',
    {
      what: 'The client responds to sampling/createMessage with error -32603 when the user rejects the request.',
      breaks: ['sampling.rejection-error'],
      shows: ['sampling.rejection-error#other-code'],
      where: revision => hasHandshake(revision) && featuresOf(revision).samplingTools,
    },
    onReply([method, 'tasks/result'], (reply, ask) => {
      const error = isObject(reply.error) ? reply.error : {};
      return error.code === -1 ? refusal(ask, codes.internalError, String(error.message)) : reply;
    }),
  ),

  clientFault(
    'client-samples-anything',
    {
      what: 'The client responds to sampling/createMessage with a result although the messages are malformed.',
      breaks: ['sampling.message-content-validated'],
      shows: ['sampling.message-content-validated#accepted'],
      where: hasHandshake,
    },
    insteadOf(/^\/params/, says('Whatever.')),
  ),

  clientFault(
    'client-samples-unknown-content',
    {
      what: 'The client responds to sampling/createMessage with a result although a message has content of an unknown type.',
      breaks: ['sampling.message-content-validated'],
      shows: ['sampling.message-content-validated#accepted'],
      where: hasHandshake,
    },
    insteadOf(/^\/params/, says('What is it?'), ask => JSON.stringify(ask).includes('"x-unknown"')),
  ),

  clientFault(
    'client-hints-backwards',
    {
      what: 'The client uses the last matching model hint of sampling/createMessage.',
      breaks: ['sampling.hints-in-order'],
      shows: ['sampling.hints-in-order#last-first'],
    },
    preferring((preferences, hints) => ({ ...preferences, hints: [...hints].reverse() })),
  ),

  clientFault(
    'client-hints-whole',
    {
      what: 'The client ignores model hints of sampling/createMessage that are only a part of a model name.',
      breaks: ['sampling.hint-is-substring'],
      shows: ['sampling.hint-is-substring#whole-names'],
    },
    preferring((preferences, hints) => ({
      ...preferences,
      hints: hints.filter(hint => isObject(hint) && /(large|small)$/.test(String(hint.name))),
    })),
  ),

  clientFault(
    'client-priorities-first',
    {
      what: 'The client ignores the model hints of sampling/createMessage when priorities exist.',
      breaks: ['sampling.hints-before-priorities'],
      shows: ['sampling.hints-before-priorities#priorities-first'],
    },
    preferring(preferences =>
      preferences.speedPriority === undefined ? preferences : { ...preferences, hints: [] },
    ),
  ),

  clientFault(
    'client-tools-passed-over',
    {
      what: 'The client responds to sampling/createMessage with tools as to a request without tools, although it has not declared sampling.tools.',
      breaks: ['sampling.client-refuses-undeclared-tools'],
      shows: ['sampling.client-refuses-undeclared-tools#tools-ignored'],
    },
    insteadOf(/has not declared sampling.tools/, says('Tools?')),
  ),

  clientFault(
    'client-tools-undeclared',
    {
      what: 'The client responds to sampling/createMessage with a tool use although it has not declared sampling.tools.',
      breaks: ['sampling.client-refuses-undeclared-tools', 'sampling.tools-capability-declared'],
      shows: [
        'sampling.client-refuses-undeclared-tools#tool-used',
        'sampling.tools-capability-declared#tool-used',
      ],
    },
    insteadOf(
      /has not declared sampling.tools/,
      using('add', { a: 1, b: 2 }),
      ask => paramsOf(ask).tools !== undefined,
    ),
  ),

  clientFault(
    'client-tool-despite-none',
    {
      what: 'The client responds to sampling/createMessage with a tool use although the tool choice is none.',
      breaks: ['sampling.tool-choice-none'],
      shows: ['sampling.tool-choice-none#used'],
    },
    onAnswer(method, (answer, ask) => (modeOf(ask) === 'none' ? using('add', { a: 1, b: 2 }) : answer)),
  ),

  clientFault(
    'client-tool-despite-none-again',
    {
      what: 'The client responds to sampling/createMessage with a further tool use after tool results although the tool choice is none.',
      breaks: ['sampling.tool-choice-none'],
      shows: ['sampling.tool-choice-none#after-results'],
    },
    onAnswer(method, (answer, ask) =>
      modeOf(ask) === 'none' && lastBlocks(ask).length > 0 ? using('add', { a: 1, b: 2 }) : answer,
    ),
  ),

  clientFault(
    'client-no-tool-though-required',
    {
      what: 'The client responds to sampling/createMessage without a tool use although the tool choice is required.',
      breaks: ['sampling.tool-choice-required'],
      shows: ['sampling.tool-choice-required#not-used'],
    },
    onAnswer(method, (answer, ask) => (modeOf(ask) === 'required' ? says('5') : answer)),
  ),

  clientFault(
    'client-tool-not-offered',
    {
      what: 'The client responds to sampling/createMessage with a use of a tool that the request does not offer.',
      breaks: ['sampling.tool-use-fits-tools'],
      shows: ['sampling.tool-use-fits-tools#not-offered'],
    },
    onAnswer(method, (answer, ask) =>
      wantsTools(ask) && modeOf(ask) !== 'none' ? using('subtract') : answer,
    ),
  ),

  clientFault(
    'client-tool-input-wrong',
    {
      what: 'The client responds to sampling/createMessage with tool input that does not match the schema.',
      breaks: ['sampling.tool-use-fits-tools'],
      shows: ['sampling.tool-use-fits-tools#input-invalid'],
    },
    uses(([use], answer) => ({ ...answer, content: [{ ...use, input: { a: 'two' } }] })),
  ),

  clientFault(
    'client-tool-result-forgotten',
    {
      what: 'The client responds to sampling/createMessage with a result although a tool result is missing.',
      breaks: ['sampling.missing-tool-result-error'],
      shows: ['sampling.missing-tool-result-error#result'],
    },
    insteadOf(/^The result of a tool use is missing/, says('Well.')),
  ),

  clientFault(
    'client-tool-results-counted',
    {
      what: 'The client responds to sampling/createMessage with a result although a tool result names another tool use.',
      breaks: ['sampling.missing-tool-result-error'],
      shows: ['sampling.missing-tool-result-error#other-use'],
    },
    insteadOf(
      /^The result of a tool use is missing/,
      says('Well.'),
      ask => lastBlocks(ask).filter(block => block.type === 'tool_result').length === 2,
    ),
  ),

  clientFault(
    'client-tool-results-left-out',
    {
      what: 'The client responds to sampling/createMessage with a result although a text is in the place of all tool results.',
      breaks: ['sampling.missing-tool-result-error'],
      shows: ['sampling.missing-tool-result-error#none'],
    },
    insteadOf(/^The result of a tool use is missing/, says('Well.'), ask => !lastBlocks(ask)[0]?.toolUseId),
  ),

  clientFault(
    'client-text-after-tool-results',
    {
      what: 'The client responds to sampling/createMessage with a result although a text follows the tool results.',
      breaks: ['sampling.mixed-tool-results-error'],
      shows: ['sampling.mixed-tool-results-error#text-last'],
    },
    insteadOf(/^Tool results are mixed/, says('Well.'), ask => lastBlocks(ask).at(-1)?.type === 'text'),
  ),

  clientFault(
    'client-tool-results-mixed',
    {
      what: 'The client responds to sampling/createMessage with a result although tool results are mixed with other content.',
      breaks: ['sampling.mixed-tool-results-error'],
      shows: ['sampling.mixed-tool-results-error#result'],
    },
    insteadOf(/^Tool results are mixed/, says('Well.')),
  ),

  clientFault(
    'client-tool-use-by-user',
    {
      what: 'The client responds to sampling/createMessage with a tool use in the role user.',
      breaks: ['sampling.tool-block-roles'],
      shows: ['sampling.tool-block-roles#use-by-user'],
    },
    uses((_, answer) => ({ ...answer, role: 'user' })),
  ),

  clientFault(
    'client-tool-ids-doubled',
    {
      what: 'The client responds to sampling/createMessage with two tool uses of the same id.',
      breaks: ['sampling.tool-use-ids-unique'],
      shows: ['sampling.tool-use-ids-unique#twice'],
    },
    uses(([use], answer) => ({ ...answer, content: [use!, use!] })),
  ),

  clientFault(
    'client-image-not-base64',
    {
      what: 'The client responds to sampling/createMessage with an image that is not base64.',
      breaks: ['sampling.media-content-encoding'],
      shows: ['sampling.media-content-encoding#result'],
      where: hasHandshake,
    },
    onAnswer(method, (answer, ask) =>
      wantsTools(ask)
        ? answer
        : { ...answer, content: { type: 'image', mimeType: 'image/png', data: 'no base64!' } },
    ),
  ),

  clientFault(
    'client-sampling-refused-oddly',
    {
      what: 'The client responds to sampling/createMessage with an internal error when it has not declared sampling.',
      breaks: ['jsonrpc.method-not-found'],
      shows: ['jsonrpc.method-not-found#other-code'],
      where: hasHandshake,
    },
    onReply(method, (reply, ask) =>
      isObject(reply.error) && reply.error.code === -32601 ? refusal(ask, -32603, 'Internal error') : reply,
    ),
  ),
];
