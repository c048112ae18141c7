/**
 * What a client under test is asked to do: data in a language of eleven verbs, handed over in `MCP_CONFORM_SCRIPT`.
 *
 * A script is what a user of the client wishes, not a licence: where the protocol forbids a step (the server has not
 * declared what it needs), a conforming client leaves the step out. A step that fails ends nothing: the next one follows.
 * Only a `connect` that fails ends the script, or what there is of it up to the next `restart`. A client that does not know a verb, or cannot do what a step says, exits
 * with code 127 before it opens a connection; options it does not know are another matter: it may pass over them.
 */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';

/** What `list` can list. */
export const listable = ['tools', 'prompts', 'resources', 'templates', 'tasks'] as const;
export type Listable = (typeof listable)[number];

/** How the client answers what the server asks of it. */
export const manners = ['accept', 'decline', 'cancel', 'refuse'] as const;
export type Manner = (typeof manners)[number];

/** Of each step that sends a request. */
export interface StepOptions {
  /** False: goes on with the next step without waiting for the answer. Default: true. */
  readonly wait?: boolean;
  /** Gives up after so many milliseconds, as when a user loses patience. Default: whatever the client thinks right. */
  readonly timeoutMs?: number;
  /** Asks for progress notifications. */
  readonly progress?: boolean;
  /** Asks that it be run as a task, where the revision has tasks. */
  readonly task?: boolean;
}

export interface ConnectOptions {
  /** Capabilities to declare, of those the client has; by default it declares what it always does. */
  readonly declare?: readonly string[];
  /** Gives up after so many milliseconds. */
  readonly timeoutMs?: number;
  /** Capabilities, or parts of them as in `sampling.tools`, not to declare. */
  readonly without?: readonly string[];
}

/** Where a client is sent, when it is no longer where it was sent when it was started. */
export interface RestartOptions {
  /** The URL of our end; over stdio its command instead. */
  readonly url?: string;
  readonly command?: readonly string[];
  /** What `MCP_CONFORMANCE_CONTEXT` would say; default: nothing was arranged. */
  readonly context?: JsonObject;
}

/** One step: a verb and its arguments. */
export type Step =
  /** Opens a conversation: `initialize`, `notifications/initialized`. A second `connect` opens another one. */
  | readonly ['connect', ConnectOptions?]
  /** Lists all there is, with all pages; `tasks`: those the server runs for this client. */
  | readonly ['list', Listable, StepOptions?]
  /** Calls a tool. @param 1 its name @param 2 arguments, default none */
  | readonly ['call', string, JsonObject?, StepOptions?]
  /** Reads a resource. @param 1 its URI */
  | readonly ['read', string, StepOptions?]
  /** Gets a prompt. @param 1 its name @param 2 arguments, default none */
  | readonly ['get', string, Readonly<Record<string, string>>?, StepOptions?]
  /**
   * Asks for completions. @param 1 what is completed: `ref/prompt` with a name or `ref/resource` with a URI template
   * @param 2 the argument and what has been typed @param 3 arguments that are settled already
   */
  | readonly [
      'complete',
      JsonObject,
      { readonly name: string; readonly value: string },
      Readonly<Record<string, string>>?,
    ]
  /** Wants to hear of changes of a resource, or no longer. @param 1 its URI @param 2 false ends it */
  | readonly ['subscribe', string, boolean?]
  /** Withdraws the last request that was not waited for. @param 1 a reason for people */
  | readonly ['cancel', string?]
  /**
   * How the client answers from now on: what the user decides, and what with. @param 1 the method of the server's request
   * @param 2 `accept`; for elicitation `decline`, `cancel`; `refuse`: the user rejects a sampling request, or the roots
   * cannot be listed
   * @param 3 of an accepted elicitation: what the user enters, default something that fits; of `sampling/createMessage`:
   * `{ models }`, the names of the models there are; of `roots/list`: the roots there are from now on, which is a change
   * when it comes after `connect`
   */
  | readonly ['answer', string, Manner, Json?]
  /** Waits for what is still to be answered, then takes leave the way the transport prescribes. */
  | readonly ['close']
  /**
   * Goes on as if the program had ended and been started anew, with another end of ours: nothing is open any more, and
   * nothing of what it was told or has learned is known.
   */
  | readonly ['restart', RestartOptions];

export type Script = readonly Step[];
export type Verb = Step[0];

const isText = (value: Json | undefined): boolean => typeof value === 'string';
const isPlain = (value: Json | undefined): boolean => value === undefined || isObject(value);

/** What is wrong with the arguments of a verb; nothing when they are right. */
const checks: Readonly<Record<Verb, (args: readonly Json[]) => string | undefined>> = {
  connect: ([options]) => (isPlain(options) ? undefined : 'takes options'),
  list: ([what, options]) =>
    listable.includes(what as Listable) && isPlain(options) ? undefined : `takes ${listable.join(', ')}`,
  call: ([name, args, options]) =>
    isText(name) && isPlain(args) && isPlain(options) ? undefined : 'takes a name, arguments, options',
  read: ([uri, options]) => (isText(uri) && isPlain(options) ? undefined : 'takes a URI, options'),
  get: ([name, args, options]) =>
    isText(name) && isPlain(args) && isPlain(options) ? undefined : 'takes a name, arguments, options',
  complete: ([ref, argument, context]) =>
    isObject(ref) && isObject(argument) && isPlain(context)
      ? undefined
      : 'takes a reference, an argument, and settled ones',
  subscribe: ([uri, on]) =>
    isText(uri) && (on === undefined || typeof on === 'boolean') ? undefined : 'takes a URI, and on or off',
  cancel: ([reason]) => (reason === undefined || isText(reason) ? undefined : 'takes a reason'),
  answer: ([method, manner]) =>
    isText(method) && manners.includes(manner as Manner)
      ? undefined
      : `takes a method and ${manners.join(', ')}`,
  close: () => undefined,
  restart: ([place]) =>
    isObject(place) && (isText(place.url) || Array.isArray(place.command))
      ? undefined
      : 'takes a URL or a command',
};

export const verbs = Object.keys(checks) as readonly Verb[];

/**
 * Reads a script.
 * @throws {Error} that says which step is wrong, and how
 */
export function parseScript(json: Json): Script {
  if (!Array.isArray(json)) throw new Error('A script is an array of steps.');
  for (const [at, step] of json.entries()) {
    const [verb, ...args] = Array.isArray(step) ? step : [];
    if (typeof verb !== 'string' || !Object.hasOwn(checks, verb))
      throw new Error(`Step ${at + 1} has no verb that I know: ${JSON.stringify(step)}.`);
    const wrong = checks[verb as Verb](args);
    if (wrong) throw new Error(`Step ${at + 1}: "${verb}" ${wrong}, not ${JSON.stringify(args)}.`);
  }
  return json as unknown as Script;
}

/** A script nobody can do, to see whether a client says so. */
export const nonsense: Json = [['x-mcp-conform-nonsense', 'there is no such verb']];

/** The exit code by which a client says that it does not do this one. */
export const declined = 127;
