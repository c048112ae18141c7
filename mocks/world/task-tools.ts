/** Tools that run as tasks, perhaps, always or never. */

import { declares } from '../../harness/history.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Call } from '../call.js';
import { RequestFailure } from '../refusal.js';
import type { Tool } from '../world.js';
import { contact, fillIn, insistOn, response, textOf } from './interactive-tools.js';
import { object, readOnly, says, string, text } from './make.js';

/** A code that nothing else here has. */
const failureCode = -32_050;

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

/** A task of the client that takes longer than this many questions is given up. */
const mostPolls = 500;

/** How many tasks the client tells of. */
async function countTasks(call: Call): Promise<number> {
  let [count, cursor]: [number, Json | undefined] = [0, undefined];
  if (!declares(call.session.clientCapabilities, 'tasks.list')) return count;
  for (let page = 0; page < 10; page++) {
    const result: JsonObject = await call.ask('tasks/list', cursor === undefined ? {} : { cursor });
    count += Array.isArray(result.tasks) ? result.tasks.length : 0;
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return count;
}

/** Has the client's model work as a task, asks how it is going, and fetches what it has come to. */
async function sampleAsTask(args: JsonObject, call: Call): Promise<JsonObject> {
  insistOn(call, 'tasks.requests.sampling.createMessage');
  const made = await call.ask('sampling/createMessage', {
    messages: [{ role: 'user', content: text(String(args.prompt)) }],
    maxTokens: 100,
    task: { ttl: 60_000 },
  });
  if (!isObject(made.task)) return says(`LLM response: ${textOf(made)}`);
  const { taskId } = made.task;
  const cancel = () => {
    // that it is gone already is nothing to worry about
    if (declares(call.session.clientCapabilities, 'tasks.cancel'))
      call.session.outgoing.ask('tasks/cancel', { taskId: taskId! }).catch(() => {});
  };
  call.signal.addEventListener('abort', cancel, { once: true });
  try {
    const reply = await outcomeOf(made.task, call);
    return says(`LLM response: ${textOf(reply)}, of ${await countTasks(call)} tasks`);
  } finally {
    call.signal.removeEventListener('abort', cancel);
  }
}

async function outcomeOf(made: JsonObject, call: Call): Promise<JsonObject> {
  const id = { taskId: made.taskId! };
  let task = made;
  for (let polls = 0; polls < mostPolls; polls++) {
    const ended = ['completed', 'failed', 'cancelled'].includes(String(task.status));
    if (ended) return call.ask('tasks/result', id);
    if (task.status === 'input_required') {
      const reply = await call.ask('tasks/result', id).catch(() => undefined);
      if (reply) return reply;
    }
    await call.pause(Number(task.pollInterval ?? 50));
    task = await call.ask('tasks/get', id);
  }
  throw new Error('The task of the client does not come to an end.');
}

const supports = (taskSupport: 'optional' | 'required' | 'forbidden') => ({
  needs: 'tasks' as const,
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
