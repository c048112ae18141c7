/** client/sampling and client/elicitation: faults in requests of the server. */

import { type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { fault, type Middleware, onError, onMessage } from '../../fault.js';
import { codes } from '../refusal.js';
import { paramsOf } from './shared.js';

/** Changes the parameters of requests of the mock. */
const onAsking = (method: string, change: (params: JsonObject) => JsonObject): Middleware =>
  onMessage(message =>
    message.method === method && 'id' in message
      ? { ...message, params: change(paramsOf(message)) }
      : message,
  );

const sampling = (change: (params: JsonObject) => JsonObject) => onAsking('sampling/createMessage', change);

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

const onTools = (change: (tool: JsonObject) => JsonObject) => (params: JsonObject) =>
  Array.isArray(params.tools) ? { ...params, tools: (params.tools as JsonObject[]).map(change) } : params;

export const samplingRuleFaults = [
  fault(
    'sampling-picture-in-hexadecimal',
    {
      what: 'sampling/createMessage has an image that is not base64.',
      breaks: ['sampling.media-content-encoding'],
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
    },
    sampling(params => ({ ...params, includeContext: 'thisServer' })),
  ),

  fault(
    'sampling-results-by-assistant',
    {
      what: 'sampling/createMessage has tool results in the role assistant.',
      breaks: ['sampling.tool-block-roles'],
    },
    turnsWith('tool_result', turn => ({ ...turn, role: 'assistant' })),
  ),

  fault(
    'sampling-use-twice',
    {
      what: 'sampling/createMessage has the same tool use twice in its messages.',
      breaks: ['sampling.tool-use-ids-unique'],
    },
    turnsWith('tool_use', (turn, blocks) => ({ ...turn, content: [...blocks, blocks[0]!] })),
  ),

  fault(
    'sampling-results-mixed',
    {
      what: 'sampling/createMessage has text in a message with tool results.',
      breaks: ['sampling.tool-results-unmixed'],
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

  fault(
    'sampling-tool-schema-broken',
    {
      what: 'sampling/createMessage has a tool with an invalid input schema.',
      breaks: ['json-schema.schemas-valid'],
    },
    sampling(onTools(tool => ({ ...tool, inputSchema: { type: 'object', properties: [] } }))),
  ),
];

const form = (change: (params: JsonObject) => JsonObject) =>
  onAsking('elicitation/create', params => (params.mode === 'url' ? params : change(params)));
const page = (change: (params: JsonObject) => JsonObject) =>
  onAsking('elicitation/create', params => (params.mode === 'url' ? change(params) : params));

/** Adds a field to every form. */
const field = (name: string, property: JsonObject) =>
  form(params => {
    const schema = params.requestedSchema as JsonObject;
    const properties = { ...(schema.properties as JsonObject), [name]: property };
    return { ...params, requestedSchema: { ...schema, properties } };
  });

/** Changes the error that URL elicitation is required. */
const urlRequired = (change: (error: JsonObject) => JsonObject) =>
  onError('tools/call', error => (error.code === codes.urlElicitationRequired ? change(error) : error));

const pages = (...elicitations: JsonObject[]) => urlRequired(error => ({ ...error, data: { elicitations } }));

export const elicitationRuleFaults = [
  fault(
    'form-asks-for-password',
    {
      what: 'elicitation/create in the mode form requests a password.',
      breaks: ['elicitation.no-sensitive-information'],
    },
    field('password', { type: 'string' }),
  ),

  fault(
    'form-with-link',
    {
      what: 'elicitation/create in the mode form has a link in its message.',
      breaks: ['elicitation.no-clickable-urls-in-forms'],
    },
    form(params => ({ ...params, message: 'Please open https://example.com/ first.' })),
  ),

  fault(
    'page-url-insecure',
    { what: 'elicitation/create in the mode url has an http URL.', breaks: ['elicitation.url-https'] },
    page(params => ({ ...params, url: String(params.url).replace('https:', 'http:') })),
  ),

  fault(
    'page-required-without-list',
    {
      what: 'The error -32042 has no list of elicitations.',
      breaks: ['elicitation.url-required-error-list'],
    },
    urlRequired(error => without(error, 'data')),
  ),

  fault(
    'page-required-for-form',
    {
      what: 'The error -32042 lists an elicitation in the mode form.',
      breaks: ['elicitation.url-required-error-only-then'],
    },
    pages({ mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } }),
  ),

  fault(
    'page-required-without-id',
    {
      what: 'The error -32042 lists an elicitation without an elicitationId.',
      breaks: ['elicitation.url-required-error-elements'],
    },
    pages({ mode: 'url', message: 'Please open.', url: 'https://example.com/' }),
  ),

  fault(
    'page-required-other-code',
    {
      what: 'The error that URL elicitation is required has the code -32000.',
      breaks: ['elicitation.url-required-error-code'],
    },
    urlRequired(error => ({ ...error, code: -32_000 })),
  ),
];
