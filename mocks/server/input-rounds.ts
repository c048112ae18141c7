/**
 * basic/patterns/mrtr: input from the client. A question ends the request with an input-required result; the
 * retry runs the handler again, with the earlier answers from the state that it brings back.
 */

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isObject, type Json, type JsonObject, parseJson } from '../../spec/json-rpc.js';
import type { Vocabulary } from '../../spec/vocabulary.js';
import { codes, Refusal, RequestFailure } from './refusal.js';

/** The result definitions of the questions. */
const answers: Readonly<Record<string, string>> = {
  'elicitation/create': 'ElicitResult',
  'sampling/createMessage': 'CreateMessageResult',
  'roots/list': 'ListRootsResult',
};

/** Thrown by a question that has no answer yet; the request gets the result. */
export class InputRequired extends RequestFailure {
  constructor(readonly result: JsonObject) {
    super(codes.internalError, 'Input of the client is required.');
  }
}

/** Shared by all processes of the mock, so that any of them serves a retry. */
const key = 'the key of the mock of mcp-conform';

/** Milliseconds for which a state is accepted. */
const lifetimeMs = 300_000;

export interface State {
  /** The answers so far, by the number of the question. */
  readonly answers: readonly (JsonObject | null)[];
  /** Keys of the questions that were asked last. */
  readonly asked: readonly string[];
  readonly request: string;
  readonly expires: number;
}

const mac = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');

export function seal(state: State): string {
  const text = Buffer.from(JSON.stringify(state)).toString('base64url');
  return `${text}.${mac(text)}`;
}

/** What a state contains, whoever has made it. */
export function stateIn(sealed: Json | undefined): State | undefined {
  const [text = ''] = typeof sealed === 'string' ? sealed.split('.') : [];
  const state = parseJson(Buffer.from(text, 'base64url').toString());
  return isObject(state) ? (state as unknown as State) : undefined;
}

/** Whether the mock has made a state. */
export function isSealed(sealed: Json | undefined): boolean {
  const [text = '', given = '', ...others] = typeof sealed === 'string' ? sealed.split('.') : [];
  const [one, other] = [Buffer.from(mac(text)), Buffer.from(given)];
  return others.length === 0 && one.length === other.length && timingSafeEqual(one, other);
}

/** Identifies a request, without its answers and its state. */
export const digestOf = (
  method: string,
  { _meta: _, inputResponses: __, requestState: ___, ...params }: JsonObject,
): string =>
  createHash('sha256')
    .update(JSON.stringify([method, params]))
    .digest('base64url');

export class InputRounds {
  private readonly given: JsonObject;
  private readonly earlier: readonly (JsonObject | null)[];
  private readonly asked: readonly string[];
  private readonly used: JsonObject[] = [];
  private pending: JsonObject = {};
  private count = 0;
  private digest: string | undefined;

  /** @throws {Refusal} for a state that the mock has not made for this request */
  constructor(
    private readonly method: string,
    private readonly params: JsonObject,
    private readonly vocabulary: Vocabulary,
  ) {
    const { inputResponses, requestState } = params;
    const state = requestState === undefined ? undefined : this.stateOf(requestState);
    this.given = isObject(inputResponses) ? inputResponses : {};
    this.earlier = state?.answers ?? [];
    this.asked = state?.asked ?? [];
  }

  /** @throws {Refusal} for a state that the mock has not made for this request */
  private stateOf(sealed: Json): State {
    const state = isSealed(sealed) ? stateIn(sealed) : undefined;
    if (state?.request === this.request && state.expires > Date.now()) return state;
    throw new Refusal(codes.invalidParams, 'The request state is not valid for this request.');
  }

  /** Identifies the request; most requests ask nothing. */
  private get request(): string {
    this.digest ??= digestOf(this.method, this.params);
    return this.digest;
  }

  /** The answer to a question; questions of the same turn are asked together. @param key that of the question */
  async ask(method: string, params: JsonObject | undefined, key?: string): Promise<JsonObject> {
    const at = this.count++;
    const name = key ?? `question-${at + 1}`;
    const known = this.earlier[at] ?? (this.asked.includes(name) ? this.given[name] : undefined);
    if (isObject(known)) {
      if (!this.vocabulary.fits(answers[method]!, known))
        throw new RequestFailure(codes.invalidParams, `The answer "${name}" is malformed.`);
      this.used[at] = known;
      return known;
    }
    this.pending[name] = { method, ...(params && { params }) };
    await Promise.resolve();
    const asked = Object.keys(this.pending);
    const state = { answers: this.used, asked, request: this.request, expires: Date.now() + lifetimeMs };
    throw new InputRequired({
      resultType: 'input_required',
      inputRequests: this.pending,
      requestState: seal(state),
    });
  }
}
