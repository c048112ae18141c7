/** The default server of the harness for clients under test: some of every feature, in every revision. */

import type { Peer } from '../../harness/peer/peer.js';
import { RefusedRequest } from '../../harness/peer/requests.js';
import { declares } from '../../harness/record/conversation.js';
import { envelopeKeys, metaOf } from '../../harness/record/envelope.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { pages, type Serve, type ServeCall, type ServeHandler } from '../../harness/scenario/serve.js';
import { asText, isObject, type JsonObject } from '../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../spec/requirement.js';

/** A tool as tools/list returns it. */
export const tool = (
  name: string,
  properties: Readonly<Record<string, JsonObject>> = {},
  required: readonly string[] = [],
): JsonObject => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: {
    type: 'object',
    // some clients need the member, which no case is about
    properties,
    ...(required.length > 0 && { required: [...required] }),
  },
});

/** A tool result with one text and an explicit isError. */
export const says = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: false });

/** A prompt as prompts/list returns it. @param names of its arguments, all of them required */
export const prompt = (name: string, names: readonly string[] = []): JsonObject => ({
  name,
  description: `The prompt ${name}.`,
  ...(names.length > 0 && { arguments: names.map(argument => ({ name: argument, required: true })) }),
});

export const resource = (uri: string): JsonObject => ({ uri, name: uri, mimeType: 'text/plain' });

export const user = (text: string): JsonObject => ({ role: 'user', content: { type: 'text', text } });

/** A tool that sends a request to the client, and returns the outcome as a text. */
const asks =
  (capability: string, method: string, params: (args: JsonObject) => JsonObject | undefined) =>
  async (args: JsonObject, call: ServeCall): Promise<JsonObject> => {
    if (!declares(call.peer.declared, capability))
      return { ...says(`The client has not declared ${capability}.`), isError: true };
    return says(outcome(await call.ask(method, params(args))));
  };

const outcome = (exchange: Exchange): string => {
  const result = resultOf(exchange);
  return result ? `The client answered ${JSON.stringify(result)}` : 'The client returned an error.';
};

async function reportsProgress(_args: JsonObject, { request, tell }: ServeCall): Promise<JsonObject> {
  const meta = isObject(request.params?._meta) ? request.params._meta : {};
  const { progressToken } = meta;
  if (progressToken !== undefined)
    for (const progress of [1, 2, 3]) tell('notifications/progress', { progressToken, progress, total: 3 });
  return says('Done.');
}

async function logs(_args: JsonObject, { peer, request, tell }: ServeCall): Promise<JsonObject> {
  const isWanted = peer.revision.era === 'legacy' || metaOf(request)[envelopeKeys.logLevel] !== undefined;
  if (isWanted && declares(peer.conversation.capabilities('server') ?? peer.offers, 'logging'))
    for (const data of ['Tool execution started', 'Tool execution completed'])
      tell('notifications/message', { level: 'info', data });
  return says('Done.');
}

interface WorldTool {
  readonly definition: JsonObject;
  readonly run: (args: JsonObject, call: ServeCall) => JsonObject | Promise<JsonObject>;
}

const tools: readonly WorldTool[] = [
  {
    definition: tool('test_simple_text'),
    run: () => says('This is a simple text response for testing.'),
  },
  {
    definition: tool('add_numbers', { a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
    run: ({ a, b }) => says(`The sum of ${a} and ${b} is ${Number(a) + Number(b)}`),
  },
  {
    definition: tool('test_error_handling'),
    run: () => ({ ...says('This tool intentionally returns an error for testing'), isError: true }),
  },
  // scenarios about authorization call it, as the official suite does
  { definition: tool('test-tool'), run: () => says('Done.') },
  { definition: tool('test_tool_with_progress'), run: reportsProgress },
  { definition: tool('test_tool_with_logging'), run: logs },
  {
    definition: tool('test_sampling', { prompt: { type: 'string' } }, ['prompt']),
    run: asks('sampling', 'sampling/createMessage', ({ prompt }) => ({
      messages: [user(asText(prompt))],
      maxTokens: 100,
    })),
  },
  {
    definition: tool('test_elicitation', { message: { type: 'string' } }, ['message']),
    run: asks('elicitation', 'elicitation/create', ({ message }) => ({
      message: asText(message),
      requestedSchema: {
        type: 'object',
        properties: { username: { type: 'string' } },
        required: ['username'],
      },
    })),
  },
  { definition: tool('test_roots'), run: asks('roots', 'roots/list', () => undefined) },
];

function call({ name, arguments: args }: JsonObject, at: ServeCall): JsonObject | Promise<JsonObject> {
  const found = tools.find(({ definition }) => definition.name === name);
  if (!found) throw new RefusedRequest(-32602, `Unknown tool: ${asText(name)}`);
  return found.run(isObject(args) ? args : {}, at);
}

function getPrompt({ name, arguments: args }: JsonObject): JsonObject {
  if (name === 'test_simple_prompt') return { messages: [user('This is a simple prompt for testing.')] };
  if (name !== 'test_prompt_with_arguments')
    throw new RefusedRequest(-32602, `Unknown prompt: ${asText(name)}`);
  const { arg1, arg2 } = isObject(args) ? args : {};
  return { messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] };
}

const notFoundCode = ({ revision }: Peer): number =>
  clauseIn(requirement('resources.not-found-code-32002'), revision.id) ? -32002 : -32602;

function read({ uri }: JsonObject, { peer }: ServeCall): JsonObject {
  const known = uri === 'test://static-text' || uri === 'test://watched-resource';
  if (!known && !/^test:\/\/template\/.+\/data$/.test(asText(uri)))
    throw new RefusedRequest(notFoundCode(peer), `There is no resource ${asText(uri)}`);
  return { contents: [{ uri: asText(uri), mimeType: 'text/plain', text: `The text of ${asText(uri)}.` }] };
}

/** Acknowledges a subscription, and keeps it open: the harness changes nothing by itself. */
function listens({ notifications }: JsonObject, { request, tell }: ServeCall): undefined {
  tell('notifications/subscriptions/acknowledged', {
    notifications: isObject(notifications) ? notifications : {},
    _meta: { [envelopeKeys.subscriptionId]: request.id! },
  });
  return undefined;
}

function complete({ argument }: JsonObject): JsonObject {
  const typed = isObject(argument) ? asText(argument.value) : '';
  const values = ['test', 'testing', 'testValue1'].filter(value => value.startsWith(typed));
  return { completion: { values, total: values.length, hasMore: false } };
}

/** Refuses requests for a capability that is not declared, as any server does. */
const needing = (capability: string, handlers: Readonly<Record<string, ServeHandler>>): Serve =>
  Object.fromEntries(
    Object.entries(handlers).map(([method, handler]): [string, ServeHandler] => [
      method,
      (params, at) => {
        const { conversation, revision, offers } = at.peer;
        const declared = declares(conversation.capabilities('server') ?? offers, capability);
        if (!declared && !revision.undeclarable.includes(capability))
          throw new RefusedRequest(-32601, `This server has no ${capability}.`);
        return handler(params, at);
      },
    ]),
  );

export const world: Serve = {
  ...needing('tools', {
    'tools/list': pages([tools.map(({ definition }) => definition)]),
    'tools/call': call,
  }),
  ...needing('prompts', {
    'prompts/list': pages([
      [prompt('test_simple_prompt'), prompt('test_prompt_with_arguments', ['arg1', 'arg2'])],
    ]),
    'prompts/get': getPrompt,
  }),
  ...needing('resources', {
    'resources/list': pages([[resource('test://static-text'), resource('test://watched-resource')]]),
    'resources/templates/list': pages([
      [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'text/plain' }],
    ]),
    'resources/read': read,
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
  }),
  ...needing('logging', { 'logging/setLevel': () => ({}) }),
  ...needing('completions', { 'completion/complete': complete }),
  'subscriptions/listen': listens,
};
