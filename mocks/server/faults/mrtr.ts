/** basic/patterns/mrtr. */

import { isObject, type Json, type JsonObject, parseJson, without } from '../../../spec/json-rpc.js';
import { asking, fault, onBytes, onReply, onRequest, onResult, refusal, result } from '../../fault.js';
import { digestOf, isSealed, type State, seal, stateIn } from '../input-rounds.js';
import { codes } from '../refusal.js';
import { isStateless, paramsOf } from './shared.js';

/** The request with another state, sealed as the mock does it; unchanged without a readable state. */
function resealed(ask: JsonObject, change: (state: State) => State): JsonObject {
  const params = paramsOf(ask);
  const state = stateIn(params.requestState);
  return state ? { ...ask, params: { ...params, requestState: seal(change(state)) } } : ask;
}

const withState = (ask: JsonObject, requestState: string): JsonObject => ({
  ...ask,
  params: { ...paramsOf(ask), requestState },
});

/** An input-required result with one more question. */
const withQuestion = (body: JsonObject, question: Json): JsonObject =>
  isQuestion(body) && isObject(body.inputRequests)
    ? { ...body, inputRequests: { ...body.inputRequests, other: question } }
    : body;

const changedQuestions = (body: JsonObject, change: (question: JsonObject) => JsonObject): JsonObject =>
  isQuestion(body) && isObject(body.inputRequests)
    ? {
        ...body,
        inputRequests: Object.fromEntries(
          Object.entries(body.inputRequests).map(([key, question]) => [key, change(question as JsonObject)]),
        ),
      }
    : body;

const nameQuestion = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'What is your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
};

const lastState = (): { state?: Json | undefined } => ({});

const isQuestion = (body: { readonly [member: string]: unknown }): boolean =>
  body.resultType === 'input_required';

export const mrtrFaults = [
  fault(
    'input-required-by-completion',
    {
      what: 'completion/complete returns an input-required result.',
      breaks: ['mrtr.no-other-requests', 'base.schema-valid'],
      shows: ['base.schema-valid#other-result', 'mrtr.no-other-requests#other-method'],
    },
    onResult('completion/complete', ({ _meta }) => ({
      resultType: 'input_required',
      requestState: 'later',
      ...(_meta && { _meta }),
    })),
  ),

  fault(
    'input-required-without-questions',
    {
      what: 'Input-required results contain neither questions nor a state.',
      breaks: ['mrtr.one-of-two'],
      shows: ['mrtr.one-of-two#neither'],
    },
    onResult('tools/call', body =>
      isQuestion(body) ? { resultType: 'input_required', _meta: body._meta ?? {} } : body,
    ),
  ),

  fault(
    'input-kind-unknown',
    {
      what: 'An input-required result asks for tools/list.',
      breaks: ['mrtr.request-kinds'],
      shows: ['mrtr.request-kinds#other-method'],
    },
    onResult('tools/call', body =>
      isQuestion(body) && isObject(body.inputRequests)
        ? { ...body, inputRequests: { ...body.inputRequests, other: { method: 'tools/list', params: {} } } }
        : body,
    ),
  ),

  fault(
    'roots-asked-by-request',
    {
      what: 'The server sends a request roots/list.',
      breaks: [
        'patterns.server-no-requests',
        'transport.message-directions',
        'mrtr.only-way',
        'roots.delivered-as-input-request',
      ],
      shows: [
        'mrtr.only-way#request',
        'transport.message-directions#server-request',
        'patterns.server-no-requests#input',
        'roots.delivered-as-input-request#request',
      ],
    },
    onRequest('tools/call', (ask, context) => {
      if (paramsOf(ask).name === 'test_roots' && context.count('asked') === 1)
        context.send(asking(`own-${context.nextId()}`, 'roots/list'));
      return ask;
    }),
  ),

  fault(
    'sampling-asked-by-request',
    {
      what: 'The server sends a request sampling/createMessage.',
      breaks: [
        'patterns.server-no-requests',
        'transport.message-directions',
        'mrtr.only-way',
        'sampling.delivered-as-input-request',
      ],
      shows: [
        'mrtr.only-way#request',
        'transport.message-directions#server-request',
        'patterns.server-no-requests#input',
        'sampling.delivered-as-input-request#request',
      ],
    },
    onRequest('tools/call', (ask, context) => {
      const messages = [{ role: 'user', content: { type: 'text', text: 'Hello?' } }];
      if (paramsOf(ask).name === 'test_sampling' && context.count('asked') === 1)
        context.send(asking(`own-${context.nextId()}`, 'sampling/createMessage', { messages, maxTokens: 9 }));
      return ask;
    }),
  ),

  fault(
    'question-keys-twice',
    {
      what: 'Input-required results contain the same key twice.',
      breaks: ['mrtr.keys-unique'],
      shows: ['mrtr.keys-unique#twice'],
    },
    onBytes(text =>
      text.replace(
        /"inputRequests":\{("[^"]+"):\{/,
        (_, key) => `"inputRequests":{${key}:{"method":"roots/list"},${key}:{`,
      ),
    ),
  ),

  fault(
    'waits-for-retries',
    {
      what: 'After fifteen input-required results without a retry, tools/call gets no response.',
      breaks: [
        'mrtr.fulfilment-not-assumed',
        'elicitation.success-not-assumed',
        'jsonrpc.request-answered-once',
      ],
      shows: [
        'jsonrpc.request-answered-once#no-response',
        'mrtr.fulfilment-not-assumed#blocked',
        'elicitation.success-not-assumed#blocked',
      ],
      where: isStateless,
    },
    onReply('tools/call', (reply, ask, context) => {
      const open = context.keep(() => ({ count: 0, isStuck: false }));
      if (isObject(reply.result) && isQuestion(reply.result)) open.count++;
      if (paramsOf(ask).inputResponses !== undefined) open.count = 0;
      open.isStuck ||= open.count > 15;
      return open.isStuck && paramsOf(ask).name === 'test_elicitation' ? undefined : reply;
    }),
  ),

  fault(
    'unasked-answers-refused',
    {
      what: 'A retry with an answer that was not asked for returns an error.',
      breaks: ['mrtr.extra-responses-ignored'],
      shows: ['mrtr.extra-responses-ignored#refused'],
    },
    onReply('tools/call', (reply, ask) => {
      const { inputResponses: given } = paramsOf(ask);
      const isKnown = (name: string) => name.startsWith('question-');
      return isObject(given) && !Object.keys(given).every(isKnown)
        ? refusal(ask, codes.invalidParams, 'Unknown answer')
        : reply;
    }),
  ),

  fault(
    'answers-without-questions-refused',
    {
      what: 'A first tools/call with answers, of a tool that asks for nothing, returns an error.',
      breaks: ['mrtr.extra-responses-ignored'],
      shows: ['mrtr.extra-responses-ignored#first-call-refused'],
    },
    onReply('tools/call', (reply, ask) => {
      const { inputResponses, requestState } = paramsOf(ask);
      const isFirst = inputResponses !== undefined && requestState === undefined;
      return isFirst ? refusal(ask, codes.invalidParams, 'No answer was asked for.') : reply;
    }),
  ),

  fault(
    'missing-answers-refused',
    {
      what: 'A retry without answers returns an error.',
      breaks: ['mrtr.missing-responses-reasked'],
      shows: ['mrtr.missing-responses-reasked#error'],
    },
    onReply('tools/call', (reply, ask) => {
      const { inputResponses: given } = paramsOf(ask);
      return isObject(given) && Object.keys(given).length === 0
        ? refusal(ask, codes.invalidParams, 'An answer is missing.')
        : reply;
    }),
  ),

  fault(
    'one-answer-refused',
    {
      what: 'A retry with one of several answers returns an error.',
      breaks: ['mrtr.missing-responses-reasked'],
      shows: ['mrtr.missing-responses-reasked#error'],
    },
    onReply('tools/call', (reply, ask) => {
      const { name, inputResponses: given } = paramsOf(ask);
      const isSeveral = name === 'test_input_required_result_multiple_inputs' && isObject(given);
      return isSeveral && Object.keys(given).length === 1
        ? refusal(ask, codes.invalidParams, 'An answer is missing.')
        : reply;
    }),
  ),

  fault(
    'answer-without-action-used',
    {
      what: 'An answer without an action counts as a refusal of the user.',
      breaks: ['mrtr.responses-validated'],
      shows: ['mrtr.responses-validated#used'],
    },
    onRequest('tools/call', ask => {
      const { inputResponses: given } = paramsOf(ask);
      if (!isObject(given)) return ask;
      const decline = (answer: Json) =>
        isObject(answer) && Object.keys(answer).length === 0 ? { action: 'decline' } : answer;
      const inputResponses = Object.fromEntries(
        Object.entries(given).map(([key, answer]) => [key, decline(answer)]),
      );
      return { ...ask, params: { ...paramsOf(ask), inputResponses } };
    }),
  ),

  fault(
    'malformed-answers-used',
    {
      what: 'A retry with malformed answers gets a complete result.',
      breaks: ['mrtr.responses-validated'],
      shows: ['mrtr.responses-validated#used'],
    },
    onReply('tools/call', (reply, ask) => {
      const { name, inputResponses, requestState } = paramsOf(ask);
      const isRetry = name === 'test_elicitation' && inputResponses !== undefined;
      return isRetry && 'error' in reply && isSealed(requestState)
        ? result(ask, { content: [{ type: 'text', text: 'Thank you.' }] })
        : reply;
    }),
  ),

  fault(
    'malformed-answers-tool-error',
    {
      what: 'A retry with malformed answers gets a result with isError.',
      breaks: ['mrtr.protocol-errors'],
      shows: ['mrtr.protocol-errors#tool-error'],
    },
    onReply('tools/call', (reply, ask) =>
      paramsOf(ask).inputResponses !== undefined && 'error' in reply
        ? result(ask, { content: [{ type: 'text', text: 'Malformed.' }], isError: true })
        : reply,
    ),
  ),

  fault(
    'altered-state-kills',
    {
      what: 'A retry with an altered state ends the process.',
      breaks: ['mrtr.state-untrusted', 'jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#crash', 'mrtr.state-untrusted#exits'],
      where: isStateless,
      over: ['stdio'],
    },
    onReply('tools/call', (reply, ask, context) => {
      if (paramsOf(ask).requestState === '') context.exit(1);
      return reply;
    }),
  ),

  fault(
    'page-required-by-error',
    {
      what: 'A tool that needs a page to be opened returns error -32042.',
      breaks: ['mrtr.only-way', 'error-codes.retired-not-emitted'],
      shows: ['mrtr.only-way#error', 'error-codes.retired-not-emitted#page-required'],
    },
    onReply('tools/call', (reply, ask) =>
      paramsOf(ask).name === 'test_elicitation_url' && 'result' in reply
        ? { jsonrpc: '2.0', id: ask.id!, error: { code: -32042, message: 'Open a page.' } }
        : reply,
    ),
  ),

  fault(
    'state-unsealed',
    {
      what: 'A retry with a forged state gets a result with values of the forgery.',
      breaks: ['mrtr.state-integrity', 'mrtr.state-verified'],
      shows: ['mrtr.state-integrity#unsealed', 'mrtr.state-verified#forged-values'],
    },
    onRequest('tools/call', ask => resealed(ask, state => state)),
  ),

  fault(
    'forged-state-sealed',
    {
      what: 'A retry with a forged state gets the questions again, and a state that contains the forgery.',
      breaks: ['mrtr.state-integrity', 'mrtr.state-verified'],
      shows: ['mrtr.state-integrity#sealed-later', 'mrtr.state-verified#forged-later'],
    },
    onReply('tools/call', (reply, ask) => {
      const { requestState } = paramsOf(ask);
      const state = 'error' in reply && !isSealed(requestState) ? stateIn(requestState) : undefined;
      if (!Array.isArray(state?.answers) || !Array.isArray(state.asked)) return reply;
      const inputRequests = Object.fromEntries(state.asked.map(key => [String(key), nameQuestion]));
      return result(ask, { resultType: 'input_required', inputRequests, requestState: seal(state) });
    }),
  ),

  fault(
    'altered-state-ignored',
    {
      what: 'A retry with an altered state gets the result of the answers alone.',
      breaks: ['mrtr.state-verified'],
      shows: ['mrtr.state-verified#ignored'],
    },
    onReply('tools/call', (reply, ask) => {
      const { name, inputResponses, requestState } = paramsOf(ask);
      const isRetry = name === 'test_input_required_result_tampered_state' && inputResponses !== undefined;
      return isRetry && 'error' in reply && !isSealed(requestState)
        ? result(ask, { content: [{ type: 'text', text: 'Thank you.' }] })
        : reply;
    }),
  ),

  fault(
    'state-of-another-call-used',
    {
      what: 'A retry with the state of another tools/call gets a complete result.',
      breaks: ['mrtr.state-replay-bound'],
      shows: ['mrtr.state-replay-bound#other-call'],
    },
    onRequest('tools/call', ask => {
      const { requestState, inputResponses } = paramsOf(ask);
      const request = digestOf('tools/call', paramsOf(ask));
      const asked = Object.keys(isObject(inputResponses) ? inputResponses : {});
      const isForeign = isSealed(requestState) && stateIn(requestState)?.request !== request;
      return isForeign ? resealed(ask, state => ({ ...state, request, asked })) : ask;
    }),
  ),

  fault(
    'state-of-connection',
    {
      what: 'The server sends no state, and continues the last call of the connection.',
      breaks: ['stateless.explicit-handles'],
      shows: ['stateless.explicit-handles#state-of-connection'],
    },
    onResult('tools/call', (body, ask, context) => {
      if (paramsOf(ask).name !== 'test_elicitation' || !isQuestion(body)) return body;
      context.keep(lastState).state = body.requestState;
      return without(body, 'requestState');
    }),
    onRequest('tools/call', (ask, context) => {
      const { state } = context.keep(lastState);
      const { name, inputResponses } = paramsOf(ask);
      return name === 'test_elicitation' && inputResponses !== undefined && state !== undefined
        ? { ...ask, params: { ...paramsOf(ask), requestState: state } }
        : ask;
    }),
  ),

  ...(['ping', 'elicitation/complete', 'subscriptions/listen'] as const).map(method =>
    fault(
      `question-of-${method.replace('/', '-')}`,
      { what: `An input-required result asks for ${method}.`, breaks: ['mrtr.request-kinds'] },
      onResult('tools/call', body => withQuestion(body, { method, params: {} })),
    ),
  ),

  fault(
    'question-without-method',
    {
      what: 'A question of an input-required result has no method.',
      breaks: ['mrtr.request-kinds'],
      shows: ['mrtr.request-kinds#no-method'],
    },
    onResult('tools/call', body => withQuestion(body, { params: { message: 'Who are you?' } })),
  ),

  fault(
    'question-as-text',
    {
      what: 'A question of an input-required result is a text.',
      breaks: ['mrtr.request-kinds', 'base.schema-valid'],
      shows: ['base.schema-valid#questions-malformed', 'mrtr.request-kinds#no-method'],
      where: isStateless,
    },
    onResult('tools/call', body => withQuestion(body, 'Who are you?')),
  ),

  fault(
    'questions-in-a-list',
    {
      what: 'The questions of an input-required result are a list.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#questions-malformed'],
      where: isStateless,
    },
    onResult('tools/call', body =>
      isQuestion(body) ? { ...body, inputRequests: Object.values(body.inputRequests as JsonObject) } : body,
    ),
  ),

  fault(
    'state-as-object',
    {
      what: 'The requestState of an input-required result is an object.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#questions-malformed'],
      where: isStateless,
    },
    onResult('tools/call', (body, ask) =>
      isQuestion(body) && paramsOf(ask).name === 'test_input_required_result_request_state'
        ? { ...body, requestState: { at: String(body.requestState) } }
        : body,
    ),
  ),

  fault(
    'state-as-number',
    {
      what: 'The requestState of an input-required result is a number.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#questions-malformed'],
      where: isStateless,
    },
    onResult('tools/call', (body, ask) =>
      isQuestion(body) && paramsOf(ask).name === 'test_input_required_result_multi_round'
        ? { ...body, requestState: 1 }
        : body,
    ),
  ),

  fault(
    'question-schema-missing',
    {
      what: 'A question with a form has no requestedSchema.',
      breaks: ['elicitation.form-parameters'],
      shows: ['elicitation.form-parameters#no-schema'],
      where: isStateless,
    },
    onResult('tools/call', (body, ask) =>
      paramsOf(ask).name === 'test_elicitation'
        ? changedQuestions(body, question => ({
            ...question,
            params: without(question.params as JsonObject, 'requestedSchema'),
          }))
        : body,
    ),
  ),

  fault(
    'question-message-missing',
    {
      what: 'A question with a form has no message.',
      breaks: ['elicitation.common-parameters'],
      shows: ['elicitation.common-parameters#no-message'],
      where: isStateless,
    },
    onResult('tools/call', (body, ask) =>
      paramsOf(ask).name === 'test_elicitation'
        ? changedQuestions(body, question => ({
            ...question,
            params: without(question.params as JsonObject, 'message'),
          }))
        : body,
    ),
  ),

  fault(
    'question-messages-missing',
    {
      what: 'A question to the model has no messages.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#member-missing'],
      where: isStateless,
    },
    onResult('tools/call', (body, ask) =>
      paramsOf(ask).name === 'test_sampling'
        ? changedQuestions(body, question => ({
            ...question,
            params: without(question.params as JsonObject, 'messages'),
          }))
        : body,
    ),
  ),

  fault(
    'elicitation-asked-by-request',
    {
      what: 'The server sends a request elicitation/create.',
      breaks: ['patterns.server-no-requests', 'transport.message-directions', 'mrtr.only-way'],
      shows: [
        'mrtr.only-way#request',
        'transport.message-directions#server-request',
        'patterns.server-no-requests#input',
      ],
      where: isStateless,
    },
    onRequest('tools/call', (ask, context) => {
      const requestedSchema = { type: 'object', properties: {} };
      if (paramsOf(ask).name === 'test_elicitation' && context.count('asked') === 1)
        context.send(
          asking(`own-${context.nextId()}`, 'elicitation/create', { message: 'Hello?', requestedSchema }),
        );
      return ask;
    }),
  ),

  fault(
    'ping-by-request',
    {
      what: 'The server sends a request ping.',
      breaks: ['patterns.server-no-requests', 'transport.message-directions'],
      shows: ['transport.message-directions#server-request', 'patterns.server-no-requests#other'],
      where: isStateless,
    },
    onRequest('tools/call', (ask, context) => {
      if (context.count('asked') === 1) context.send(asking(`own-${context.nextId()}`, 'ping'));
      return ask;
    }),
  ),

  fault(
    'input-required-by-templates',
    {
      what: 'resources/templates/list returns an input-required result.',
      breaks: ['mrtr.no-other-requests', 'base.schema-valid'],
      shows: ['base.schema-valid#other-result', 'mrtr.no-other-requests#other-method'],
      where: isStateless,
    },
    onResult('resources/templates/list', ({ _meta }) => ({
      resultType: 'input_required',
      requestState: 'later',
      ...(_meta && { _meta }),
    })),
  ),

  fault(
    'missing-answers-tool-error',
    {
      what: 'A retry without answers gets a result with isError.',
      breaks: ['mrtr.missing-responses-reasked'],
      shows: ['mrtr.missing-responses-reasked#tool-error'],
      where: isStateless,
    },
    onReply('tools/call', (reply, ask) => {
      const { inputResponses: given } = paramsOf(ask);
      return isObject(given) && Object.keys(given).length === 0
        ? result(ask, { content: [{ type: 'text', text: 'An answer is missing.' }], isError: true })
        : reply;
    }),
  ),

  fault(
    'unasked-answers-ask-again',
    {
      what: 'A retry with an answer that was not asked for gets the questions again.',
      breaks: ['mrtr.extra-responses-ignored'],
      shows: ['mrtr.extra-responses-ignored#asks-again'],
      where: isStateless,
    },
    onRequest('tools/call', ask => {
      const { inputResponses: given } = paramsOf(ask);
      const isKnown = (name: string) => name.startsWith('question-') || name.startsWith('user_');
      return isObject(given) && !Object.keys(given).every(isKnown)
        ? { ...ask, params: { ...paramsOf(ask), inputResponses: {} } }
        : ask;
    }),
  ),

  fault(
    'altered-state-unanswered',
    {
      what: 'A retry with an altered state gets no response.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
      where: isStateless,
      over: ['stdio'],
    },
    onReply('tools/call', (reply, ask) => (paramsOf(ask).requestState === '' ? undefined : reply)),
  ),

  fault(
    'long-state-kills',
    {
      what: 'A retry with a long state ends the process.',
      breaks: ['mrtr.state-untrusted', 'jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#crash', 'mrtr.state-untrusted#exits-at-length'],
      where: isStateless,
      over: ['stdio'],
    },
    onReply('tools/call', (reply, ask, context) => {
      if (String(paramsOf(ask).requestState).length > 40_000) context.exit(1);
      return reply;
    }),
  ),

  fault(
    'state-in-plain-json',
    {
      what: 'A requestState is JSON without a signature, and values of a forged one are used.',
      breaks: ['mrtr.state-integrity', 'mrtr.state-verified'],
      shows: ['mrtr.state-integrity#plain-json', 'mrtr.state-verified#forged-values'],
    },
    onResult('tools/call', body =>
      isQuestion(body) ? { ...body, requestState: JSON.stringify(stateIn(body.requestState)) } : body,
    ),
    onRequest('tools/call', ask => {
      const { requestState } = paramsOf(ask);
      const state = typeof requestState === 'string' ? parseJson(requestState) : undefined;
      return isObject(state) ? withState(ask, seal(state as unknown as State)) : ask;
    }),
  ),

  fault(
    'state-signature-optional',
    {
      what: 'A requestState is Base64 without a signature, and values of a forged one are used.',
      breaks: ['mrtr.state-integrity', 'mrtr.state-verified'],
      shows: ['mrtr.state-integrity#signature-optional', 'mrtr.state-verified#forged-values'],
    },
    onResult('tools/call', body =>
      isQuestion(body) ? { ...body, requestState: String(body.requestState).split('.')[0]! } : body,
    ),
    onRequest('tools/call', ask => resealed(ask, state => state)),
  ),
];
