/** client/sampling, the server's part. */

import { declares } from '../../../harness/record/conversation.js';
import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { asking, fault, onIncoming, onMessage, onReply, onRequest, result } from '../../fault.js';
import { says } from '../world/builders.js';
import { paramsOf } from './shared.js';

const method = 'sampling/createMessage';
const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Changes the blocks of each message of a sampling request. */
const onBlocks = (change: (blocks: JsonObject[]) => JsonObject[]) =>
  onMessage(message => {
    if (message.method !== method) return message;
    const messages = objects(paramsOf(message).messages).map(m =>
      Array.isArray(m.content) ? { ...m, content: change(objects(m.content)) } : m,
    );
    return { ...message, params: { ...paramsOf(message), messages } };
  });

const nameOf = (ask: JsonObject): Json | undefined => paramsOf(ask).name;

export const samplingFaults = [
  fault(
    'tools-offered-undeclared',
    {
      what: 'Tools are offered to a model whose client has not declared them.',
      breaks: ['sampling.no-tools-without-capability'],
    },
    onRequest('tools/call', (ask, { session }) => {
      const { clientCapabilities } = session;
      if (nameOf(ask) === 'test_sampling_with_tools' && declares(clientCapabilities, 'sampling'))
        session.clientCapabilities = { ...clientCapabilities, sampling: { tools: {} } };
      return ask;
    }),
  ),

  fault(
    'context-asked-for',
    {
      what: 'The model is to see the context of this server, in the old way.',
      breaks: ['sampling.include-context-avoided'],
    },
    onMessage((message, { session }) =>
      message.method === method && declares(session.clientCapabilities, 'sampling.context')
        ? { ...message, params: { ...paramsOf(message), includeContext: 'thisServer' } }
        : message,
    ),
  ),

  fault(
    'tool-result-missing',
    {
      what: 'Of several uses of tools the last is left without a result.',
      breaks: ['sampling.tool-use-result-balance'],
    },
    onBlocks(blocks => (blocks[0]?.type === 'tool_result' ? blocks.slice(0, -1) : blocks)),
  ),

  fault(
    'tool-use-forgotten',
    {
      what: 'Of several uses of tools the last is not taken over, nor its result.',
      breaks: ['sampling.tool-loop-answers-all'],
    },
    onBlocks(blocks => blocks.slice(0, Math.max(1, blocks.length - 1))),
  ),

  fault(
    'tool-block-meta-dropped',
    {
      what: 'Metadata of uses of tools is not kept.',
      breaks: ['sampling.tool-block-meta-preserved'],
    },
    onBlocks(blocks => blocks.map(block => without(block, '_meta'))),
  ),

  fault(
    'tool-loop-endless',
    {
      what: 'A model that uses tools without end is asked without end.',
      breaks: ['sampling.iteration-limits'],
    },
    onMessage((message, context) => {
      if (message.method === method) context.keep(() => ({ last: {} as JsonObject })).last = message;
      return message;
    }),
    onReply('tools/call', (reply, ask, context) => {
      if (!JSON.stringify(reply).includes('again and again')) return reply;
      const state = context.keep(() => ({ last: {} as JsonObject })) as LoopState;
      state.ask = ask;
      goOn(state, context);
      return undefined;
    }),
    onIncoming((message, context) => {
      const state = context.keep(() => ({ last: {} as JsonObject })) as LoopState;
      if (!state.ask || !isObject(message) || message.id !== state.open) return message;
      if (isObject(message.result) && message.result.stopReason === 'toolUse') goOn(state, context);
      else context.send(result(state.ask, says('LLM response: enough')));
      return undefined;
    }),
  ),

  fault(
    'misshapen-sample-hangs',
    {
      what: 'When the answer of the model is no answer, the call is never answered.',
      breaks: ['sampling.message-content-validated', 'jsonrpc.request-answered-once'],
    },
    onReply('tools/call', reply => (JSON.stringify(reply).includes('is malformed') ? undefined : reply)),
  ),

  fault(
    'sample-in-blocks-refused',
    {
      what: 'An answer of several blocks is not understood.',
      breaks: ['sampling.content-single-or-array'],
    },
    onReply('tools/call', (reply, ask) =>
      JSON.stringify(reply).includes('LLM response: one two')
        ? result(ask, { ...says('Not understood.'), isError: true })
        : reply,
    ),
  ),
];

interface LoopState {
  last: JsonObject;
  ask?: JsonObject;
  open?: Json;
}

function goOn(state: LoopState, context: { nextId(): number; send(message: Json): void }): void {
  state.open = context.nextId();
  context.send(asking(state.open, method, paramsOf(state.last)));
}
