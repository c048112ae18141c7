/** Tools of a revision without a handshake, under the names of the official suite: input by results, and changes. */

import { declares } from '../../../harness/record/conversation.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { Call, Tool, World } from '../interfaces.js';
import { changing, object, says, string, text } from './builders.js';
import { insistOn } from './interactive-tools.js';

const form = (message: string, field: string, schema: JsonObject): JsonObject => ({
  message,
  requestedSchema: object({ [field]: schema }, [field]),
});

const elicit = (call: Call, field: string, schema = string(`Your ${field}`)): Promise<JsonObject> => {
  insistOn(call, 'elicitation');
  return call.ask('elicitation/create', form(`What is your ${field}?`, field, schema), `user_${field}`);
};

const sample = (call: Call): Promise<JsonObject> => {
  insistOn(call, 'sampling');
  const messages = [{ role: 'user', content: text('What is the capital of France?') }];
  return call.ask('sampling/createMessage', { messages, maxTokens: 100 });
};

const roots = (call: Call): Promise<JsonObject> => {
  insistOn(call, 'roots');
  return call.ask('roots/list');
};

const shown = (...answers: JsonObject[]): JsonObject => says(`Answers: ${JSON.stringify(answers)}`);

const asking = (name: string, description: string, run: (call: Call) => Promise<JsonObject>): Tool =>
  changing(name, description, (_args, call) => run(call), { needs: 'inputRounds' });

const confirm = async (call: Call) => shown(await elicit(call, 'ok', { type: 'boolean' }));

/** Asks for what the client has declared, all at once. */
async function askDeclared(call: Call): Promise<JsonObject> {
  const kinds = {
    elicitation: () => elicit(call, 'name'),
    sampling: () => sample(call),
    roots: () => roots(call),
  };
  const declared = Object.entries(kinds).filter(([kind]) => declares(call.scope.clientCapabilities, kind));
  return shown(...(await Promise.all(declared.map(([, ask]) => ask()))));
}

const changes = (world: World, list: 'tools' | 'prompts'): Tool =>
  changing(
    `test_trigger_${list === 'tools' ? 'tool' : 'prompt'}_change`,
    `Announces a change of the ${list}.`,
    () => {
      world.announce({ list });
      return says('Announced.');
    },
    { needs: 'inputRounds' },
  );

export const inputTools = (world: World): Tool[] => [
  asking('test_input_required_result_elicitation', 'Asks the user for a name.', async call =>
    shown(await elicit(call, 'name')),
  ),
  asking('test_input_required_result_sampling', 'Asks the model of the client.', async call =>
    shown(await sample(call)),
  ),
  asking('test_input_required_result_list_roots', 'Asks for the roots.', async call =>
    shown(await roots(call)),
  ),
  asking('test_input_required_result_request_state', 'Asks for a confirmation.', confirm),
  asking('test_input_required_result_tampered_state', 'Asks for a confirmation.', confirm),
  asking(
    'test_input_required_result_multiple_inputs',
    'Asks the user, the model, and for the roots.',
    async call => shown(...(await Promise.all([elicit(call, 'name'), sample(call), roots(call)]))),
  ),
  asking('test_input_required_result_multi_round', 'Asks the user twice.', async call =>
    shown(await elicit(call, 'name'), await elicit(call, 'color')),
  ),
  asking('test_input_required_result_capabilities', 'Asks for what the client has declared.', askDeclared),
  asking('test_missing_capability', 'Needs the model of the client.', async call =>
    shown(await sample(call)),
  ),
  asking('test_streaming_elicitation', 'Asks the user for a name.', async call =>
    shown(await elicit(call, 'name')),
  ),
  asking('test_logging_tool', 'Sends a log message.', async call => {
    call.log('info', 'A message of the tool');
    return says('Logged.');
  }),
  changes(world, 'tools'),
  changes(world, 'prompts'),
];

/** The messages of a prompt that asks the user. */
export async function promptWithInput(call: Call): Promise<JsonObject[]> {
  const { content } = await elicit(call, 'context');
  const context = isObject(content) ? content.context : undefined;
  return [{ role: 'user', content: text(`The context: ${String(context)}`) }];
}
