/** Tools for the tasks extension; the names without `test_` are those of the official suite. */

import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { Call, Tool } from '../interfaces.js';
import { RequestFailure } from '../refusal.js';
import { object, readOnly, says, string } from './builders.js';
import { fillIn, response } from './interactive-tools.js';
import { supports } from './task-tools.js';

const name = object({ name: string('A name') }, ['name']);
const address = object({ email: string('An address') }, ['email']);
const confirmation = object({ confirm: { type: 'boolean' } }, ['confirm']);

/** Asks two questions at once. */
async function askTwice(_args: JsonObject, call: Call): Promise<JsonObject> {
  const answers = await Promise.all([fillIn(call, 'Who?', name), fillIn(call, 'Where?', address)]);
  return says(answers.map(({ action }) => `User response: ${String(action)}`).join(', '));
}

async function compute({ seconds, label }: JsonObject, call: Call): Promise<JsonObject> {
  await call.pause(Number(seconds) * 1000);
  return says(`Computed ${String(label ?? 'nothing')}.`);
}

const only = (taskSupport: 'optional' | 'required') => ({
  ...supports(taskSupport),
  needs: 'tasksExtension' as const,
});

export const extensionTaskTools = (): Tool[] => [
  readOnly('test_task_two_inputs', 'Asks the user two questions at once.', askTwice, only('optional')),
  readOnly('greet', 'Greets.', args => says(`Hello, ${String(args.name)}!`), {
    needs: 'tasksExtension',
    input: name,
  }),
  readOnly('slow_compute', 'Works for some seconds.', compute, {
    ...only('optional'),
    input: object({ seconds: { type: 'number', minimum: 0, maximum: 600 }, label: string('A label') }, [
      'seconds',
    ]),
  }),
  readOnly(
    'failing_job',
    'Fails.',
    () => {
      throw new Error('The job failed.');
    },
    only('required'),
  ),
  readOnly(
    'protocol_error_job',
    'Fails with a JSON-RPC error.',
    () => {
      throw new RequestFailure(-32_603, 'The job broke down.');
    },
    only('optional'),
  ),
  readOnly(
    'confirm_delete',
    'Asks for a confirmation.',
    async ({ filename }, call) => response(await fillIn(call, `Delete ${String(filename)}?`, confirmation)),
    { ...only('optional'), input: object({ filename: string('A file') }, ['filename']) },
  ),
  {
    ...readOnly(
      'test_tool_with_task',
      'Asks for a name, and greets in a task.',
      async args => says(`Hello, ${String(args.name ?? 'stranger')}!`),
      { ...only('required'), input: object({ name: string('A name') }) },
    ),
    gathers: async (_, call) => {
      const { content } = await fillIn(call, 'Who?', name);
      return isObject(content) ? { name: content.name ?? 'nobody' } : {};
    },
  },
  readOnly('multi_input', 'Asks the user two questions at once.', askTwice, only('optional')),
];
