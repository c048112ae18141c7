/** basic/patterns/mrtr. */

import { isObject } from '../../../spec/json-rpc.js';
import { asking, fault, onBytes, onReply, onRequest, onResult, refusal, result } from '../../fault.js';
import { codes } from '../refusal.js';
import { isStateless, paramsOf } from './shared.js';

const isQuestion = (body: { readonly [member: string]: unknown }): boolean =>
  body.resultType === 'input_required';

export const mrtrFaults = [
  fault(
    'input-required-by-completion',
    {
      what: 'completion/complete returns an input-required result.',
      breaks: ['mrtr.no-other-requests', 'base.schema-valid'],
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
    'missing-answers-refused',
    {
      what: 'A retry without answers returns an error.',
      breaks: ['mrtr.missing-responses-reasked'],
    },
    onReply('tools/call', (reply, ask) => {
      const { inputResponses: given } = paramsOf(ask);
      return isObject(given) && Object.keys(given).length === 0
        ? refusal(ask, codes.invalidParams, 'An answer is missing.')
        : reply;
    }),
  ),

  fault(
    'malformed-answers-used',
    {
      what: 'A retry with malformed answers gets a complete result.',
      breaks: ['mrtr.responses-validated'],
    },
    onReply('tools/call', (reply, ask) => {
      const { inputResponses, requestState } = paramsOf(ask);
      const isRetry = inputResponses !== undefined && typeof requestState === 'string';
      return isRetry && 'error' in reply && requestState.length > 90 && requestState.length < 5_000
        ? result(ask, { content: [{ type: 'text', text: 'Thank you.' }] })
        : reply;
    }),
  ),

  fault(
    'malformed-answers-tool-error',
    {
      what: 'A retry with malformed answers gets a result with isError.',
      breaks: ['mrtr.protocol-errors'],
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
    },
    onReply('tools/call', (reply, ask) =>
      paramsOf(ask).name === 'test_elicitation_url' && 'result' in reply
        ? { jsonrpc: '2.0', id: ask.id!, error: { code: -32042, message: 'Open a page.' } }
        : reply,
    ),
  ),
];
