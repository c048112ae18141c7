/** Tools with optional, required or forbidden task support. */

import { declares } from '../../../harness/record/conversation.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { listTasks, outcomeOf } from '../../task-requestor.js';
import type { Call, Tool } from '../interfaces.js';
import { RequestFailure } from '../refusal.js';
import { object, readOnly, says, string, text } from './builders.js';
import { contact, fillIn, insistOn, response, textOf } from './interactive-tools.js';

/** An error code that no other fixture has. */
const failureCode = -31_050;

async function work(args: JsonObject, call: Call): Promise<JsonObject> {
  const total = Number(args.durationMs ?? 0);
  const steps = 5;
  for (let step = 0; step < steps && total > 0; step++) {
    call.progress(step, steps);
    await call.pause(total / steps);
  }
  if (args.outcome === 'tool-error') throw new Error('The work failed.');
  if (args.outcome === 'protocol-error')
    throw new RequestFailure(failureCode, 'The request failed.', { orderedBy: 'the client' });
  return says(`Worked for ${total} ms.`);
}

/** Runs a request to the client's model as a task, polls its state, and fetches its result. */
async function sampleAsTask(args: JsonObject, call: Call): Promise<JsonObject> {
  insistOn(call, 'tasks.requests.sampling.createMessage');
  const made = await call.ask('sampling/createMessage', {
    messages: [{ role: 'user', content: text(String(args.prompt)) }],
    maxTokens: 100,
    task: { ttl: 60_000 },
  });
  if (!isObject(made.task)) return says(`LLM response: ${textOf(made)}`);
  const { taskId } = made.task;
  const { clientCapabilities, outgoing } = call.session;
  const cancel = () => {
    // a task that no longer exists is not an error
    if (declares(clientCapabilities, 'tasks.cancel'))
      outgoing.ask('tasks/cancel', { taskId: taskId! }).catch(() => {});
  };
  call.signal.addEventListener('abort', cancel, { once: true });
  try {
    const reply = await outcomeOf(made.task, call);
    const tasks = declares(clientCapabilities, 'tasks.list') ? await listTasks(call) : [];
    return says(`LLM response: ${textOf(reply)}, of ${tasks.length} tasks`);
  } finally {
    call.signal.removeEventListener('abort', cancel);
  }
}

export const supports = (taskSupport: 'optional' | 'required' | 'forbidden') => ({
  needs: ['tasks', 'tasksExtension'] as const,
  members: { execution: { taskSupport }, annotations: { readOnlyHint: true } },
});

export const taskTools = (): Tool[] => [
  readOnly('test_task_sampling', "Has the client's model work as a task.", sampleAsTask, {
    needs: 'tasks',
    input: object({ prompt: string('What the model is asked.') }, ['prompt']),
  }),
  readOnly('test_task', 'Works for a while and ends as it is told.', work, {
    ...supports('optional'),
    input: object({
      durationMs: { type: 'integer', minimum: 0, maximum: 60_000 },
      outcome: { type: 'string', enum: ['ok', 'tool-error', 'protocol-error'] },
    }),
  }),
  readOnly(
    'test_task_input',
    'Asks the user for name and address.',
    async (args, call) => response(await fillIn(call, String(args.message), contact)),
    { ...supports('optional'), input: object({ message: string('What the user is told.') }, ['message']) },
  ),
  readOnly('test_task_required', 'Answers with the text it is given.', args => says(String(args.text)), {
    ...supports('required'),
    input: object({ text: string('What comes back.') }, ['text']),
  }),
  readOnly(
    'test_task_forbidden',
    'Answers with a text.',
    () => says('This is never a task.'),
    supports('forbidden'),
  ),
];
