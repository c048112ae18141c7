/** client/sampling. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { refusal, result } from '../../fault.js';
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

/** Answers instead of refusing. */
const insteadOf = (message: RegExp, answer: JsonObject, fits = (_ask: JsonObject) => true) =>
  onReply(method, (reply, ask) => {
    const error = isObject(reply.error) ? reply.error : {};
    return message.test(String(error.message)) && fits(ask) ? result(ask, answer) : reply;
  });

/** Changes the preferences the client gets to see. */
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

/** A tool is used: changes the uses. */
const uses = (change: (uses: JsonObject[], answer: JsonObject) => JsonObject) =>
  onAnswer(method, answer =>
    answer.stopReason === 'toolUse' ? change(answer.content as JsonObject[], answer) : answer,
  );

export const samplingFaults = [
  clientFault(
    'client-samples-undeclared',
    {
      what: 'The client samples although it has not declared that it does.',
      breaks: ['sampling.capability-declared'],
    },
    insteadOf(/^There is no method/, says('All the same.')),
  ),

  clientFault(
    'client-rejection-as-message',
    {
      what: 'What the user rejects is answered with an apology of the model.',
      breaks: ['sampling.rejection-error'],
    },
    insteadOf(/^The user said no/, says('I am sorry, I may not do this.')),
  ),

  clientFault(
    'client-samples-anything',
    { what: 'The client samples messages of any form.', breaks: ['sampling.message-content-validated'] },
    insteadOf(/^\/params/, says('Whatever.')),
  ),

  clientFault(
    'client-hints-backwards',
    { what: 'The client takes the last hint that fits.', breaks: ['sampling.hints-in-order'] },
    preferring((preferences, hints) => ({ ...preferences, hints: [...hints].reverse() })),
  ),

  clientFault(
    'client-hints-whole',
    {
      what: 'The client looks for models that have the whole name of a hint.',
      breaks: ['sampling.hint-is-substring'],
    },
    preferring((preferences, hints) => ({
      ...preferences,
      hints: hints.filter(hint => isObject(hint) && /(large|small)$/.test(String(hint.name))),
    })),
  ),

  clientFault(
    'client-priorities-first',
    {
      what: 'The client has regard to hints only where there are no priorities.',
      breaks: ['sampling.hints-before-priorities'],
    },
    preferring(preferences =>
      preferences.speedPriority === undefined ? preferences : { ...preferences, hints: [] },
    ),
  ),

  clientFault(
    'client-tools-passed-over',
    {
      what: 'A client without tools in sampling answers requests with tools as if there were none.',
      breaks: ['sampling.client-refuses-undeclared-tools'],
    },
    insteadOf(/has not declared sampling.tools/, says('Tools?')),
  ),

  clientFault(
    'client-tools-undeclared',
    {
      what: 'A client without tools in sampling uses them all the same.',
      breaks: ['sampling.client-refuses-undeclared-tools', 'sampling.tools-capability-declared'],
    },
    insteadOf(
      /has not declared sampling.tools/,
      using('add', { a: 1, b: 2 }),
      ask => paramsOf(ask).tools !== undefined,
    ),
  ),

  clientFault(
    'client-tool-despite-none',
    { what: 'The client uses a tool where none is wanted.', breaks: ['sampling.tool-choice-none'] },
    onAnswer(method, (answer, ask) => (modeOf(ask) === 'none' ? using('add', { a: 1, b: 2 }) : answer)),
  ),

  clientFault(
    'client-no-tool-though-required',
    { what: 'The client uses no tool where one is required.', breaks: ['sampling.tool-choice-required'] },
    onAnswer(method, (answer, ask) => (modeOf(ask) === 'required' ? says('5') : answer)),
  ),

  clientFault(
    'client-tool-not-offered',
    { what: 'The client uses a tool that was not offered.', breaks: ['sampling.tool-use-fits-tools'] },
    onAnswer(method, (answer, ask) =>
      wantsTools(ask) && modeOf(ask) !== 'none' ? using('subtract') : answer,
    ),
  ),

  clientFault(
    'client-tool-input-wrong',
    {
      what: 'The client uses a tool with input that does not fit.',
      breaks: ['sampling.tool-use-fits-tools'],
    },
    uses(([use], answer) => ({ ...answer, content: [{ ...use, input: { a: 'two' } }] })),
  ),

  clientFault(
    'client-tool-result-forgotten',
    {
      what: 'The client samples although the result of a tool is missing.',
      breaks: ['sampling.missing-tool-result-error'],
    },
    insteadOf(/^The result of a tool use is missing/, says('Well.')),
  ),

  clientFault(
    'client-tool-results-mixed',
    {
      what: 'The client samples although tool results stand among other content.',
      breaks: ['sampling.mixed-tool-results-error'],
    },
    insteadOf(/^Tool results are mixed/, says('Well.')),
  ),

  clientFault(
    'client-tool-use-by-user',
    { what: 'A tool use is said by the user.', breaks: ['sampling.tool-block-roles'] },
    uses((_, answer) => ({ ...answer, role: 'user' })),
  ),

  clientFault(
    'client-tool-ids-doubled',
    { what: 'Two uses of tools have one id.', breaks: ['sampling.tool-use-ids-unique'] },
    uses(([use], answer) => ({ ...answer, content: [use!, use!] })),
  ),

  clientFault(
    'client-image-not-base64',
    { what: 'The model draws, and the picture is no base64.', breaks: ['sampling.media-content-encoding'] },
    onAnswer(method, (answer, ask) =>
      wantsTools(ask)
        ? answer
        : { ...answer, content: { type: 'image', mimeType: 'image/png', data: 'no base64!' } },
    ),
  ),

  clientFault(
    'client-sampling-refused-oddly',
    {
      what: 'A client without sampling refuses it as if it had failed.',
      breaks: ['jsonrpc.method-not-found'],
    },
    onReply(method, (reply, ask) =>
      isObject(reply.error) && reply.error.code === -32601 ? refusal(ask, -32603, 'Internal error') : reply,
    ),
  ),
];
