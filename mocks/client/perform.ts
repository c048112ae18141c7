/** Runs a script, step by step (`harness/scenario/script.ts`). */

import { declares } from '../../harness/record/conversation.js';
import { idKey } from '../../harness/record/message.js';
import type { ConnectOptions, Listable, Script, Step, StepOptions } from '../../harness/scenario/script.js';
import { isObject, type Json, type JsonObject, type RequestId } from '../../spec/json-rpc.js';
import { featuresOf } from '../server/features.js';
import { listTasks, outcomeOf } from '../task-requestor.js';
import type { Answers } from './answers.js';
import type { AskOptions, RunningTask } from './ask.js';
import { Failure } from './failure.js';
import { fetchIcons } from './icons.js';
import { pause } from './pause.js';
import type { ClientSession } from './session.js';

/** Opens sessions for the script, and prints diagnostic text for the operator. */
export interface Stagehand {
  readonly answers: Answers;
  readonly session: ClientSession | undefined;
  connect(options: ConnectOptions | undefined): Promise<void>;
  steps(step: Step): readonly Step[];
  warn(text: string): void;
  /** @param ms milliseconds */
  after(ms: number, act: () => void): void;
}

/** A request whose response the script does not wait for. */
interface Open {
  readonly id: RequestId;
  readonly done: Promise<unknown>;
  /** The task that the server created for the request. */
  task?: RunningTask;
}

/** The requested time to live of a task, in milliseconds. */
const ttl = 60_000;

const lists: Readonly<
  Record<Exclude<Listable, 'tasks'>, readonly [method: string, capability: string, key: string]>
> = {
  tools: ['tools/list', 'tools', 'tools'],
  prompts: ['prompts/list', 'prompts', 'prompts'],
  resources: ['resources/list', 'resources', 'resources'],
  templates: ['resources/templates/list', 'resources', 'resourceTemplates'],
};

export class Performer {
  /** Requests whose response the script does not wait for. */
  private readonly open = new Map<string, Open>();

  constructor(private readonly hand: Stagehand) {}

  /** @returns the exit code: 1 when no session was opened */
  async perform(script: Script): Promise<number> {
    for (const wished of script)
      for (const step of this.hand.steps(wished)) {
        try {
          await this.do(step);
        } catch (error) {
          this.hand.warn(`${JSON.stringify(step)}: ${String(error)}\n`);
          if (!(error instanceof Failure)) throw error;
          if (step[0] === 'connect') return this.leave(1);
        }
      }
    return this.leave(0);
  }

  /** A script without `close` also closes the session at its end. */
  private async leave(code: number): Promise<number> {
    await this.hand.session?.close();
    return code;
  }

  private get session(): ClientSession {
    if (!this.hand.session) throw new Failure('The script does not begin with connect.');
    return this.hand.session;
  }

  private async do(step: Step): Promise<void> {
    switch (step[0]) {
      case 'connect':
        return this.hand.connect(step[1]);
      case 'list':
        return this.list(step[1], step[2]);
      case 'call':
        return this.call(step);
      case 'read':
        return this.ask('resources', 'resources/read', { uri: step[1] }, step[2]);
      case 'get':
        return this.ask(
          'prompts',
          'prompts/get',
          { name: step[1], ...(step[2] && { arguments: { ...step[2] } }) },
          step[3],
        );
      case 'complete':
        return this.complete(step);
      case 'subscribe': {
        if (this.session.isStateless)
          return this.may('resources.subscribe')
            ? this.session.subscriptions.watch(step[1], step[2] !== false)
            : undefined;
        const method = step[2] === false ? 'resources/unsubscribe' : 'resources/subscribe';
        return this.ask('resources.subscribe', method, { uri: step[1] });
      }
      case 'cancel':
        return this.cancel(step[1]);
      case 'answer':
        return this.decide(step);
      case 'close':
        await Promise.allSettled([...this.open.values()].map(({ done }) => done));
        return this.session.close();
      case 'restart':
        throw new Error('A script is run part by part.');
    }
  }

  private call([, name, args = {}, options = {}]: Extract<
    Step,
    readonly ['call', ...unknown[]]
  >): Promise<void> {
    const params = { name, arguments: args, ...(this.runsAsTask(name, options) && { task: { ttl } }) };
    if (this.session.unusable.has(name)) throw new Failure(`The definition of the tool ${name} is invalid.`);
    return this.ask('tools', 'tools/call', params, options);
  }

  /** basic/utilities/tasks#tool-level-negotiation. */
  private runsAsTask(name: string, { task = false }: StepOptions): boolean {
    const { server, revision, taskSupport } = this.session;
    if (!featuresOf(revision).tasks || !declares(server, 'tasks.requests.tools.call')) return false;
    const support = taskSupport.get(name);
    return support === 'required' || (task && support === 'optional');
  }

  /** Sends a request, unless the server has not declared the required capability. */
  private async ask(
    capability: string,
    method: string,
    params: JsonObject | undefined,
    { wait = true, ...options }: StepOptions = {},
  ): Promise<void> {
    const { session } = this;
    if (!this.may(capability)) return;
    let settle: (value: unknown) => void = () => {};
    const done = new Promise(resolve => {
      settle = resolve;
    });
    let open: Open | undefined;
    const asking: AskOptions = {
      ...options,
      onSent: id => {
        open = { id, done };
        if (!wait) this.open.set(idKey(id), open);
      },
      onTask: task => {
        open!.task = task;
      },
    };
    const asked = session
      .ask(method, params, asking)
      .then(result => (isObject(result.task) ? this.follow(result.task, open!) : result))
      .finally(() => {
        if (open) this.open.delete(idKey(open.id));
        settle(undefined);
      });
    if (wait) await asked;
    else
      void asked.then(
        () => {},
        (error: unknown) => this.hand.warn(`${method}: ${String(error)}\n`),
      );
  }

  /** The outcome of a request that runs as a task. */
  private follow(task: JsonObject, open: Open): Promise<JsonObject> {
    const { session } = this;
    const unwanted = new AbortController();
    open.task = { taskId: task.taskId!, unwanted };
    const withdrawn = () => new Failure('The request was cancelled.');
    return outcomeOf(task, {
      ask: (method, params) => session.ask(method, params),
      pause: ms => pause(over => this.hand.after(ms, over), unwanted.signal, withdrawn),
    });
  }

  private may(capability: string): boolean {
    const { server, revision, parts } = this.session;
    const name = capability.split('.')[0]!;
    return (
      !parts.habits.respectsCapabilities ||
      declares(server, capability) ||
      revision.undeclarable.includes(name)
    );
  }

  private async list(what: Listable, { timeoutMs }: StepOptions = {}): Promise<void> {
    const { session } = this;
    if (what === 'tasks') return this.listTasks();
    const [method, capability] = lists[what];
    if (!this.may(capability)) return;
    const { habits } = session.parts;
    let params: JsonObject | undefined;
    for (let page = 0; page < habits.mostPages; page++) {
      const { nextCursor, tools } = await session.ask(method, params, { timeoutMs });
      if (Array.isArray(tools)) await this.noteTools(tools);
      if (nextCursor === undefined) break;
      params = habits.nextPage(nextCursor);
    }
  }

  private async noteTools(tools: readonly Json[]): Promise<void> {
    for (const tool of tools.filter(isObject)) {
      const support = isObject(tool.execution) ? tool.execution.taskSupport : undefined;
      this.session.taskSupport.set(String(tool.name), support);
      this.session.note(tool);
    }
    const { carrier, parts, revision } = this.session;
    if (carrier.home && featuresOf(revision).icons) await fetchIcons(tools, carrier.home, parts.habits.icons);
  }

  private async listTasks(): Promise<void> {
    const { session } = this;
    const ask = (method: string, params: JsonObject) => session.ask(method, params);
    if (this.may('tasks.list')) await listTasks({ ask });
  }

  private complete([, ref, argument, settled]: Extract<
    Step,
    readonly ['complete', ...unknown[]]
  >): Promise<void> {
    const { revision } = this.session;
    const context = settled &&
      !revision.undeclarable.includes('context') && { context: { arguments: { ...settled } } };
    return this.ask('completions', 'completion/complete', { ref, argument: { ...argument }, ...context });
  }

  /** The request may not have reached the server yet; it is cancelled afterwards. */
  private async cancel(reason: string | undefined): Promise<void> {
    const last = [...this.open.values()].at(-1);
    if (!last) return;
    this.open.delete(idKey(last.id));
    const { task } = last;
    if (!task) return this.session.withdraw(last.id, reason);
    task.unwanted.abort();
    const { isStateless, parts } = this.session;
    const { cancelsBy } = parts.habits.longTasks;
    if (isStateless && cancelsBy === 'nothing') return;
    if (isStateless && cancelsBy === 'notification')
      return this.session.notify('notifications/cancelled', { requestId: last.id });
    if (isStateless || this.may('tasks.cancel'))
      await this.session.ask('tasks/cancel', { taskId: task.taskId });
  }

  private async decide([, method, manner, content]: Extract<
    Step,
    readonly ['answer', ...unknown[]]
  >): Promise<void> {
    const { answers, session } = this.hand;
    answers.decide(method, manner, content);
    const changed = method === 'roots/list' && content !== undefined && session !== undefined;
    if (changed && declares(session.declared, 'roots.listChanged'))
      await session.notify('notifications/roots/list_changed');
  }
}
