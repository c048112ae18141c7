/** client/sampling and client/elicitation: what a server asks in the wrong way. */

import { type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { fault, type Middleware, onError, onMessage } from '../../fault.js';
import { codes } from '../refusal.js';
import { paramsOf } from './shared.js';

/** Changes the parameters of what the mock asks. */
const onAsking = (method: string, change: (params: JsonObject) => JsonObject): Middleware =>
  onMessage(message =>
    message.method === method && 'id' in message
      ? { ...message, params: change(paramsOf(message)) }
      : message,
  );

const sampling = (change: (params: JsonObject) => JsonObject) => onAsking('sampling/createMessage', change);

const blocksIn = (turn: JsonObject): JsonObject[] =>
  (Array.isArray(turn.content) ? turn.content : []) as JsonObject[];

/** Changes the turns of a tool loop in which a kind of block stands. */
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
    { what: 'A picture for the model is no base64.', breaks: ['sampling.media-content-encoding'] },
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
      what: 'The context of the server is asked for without the capability.',
      breaks: ['sampling.include-context-needs-capability', 'sampling.include-context-avoided'],
    },
    sampling(params => ({ ...params, includeContext: 'thisServer' })),
  ),

  fault(
    'sampling-results-by-assistant',
    {
      what: 'Results of tools are put into the mouth of the assistant.',
      breaks: ['sampling.tool-block-roles'],
    },
    turnsWith('tool_result', turn => ({ ...turn, role: 'assistant' })),
  ),

  fault(
    'sampling-use-twice',
    { what: 'One use of a tool stands twice in the history.', breaks: ['sampling.tool-use-ids-unique'] },
    turnsWith('tool_use', (turn, blocks) => ({ ...turn, content: [...blocks, blocks[0]!] })),
  ),

  fault(
    'sampling-results-mixed',
    { what: 'Text stands beside the results of tools.', breaks: ['sampling.tool-results-unmixed'] },
    turnsWith('tool_result', (turn, blocks) => ({
      ...turn,
      content: [...blocks, { type: 'text', text: 'Go on.' }],
    })),
  ),

  fault(
    'sampling-result-of-nothing',
    { what: 'A result names a use that never was.', breaks: ['sampling.tool-result-id-matches'] },
    turnsWith('tool_result', (turn, blocks) => ({
      ...turn,
      content: [...blocks, { type: 'tool_result', toolUseId: 'nobody-used-this', content: [] }],
    })),
  ),

  fault(
    'sampling-result-unfit',
    {
      what: 'Structured results do not fit the output schema of their tool.',
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
    { what: 'A tool for the model has no valid schema.', breaks: ['json-schema.schemas-valid'] },
    sampling(onTools(tool => ({ ...tool, inputSchema: { type: 'object', properties: [] } }))),
  ),
];

const form = (change: (params: JsonObject) => JsonObject) =>
  onAsking('elicitation/create', params => (params.mode === 'url' ? params : change(params)));
const page = (change: (params: JsonObject) => JsonObject) =>
  onAsking('elicitation/create', params => (params.mode === 'url' ? change(params) : params));

/** Another field in every form. */
const field = (name: string, property: JsonObject) =>
  form(params => {
    const schema = params.requestedSchema as JsonObject;
    const properties = { ...(schema.properties as JsonObject), [name]: property };
    return { ...params, requestedSchema: { ...schema, properties } };
  });

/** Changes the refusal that pages have to be opened first. */
const urlRequired = (change: (error: JsonObject) => JsonObject) =>
  onError('tools/call', error => (error.code === codes.urlElicitationRequired ? change(error) : error));

const pages = (...elicitations: JsonObject[]) => urlRequired(error => ({ ...error, data: { elicitations } }));

export const elicitationRuleFaults = [
  fault(
    'form-asks-for-password',
    { what: 'A form asks for the password.', breaks: ['elicitation.no-sensitive-information'] },
    field('password', { type: 'string' }),
  ),

  fault(
    'form-with-link',
    { what: 'The text of a form has a link.', breaks: ['elicitation.no-clickable-urls-in-forms'] },
    form(params => ({ ...params, message: 'Please open https://example.com/ first.' })),
  ),

  fault(
    'page-url-insecure',
    { what: 'The URL of a page is plain http.', breaks: ['elicitation.url-https'] },
    page(params => ({ ...params, url: String(params.url).replace('https:', 'http:') })),
  ),

  fault(
    'page-required-without-list',
    {
      what: 'The refusal that a page must be opened first does not say which.',
      breaks: ['elicitation.url-required-error-list'],
    },
    urlRequired(error => without(error, 'data')),
  ),

  fault(
    'page-required-for-form',
    {
      what: 'The refusal that a page must be opened first lists a form.',
      breaks: ['elicitation.url-required-error-only-then'],
    },
    pages({ mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } }),
  ),

  fault(
    'page-required-without-id',
    {
      what: 'A page that must be opened first has no id.',
      breaks: ['elicitation.url-required-error-elements'],
    },
    pages({ mode: 'url', message: 'Please open.', url: 'https://example.com/' }),
  ),

  fault(
    'page-required-other-code',
    {
      what: 'The refusal that a page must be opened first has a code of its own.',
      breaks: ['elicitation.url-required-error-code'],
    },
    urlRequired(error => ({ ...error, code: -32_000 })),
  ),
];
