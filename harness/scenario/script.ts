/**
 * The task of a client under test: data in a language of eleven verbs, passed in `MCP_CONFORM_SCRIPT`.
 *
 * A script contains the wishes of a user of the client, not permissions: where the protocol forbids a step
 * (the server has not declared the capability), a conforming client skips the step. After a step that fails,
 * the next step follows. Only a `connect` that fails ends the script, or its part up to the next `restart`. A
 * client that does not support a verb or a step exits with code 127 before it opens a connection; a client
 * may ignore unknown options.
 */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';

/** Subjects of `list`. */
const listable = ['tools', 'prompts', 'resources', 'templates', 'tasks'] as const;
export type Listable = (typeof listable)[number];

/** Responses of the client to requests of the server. */
const manners = ['accept', 'decline', 'cancel', 'refuse'] as const;
export type Manner = (typeof manners)[number];

/** Options of each step that sends a request. */
export interface StepOptions {
  /** False: continues with the next step without waiting for the response. Default: true. */
  readonly wait?: boolean;
  /** Timeout of the request in milliseconds, as for an impatient user. Default: the timeout of the client. */
  readonly timeoutMs?: number;
  /** Requests progress notifications. */
  readonly progress?: boolean;
  /** Requests execution as a task, where the revision has tasks. */
  readonly task?: boolean;
}

export interface ConnectOptions {
  /** Capabilities to declare, among those of the client; default: the usual ones of the client. */
  readonly declare?: readonly string[];
  /** Timeout in milliseconds of each request with which the client connects, not of the connection as a whole. */
  readonly timeoutMs?: number;
  /** Capabilities, or parts of them as in `sampling.tools`, that the client does not declare. */
  readonly without?: readonly string[];
}

/** What a script is told about the steps that follow it, in its last `restart`. */
export interface Further {
  /**
   * URL of the steps that follow the last step of the script: a JSON array, by GET. The response comes when the
   * harness has further steps; an empty array ends the script. A client that ignores this option ends here.
   */
  readonly steps?: string;
  /**
   * URLs of further scripts, one for each: the client asks all of them at once, and runs what it gets at the same time
   * as this script, each with connections and data of its own. A client that ignores this option runs one script.
   */
  readonly beside?: readonly string[];
  /** Value of `MCP_CONFORM_BROWSER` for the steps that follow; default: that of the process. */
  readonly browser?: string;
}

/** The next server for the client, in place of the one given at the start. */
interface RestartOptions extends Further {
  /** The URL of the test server; over stdio its command instead. */
  readonly url?: string;
  readonly command?: readonly string[];
  /** Value of `MCP_CONFORMANCE_CONTEXT`; default: no context. */
  readonly context?: JsonObject;
}

/** One step: a verb and its arguments. */
export type Step =
  /** Opens a conversation: `initialize`, `notifications/initialized`. A second `connect` opens another one. */
  | readonly ['connect', ConnectOptions?]
  /** Lists all items, with all pages; `tasks`: those that the server runs for this client. */
  | readonly ['list', Listable, StepOptions?]
  /** Calls a tool. @param 1 name of the tool @param 2 arguments, default none */
  | readonly ['call', string, JsonObject?, StepOptions?]
  /** Reads a resource. @param 1 URI of the resource */
  | readonly ['read', string, StepOptions?]
  /** Gets a prompt. @param 1 name of the prompt @param 2 arguments, default none */
  | readonly ['get', string, Readonly<Record<string, string>>?, StepOptions?]
  /**
   * Requests completions. @param 1 the reference: `ref/prompt` with a name or `ref/resource` with a URI
   * template
   * @param 2 the argument with the text typed so far @param 3 arguments with known values
   */
  | readonly [
      'complete',
      JsonObject,
      { readonly name: string; readonly value: string },
      Readonly<Record<string, string>>?,
    ]
  /**
   * Subscribes to changes of a resource, or unsubscribes. @param 1 URI of the resource @param 2 false
   * unsubscribes
   */
  | readonly ['subscribe', string, boolean?]
  /** Cancels the last request with `wait: false`. @param 1 a reason for people */
  | readonly ['cancel', string?]
  /**
   * Sets the response of the client to later requests of the server: the decision of the user, and the
   * content. @param 1 the method of the server's request
   * @param 2 `accept`; for elicitation `decline`, `cancel`; `refuse`: the user rejects a sampling request, or
   *   the roots cannot be listed
   * @param 3 for an accepted elicitation: the input of the user, default a valid one; for
   *   `sampling/createMessage`: `{ models }`, the names of the available models; for `roots/list`: the roots
   *   from now on, which is a change after `connect`
   */
  | readonly ['answer', string, Manner, Json?]
  /** Waits for pending responses, then closes the conversation as the transport prescribes. */
  | readonly ['close']
  /**
   * Continues as if the program had exited and been started again, with another test server: no connection is
   * open, and all received or learned data is forgotten.
   */
  | readonly ['restart', RestartOptions];

export type Script = readonly Step[];
type Verb = Step[0];

const isText = (value: Json | undefined): boolean => typeof value === 'string';
const isPlain = (value: Json | undefined): boolean => value === undefined || isObject(value);

/** Errors in the arguments of a verb; undefined for valid arguments. */
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
      : 'takes a reference, an argument, and known arguments',
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

/** A script is no array of steps, or has a step that the client does not know. */
export class InvalidScript extends Error {}

/**
 * Parses a script.
 * @throws {InvalidScript} with the invalid step and the reason
 */
export function parseScript(json: Json): Script {
  if (!Array.isArray(json)) throw new InvalidScript('A script is an array of steps.');
  for (const [at, step] of json.entries()) {
    const [verb, ...args] = Array.isArray(step) ? step : [];
    if (typeof verb !== 'string' || !Object.hasOwn(checks, verb))
      throw new InvalidScript(`Step ${at + 1} has an unknown verb: ${JSON.stringify(step)}.`);
    const wrong = checks[verb as Verb](args);
    if (wrong) throw new InvalidScript(`Step ${at + 1}: "${verb}" ${wrong}, not ${JSON.stringify(args)}.`);
  }
  return json as unknown as Script;
}

/** A script that no client supports, to find out whether a client reports unsupported scripts. */
export const nonsense: Json = [['x-mcp-conform-nonsense', 'there is no such verb']];

/** Exit code of a client that does not support the script. */
export const declined = 127;
