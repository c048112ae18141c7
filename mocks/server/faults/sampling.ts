/** client/sampling: faults of servers. */

import { declares } from '../../../harness/record/conversation.js';
import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { asking, fault, onIncoming, onMessage, onReply, onRequest, result } from '../../fault.js';
import { says } from '../world/builders.js';
import { hasHandshake, isStateless, onTools, paramsOf, sampling } from './shared.js';

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

const blocksIn = (turn: JsonObject): JsonObject[] =>
  (Array.isArray(turn.content) ? turn.content : []) as JsonObject[];

/** Changes the messages of a tool loop that contain a block of one type. */
const turnsWith = (type: string, change: (turn: JsonObject, blocks: JsonObject[]) => JsonObject) =>
  sampling(params => ({
    ...params,
    messages: ((params.messages ?? []) as JsonObject[]).map(turn =>
      blocksIn(turn).some(block => block.type === type) ? change(turn, blocksIn(turn)) : turn,
    ),
  }));

export const samplingFaults = [
  fault(
    'tools-offered-undeclared',
    {
      what: 'sampling/createMessage has tools although the client has not declared sampling.tools.',
      breaks: ['sampling.no-tools-without-capability'],
      shows: ['sampling.no-tools-without-capability#tools'],
      where: hasHandshake,
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
      what: 'sampling/createMessage has the deprecated value thisServer as includeContext.',
      breaks: ['sampling.include-context-avoided'],
      shows: ['sampling.include-context-avoided#used'],
    },
    onMessage((message, { session }) =>
      message.method === method && declares(session.clientCapabilities, 'sampling.context')
        ? { ...message, params: { ...paramsOf(message), includeContext: 'thisServer' } }
        : message,
    ),
  ),

  fault(
    'sampling-by-system',
    {
      what: 'sampling/createMessage has a message with the role system.',
      breaks: ['sampling.message-shape', 'base.schema-valid'],
      shows: ['base.schema-valid#value-unknown', 'sampling.message-shape#other-role'],
      where: isStateless,
    },
    onMessage(message => {
      const { messages } = paramsOf(message);
      if (message.method !== method || !Array.isArray(messages)) return message;
      const [first, ...others] = messages as JsonObject[];
      return {
        ...message,
        params: { ...paramsOf(message), messages: [{ ...first, role: 'system' }, ...others] },
      };
    }),
  ),

  fault(
    'tool-result-missing',
    {
      what: 'sampling/createMessage has no result for the last of several tool uses.',
      breaks: ['sampling.tool-use-result-balance'],
      shows: ['sampling.tool-use-result-balance#one-missing'],
    },
    onBlocks(blocks => (blocks[0]?.type === 'tool_result' ? blocks.slice(0, -1) : blocks)),
  ),

  fault(
    'tool-use-forgotten',
    {
      what: 'sampling/createMessage lacks the last of several tool uses and its result.',
      breaks: ['sampling.tool-loop-answers-all'],
      shows: ['sampling.tool-loop-answers-all#forgotten'],
    },
    onBlocks(blocks => blocks.slice(0, Math.max(1, blocks.length - 1))),
  ),

  fault(
    'tool-block-meta-dropped',
    {
      what: 'sampling/createMessage has tool blocks without their original _meta.',
      breaks: ['sampling.tool-block-meta-preserved'],
      shows: ['sampling.tool-block-meta-preserved#dropped'],
    },
    onBlocks(blocks => blocks.map(block => without(block, '_meta'))),
  ),

  fault(
    'tool-loop-endless',
    {
      what: 'sampling/createMessage is sent without a limit as long as the model uses tools.',
      breaks: ['sampling.iteration-limits'],
      shows: ['sampling.iteration-limits#endless'],
      where: hasHandshake,
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
      what: 'tools/call gets no response when the sampling/createMessage result is malformed.',
      breaks: ['sampling.message-content-validated'],
      shows: ['sampling.message-content-validated#no-response'],
      where: hasHandshake,
    },
    onReply('tools/call', reply => (JSON.stringify(reply).includes('is malformed') ? undefined : reply)),
  ),

  fault(
    'sample-in-blocks-refused',
    {
      what: 'tools/call returns an error when the sampling/createMessage result has several blocks.',
      breaks: ['sampling.content-single-or-array'],
    },
    onReply('tools/call', (reply, ask) =>
      JSON.stringify(reply).includes('LLM response: one two')
        ? result(ask, { ...says('Not understood.'), isError: true })
        : reply,
    ),
  ),

  fault(
    'sampling-picture-in-hexadecimal',
    {
      what: 'sampling/createMessage has an image that is not base64.',
      breaks: ['sampling.media-content-encoding'],
      shows: ['sampling.media-content-encoding#request'],
    },
    sampling(params => ({
      ...params,
      messages: [
        ...((params.messages ?? []) as Json[]),
        { role: 'user', content: { type: 'image', data: '89:50:4e', mimeType: 'image/png' } },
      ],
    })),
  ),

  fault(
    'sampling-context-undeclared',
    {
      what: 'sampling/createMessage requests the context of the server although the client has not declared it.',
      breaks: ['sampling.include-context-needs-capability', 'sampling.include-context-avoided'],
      shows: [
        'sampling.include-context-avoided#used',
        'sampling.include-context-needs-capability#undeclared',
      ],
    },
    sampling(params => ({ ...params, includeContext: 'thisServer' })),
  ),

  fault(
    'sampling-results-by-assistant',
    {
      what: 'sampling/createMessage has tool results in the role assistant.',
      breaks: ['sampling.tool-block-roles'],
      shows: ['sampling.tool-block-roles#result-by-assistant'],
    },
    turnsWith('tool_result', turn => ({ ...turn, role: 'assistant' })),
  ),

  fault(
    'sampling-use-twice',
    {
      what: 'sampling/createMessage has the same tool use twice in its messages.',
      breaks: ['sampling.tool-use-ids-unique'],
      shows: ['sampling.tool-use-ids-unique#twice'],
    },
    turnsWith('tool_use', (turn, blocks) => ({ ...turn, content: [...blocks, blocks[0]!] })),
  ),

  fault(
    'sampling-results-mixed',
    {
      what: 'sampling/createMessage has text in a message with tool results.',
      breaks: ['sampling.tool-results-unmixed'],
      shows: ['sampling.tool-results-unmixed#text'],
    },
    turnsWith('tool_result', (turn, blocks) => ({
      ...turn,
      content: [...blocks, { type: 'text', text: 'Go on.' }],
    })),
  ),

  fault(
    'sampling-result-of-nothing',
    {
      what: 'sampling/createMessage has a tool result with an unknown toolUseId.',
      breaks: ['sampling.tool-result-id-matches'],
      shows: ['sampling.tool-result-id-matches#unknown'],
    },
    turnsWith('tool_result', (turn, blocks) => ({
      ...turn,
      content: [...blocks, { type: 'tool_result', toolUseId: 'nobody-used-this', content: [] }],
    })),
  ),

  fault(
    'sampling-result-unfit',
    {
      what: 'sampling/createMessage has structured tool results that do not match the output schema.',
      breaks: ['sampling.tool-result-structured-conformance'],
      shows: ['sampling.tool-result-structured-conformance#invalid'],
    },
    sampling(
      onTools(tool => ({
        ...tool,
        outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
      })),
    ),
    turnsWith('tool_result', (turn, blocks) => ({
      ...turn,
      content: blocks.map(block => ({ ...block, structuredContent: { sum: 'three' } })),
    })),
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
