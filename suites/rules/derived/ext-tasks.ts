/** Tasks of the tasks extension in a record: their announcements, their states, and the requests about them. */

import { grouped } from '../../../harness/grouped.js';
import { type Conversation, declares, derived } from '../../../harness/record/conversation.js';
import { type Exchange, type Message, resultOf } from '../../../harness/record/message.js';
import { answerIn, mostQuestions, type Question, questionIn } from '../../../harness/record/questions.js';
import { extensionPath } from '../../../spec/extensions/index.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { isSound } from './conversation.js';

export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** Whether a request of the client declares the extension. */
export const declaresTasks = (conversation: Conversation, request: Message): boolean =>
  declares(conversation.capabilitiesAt(request), extensionPath(tasksExtension));

/** Whether the server declares the extension. */
export const servesTasks = (conversation: Conversation): boolean =>
  declares(conversation.capabilities('server'), extensionPath(tasksExtension));

const bySender = ({ subject }: Conversation) => (subject === 'client' ? 'subject' : 'peer');
const byServer = ({ subject }: Conversation) => (subject === 'server' ? 'subject' : 'peer');

/** The requests of the client for a method, whichever side is under test; without malformed responses. */
export const askedOf = (conversation: Conversation, method: string): Exchange[] =>
  conversation
    .exchanges({ by: bySender(conversation), method })
    .filter(({ reply }) => !reply || isSound(reply));

/** A state of a task in a message of the server. */
export interface TaskState {
  readonly m: Message;
  /** The request of the message; undefined for a notification. */
  readonly request: Message | undefined;
  readonly how: 'created' | 'get' | 'notified';
  readonly taskId: string;
  readonly task: JsonObject;
}

/** Whether a result has the members of a task, whatever its kind, and none of a call that is done. */
export const looksLikeTask = (result: JsonObject): boolean =>
  result.content === undefined &&
  [result.taskId, result.status, result.createdAt].every(member => typeof member === 'string');

function* findStates(conversation: Conversation): Generator<TaskState> {
  const found = (how: TaskState['how'], m: Message, task: JsonObject | undefined, request?: Message) =>
    task && typeof task.taskId === 'string' ? [{ m, request, how, taskId: task.taskId, task }] : [];
  for (const exchange of askedOf(conversation, 'tools/call')) {
    const result = resultOf(exchange);
    if (result && (result.resultType === 'task' || looksLikeTask(result)))
      yield* found('created', exchange.reply!, result, exchange.request);
  }
  for (const exchange of askedOf(conversation, 'tasks/get'))
    if (exchange.reply) yield* found('get', exchange.reply, resultOf(exchange), exchange.request);
  for (const m of conversation.notifications({ by: byServer(conversation), method: 'notifications/tasks' }))
    if (isSound(m)) yield* found('notified', m, m.params);
}

/** All states of tasks that the server sent, in order. */
export const taskStates = derived((conversation: Conversation): readonly TaskState[] =>
  [...findStates(conversation)].sort((a, b) => a.m.seq - b.m.seq),
);

/** The states of each task. */
export const statesById = derived((conversation: Conversation) =>
  grouped(taskStates(conversation), s => s.taskId),
);

/** The announcements of tasks. */
export const announced = derived((conversation: Conversation) =>
  taskStates(conversation).filter(s => s.how === 'created'),
);

/** The states in results of tasks/get. */
export const polled = derived((conversation: Conversation) =>
  taskStates(conversation).filter(s => s.how === 'get'),
);

const terminal: readonly unknown[] = ['completed', 'failed', 'cancelled'];
export const isEnded = (status: Json | undefined): boolean => terminal.includes(status);
export const isTaskStatus = (status: Json | undefined): boolean =>
  status === 'working' || status === 'input_required' || isEnded(status);

/** The last state of a task before a moment. */
export const stateBefore = (conversation: Conversation, taskId: Json | undefined, seq: number) =>
  typeof taskId === 'string'
    ? statesById(conversation)
        .get(taskId)
        ?.findLast(s => s.m.seq < seq)
    : undefined;

/** Whether the ttl of a task has passed at a moment, as far as the record shows it; then anything may happen to the task. */
export function isExpired(conversation: Conversation, taskId: Json | undefined, at: Message): boolean {
  const made = announced(conversation).find(s => s.taskId === taskId);
  const ttl = stateBefore(conversation, taskId, at.seq)?.task.ttlMs;
  return !made || (typeof ttl === 'number' && at.frame.at - made.m.frame.at >= ttl);
}

/** The questions of a task in a state. */
export const questionsIn = ({ task }: TaskState): readonly (readonly [key: string, asked: Json])[] =>
  task.status === 'input_required' && isObject(task.inputRequests) ? Object.entries(task.inputRequests) : [];

/** The answers in a tasks/update. */
const answersOf = ({ params }: Message): JsonObject =>
  isObject(params?.inputResponses) ? params.inputResponses : {};

/** The keys of the answers in a tasks/update. */
export const answersIn = (request: Message): readonly string[] => Object.keys(answersOf(request));

/** A question as a state of a task shows it. */
interface ShownQuestion {
  readonly asked: Json;
  readonly m: Message;
}

/** The questions of one task with their answers; without an answer from its first state with the question. */
function* answeredIn(states: readonly TaskState[], given: readonly Message[]): Generator<Question> {
  const [first, last] = [new Map<string, ShownQuestion>(), new Map<string, ShownQuestion>()];
  const answered = new Set<string>();
  let at = 0;
  const readUntil = (seq: number): void => {
    for (; at < states.length && states[at]!.m.seq < seq; at++)
      for (const [key, asked] of questionsIn(states[at]!).slice(0, mostQuestions)) {
        const question = { asked, m: states[at]!.m };
        if (!first.has(key)) first.set(key, question);
        last.set(key, question);
      }
  };
  for (const m of given) {
    readUntil(m.seq);
    for (const [key, answer] of Object.entries(answersOf(m))) {
      answered.add(key);
      const question = last.get(key);
      const request = question && questionIn(question.m, key, question.asked);
      if (request) yield { request, reply: answerIn(m, key, answer) };
    }
  }
  readUntil(Number.POSITIVE_INFINITY);
  for (const [key, { asked, m }] of first) {
    const request = answered.has(key) ? undefined : questionIn(m, key, asked);
    if (request) yield { request, reply: undefined };
  }
}

/** The questions of all tasks to the client, in the form of requests and their results. */
export const taskQuestions = derived((conversation: Conversation): readonly Question[] => {
  const updates = askedOf(conversation, 'tasks/update').map(({ request }) => request);
  const given = grouped(updates, ({ params }) => params?.taskId);
  return [...statesById(conversation)].flatMap(([taskId, states]) => [
    ...answeredIn(states, given.get(taskId) ?? []),
  ]);
});

/** Updates of a task that the server acknowledged. */
export const updates = derived((conversation: Conversation) =>
  askedOf(conversation, 'tasks/update').filter(e => e.reply?.kind === 'result'),
);
