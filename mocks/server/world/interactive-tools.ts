/** Tools that send requests to the client. Requests that need an undeclared capability are not sent. */

import { randomUUID } from 'node:crypto';
import { declares } from '../../../harness/record/conversation.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { firstSchemaError } from '../../schema-check.js';
import type { Call, Tool } from '../interfaces.js';
import { codes, RequestFailure } from '../refusal.js';
import { object, readOnly, says, string, text } from './builders.js';

/** @throws {Error} which becomes the result of the tool */
export function insistOn(call: Call, capability: string): void {
  if (declares(call.scope.clientCapabilities, capability)) return;
  const reason = `The client has not declared ${capability}.`;
  if (!call.scope.features.inputRounds) throw new Error(reason);
  const requiredCapabilities = capability
    .split('.')
    .reduceRight<JsonObject>((at, name) => ({ [name]: at }), {});
  throw new RequestFailure(codes.missingClientCapability, reason, { requiredCapabilities });
}

const blocks = (content: Json | undefined): JsonObject[] =>
  (Array.isArray(content) ? content : [content ?? null]).filter(isObject);

export const textOf = (reply: JsonObject): string =>
  blocks(reply.content)
    .map(block => (typeof block.text === 'string' ? block.text : `(${String(block.type)})`))
    .join(' ');

async function sample(args: JsonObject, call: Call): Promise<JsonObject> {
  insistOn(call, 'sampling');
  const reply = await call.ask('sampling/createMessage', {
    messages: [{ role: 'user', content: text(String(args.prompt)) }],
    maxTokens: 100,
  });
  return says(`LLM response: ${textOf(reply)}`);
}

/** The maximum number of rounds; a model that needs more does not finish. */
const mostRounds = 5;

async function sampleWithTools(args: JsonObject, call: Call): Promise<JsonObject> {
  insistOn(call, 'sampling.tools');
  const messages: JsonObject[] = [{ role: 'user', content: text(String(args.prompt)) }];
  const tools = [
    {
      name: 'add',
      description: 'Adds two numbers.',
      inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
    },
  ];
  for (let round = 0; round < mostRounds; round++) {
    const reply = await call.ask('sampling/createMessage', { messages, tools, maxTokens: 100 });
    const uses = blocks(reply.content).filter(block => block.type === 'tool_use');
    if (uses.length === 0) return says(`LLM response: ${textOf(reply)}`);
    messages.push(
      { role: 'assistant', content: reply.content! },
      { role: 'user', content: uses.map(answerUse) },
    );
  }
  throw new Error('The model asked for tools again and again.');
}

function answerUse(use: JsonObject): JsonObject {
  const { a, b } = isObject(use.input) ? use.input : {};
  return {
    type: 'tool_result',
    toolUseId: use.id!,
    content: [text(String(Number(a) + Number(b)))],
    ...(isObject(use._meta) && { _meta: use._meta }),
  };
}

/**
 * Shows a form. @returns the decision of the user; @throws {Error} when the content does not match the form
 */
export async function fillIn(call: Call, message: string, requestedSchema: JsonObject): Promise<JsonObject> {
  insistOn(call, 'elicitation');
  const { elicitation } = call.scope.clientCapabilities;
  // an empty capability means forms; one that names only other modes does not
  if (isObject(elicitation) && Object.keys(elicitation).length > 0) insistOn(call, 'elicitation.form');
  const answer = await call.ask('elicitation/create', { message, requestedSchema });
  if (answer.action !== 'accept') return answer;
  const wrong = firstSchemaError(requestedSchema, isObject(answer.content) ? answer.content : {});
  if (wrong) throw new Error(`The form was filled in wrongly: ${wrong}`);
  return answer;
}

export const response = ({ action, content }: JsonObject): JsonObject =>
  says(`User response: ${String(action)}${content ? `, ${JSON.stringify(content)}` : ''}`);

const form = (message: string, schema: JsonObject) => async (_args: JsonObject, call: Call) =>
  response(await fillIn(call, message, schema));

export const contact = object({ username: string('Your name'), email: string('Your address') }, [
  'username',
  'email',
]);

const defaults = object({
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
});

const titled = ['value1', 'value2', 'value3'].map((value, at) => ({
  const: value,
  title: `Option ${at + 1}`,
}));

const choices = object({
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
});

async function sendToPage(_args: JsonObject, call: Call): Promise<JsonObject> {
  insistOn(call, 'elicitation.url');
  const elicitationId = randomUUID();
  const answer = await call.ask('elicitation/create', {
    mode: 'url',
    message: 'The rest is done in the browser.',
    url: `https://example.com/elicitation/${elicitationId}`,
    ...(call.scope.features.elicitationIds && { elicitationId }),
  });
  if (answer.action === 'accept' && call.scope.features.elicitationIds)
    call.notify('notifications/elicitation/complete', { elicitationId });
  return response(answer);
}

/** Sends no elicitation request: the client opens the page and repeats the call. */
function insistOnPage(_args: JsonObject, call: Call): JsonObject {
  insistOn(call, 'elicitation.url');
  const elicitationId = randomUUID();
  const url = `https://example.com/elicitation/${elicitationId}`;
  const elicitation = { mode: 'url', message: 'This is done in the browser first.', url, elicitationId };
  throw new RequestFailure(codes.urlElicitationRequired, 'A page has to be opened first.', {
    elicitations: [elicitation],
  });
}

async function listRoots(_args: JsonObject, call: Call): Promise<JsonObject> {
  insistOn(call, 'roots');
  call.session.usesRoots = true;
  const { roots } = await call.ask('roots/list');
  return says(
    `Roots: ${
      blocks(roots)
        .map(root => String(root.uri))
        .join(', ') || 'none'
    }`,
  );
}

const prompt = { input: object({ prompt: string('What the model is asked.') }, ['prompt']) };

export const interactiveTools = (): Tool[] => [
  readOnly('test_sampling', "Asks the client's model.", sample, prompt),
  readOnly('test_sampling_with_tools', "Asks the client's model, which may use a tool.", sampleWithTools, {
    ...prompt,
    needs: 'samplingTools',
  }),
  readOnly(
    'test_elicitation',
    'Asks the user for name and address.',
    async (args, call) => response(await fillIn(call, String(args.message), contact)),
    {
      needs: 'elicitation',
      input: object({ message: string('What the user is told.') }, ['message']),
    },
  ),
  readOnly(
    'test_elicitation_sep1034_defaults',
    'Asks the user with defaults.',
    form('Please review.', defaults),
    {
      needs: 'richForms',
    },
  ),
  readOnly('test_elicitation_sep1330_enums', 'Asks the user to choose.', form('Please choose.', choices), {
    needs: 'richForms',
  }),
  readOnly('test_elicitation_url', 'Sends the user to a web page.', sendToPage, { needs: 'urlElicitation' }),
  readOnly('test_elicitation_url_required', 'Works only for who has been on a web page.', insistOnPage, {
    needs: 'elicitationIds',
  }),
  readOnly('test_roots', 'Asks for the roots.', listRoots),
];
