/**
 * The reference client without a handshake: it asks for the versions of the server, writes its metadata into
 * each request, answers input-required results, and lists tools again when their headers do not fit.
 */

import { envelopeKeys, errorCodes } from '../../harness/record/envelope.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { findDefinedRevision, type Revision } from '../../spec/revisions.js';
import type { AskOptions } from './ask.js';
import { followTask, isFollowed } from './extension-tasks.js';
import { Failure } from './failure.js';
import type { OpenSession } from './interfaces.js';

/** The parts of a session that work without a handshake. */
export interface StatelessSession extends OpenSession {
  revision: Revision;
  server: JsonObject;
  /** Timeout in milliseconds of server/discover while the era is unknown. */
  readonly probeMs: number;
  askOnce(method: string, params: JsonObject | undefined, options: AskOptions): Promise<JsonObject>;
  /** Keeps the definition of a listed tool. */
  note(tool: JsonObject): void;
  /** The answer to a question of the server. @throws {Error} when the client does not answer */
  answerTo(asked: JsonObject): Promise<JsonObject>;
  /** The subscriptions to tasks of the tasks extension. */
  readonly subscriptions: Parameters<typeof followTask>[0]['subscriptions'];
}

/** The metadata of each request (basic/index#meta). */
export const envelopeOf = ({ revision, declared, parts: { habits } }: OpenSession): JsonObject => ({
  [envelopeKeys.protocolVersion]: revision.id,
  [envelopeKeys.clientInfo]: habits.info,
  [envelopeKeys.clientCapabilities]: declared,
});

const isModern = (id: Json): boolean => findDefinedRevision(id)?.era === 'modern';

const texts = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];

/** Errors that only a server without a handshake sends. */
const isRecognized = ({ error }: Failure): boolean =>
  (Object.values(errorCodes) as unknown[]).includes(error?.code);

/**
 * Opens the conversation with server/discover.
 * @returns false when the server is of the older era
 * @throws {Failure} when client and server have no version in common
 */
export async function discover(session: StatelessSession): Promise<boolean> {
  const { habits } = session.parts;
  const own = habits.versions.filter(isModern);
  const triesLegacy = habits.versions.length > own.length;
  const settleOn = (offered: readonly string[]): boolean => {
    const common = own.filter(id => offered.includes(id)).at(-1);
    const older = triesLegacy && habits.versions.some(id => !isModern(id) && offered.includes(id));
    if (common === undefined && older) return false;
    if (common === undefined) throw new Failure(`The server supports ${offered.join(', ') || 'no version'}.`);
    session.revision = findDefinedRevision(common)!;
    return true;
  };
  try {
    const result = await session.askOnce('server/discover', undefined, { timeoutMs: session.probeMs });
    session.server = isObject(result.capabilities) ? result.capabilities : {};
    return settleOn(texts(result.supportedVersions));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const recognized = isRecognized(error);
    if (triesLegacy && habits.isLegacy(error, recognized)) return false;
    if (error.error?.code === errorCodes.unsupportedVersion) {
      for (let more = habits.stubborn; more > 0; more--)
        await session.askOnce('server/discover', undefined, {}).catch(() => {});
      const { data } = error.error;
      return settleOn(texts(isObject(data) ? data.supported : undefined)) && discover(session);
    }
    throw error;
  }
}

/** The result with the members that an older server omits (basic/index#resulttype, server/utilities/caching). */
export function withDefaults(result: JsonObject): JsonObject {
  const { ttlMs } = result;
  const isFresh = typeof ttlMs === 'number' && ttlMs >= 0;
  return { resultType: 'complete', cacheScope: 'private', ...result, ttlMs: isFresh ? ttlMs : 0 };
}

/**
 * Sends a request, and once more after the tools have been listed again when the server finds that a header
 * differs (basic/transports/streamable-http#client-behavior).
 */
async function askWithHeaders(
  session: StatelessSession,
  method: string,
  params: JsonObject | undefined,
  options: AskOptions,
): Promise<JsonObject> {
  try {
    return await session.askOnce(method, params, options);
  } catch (error) {
    const isMismatch = error instanceof Failure && error.error?.code === errorCodes.headerMismatch;
    if (!isMismatch || method !== 'tools/call' || !session.parts.habits.refreshesTools) throw error;
    const { tools } = await session.askOnce('tools/list', undefined, options);
    for (const tool of Array.isArray(tools) ? tools.filter(isObject) : []) session.note(tool);
    return session.askOnce(method, params, options);
  }
}

/** Retries of one request: a server that needs more input does not finish. */
const mostRounds = 20;

/**
 * Answers the questions in results until the request is complete (basic/patterns/mrtr).
 * @throws {Failure} when a question is not answered, or for an unknown type of result
 */
export async function fulfil(
  session: StatelessSession,
  method: string,
  params: JsonObject | undefined,
  options: AskOptions,
): Promise<JsonObject> {
  let result = await askWithHeaders(session, method, params, options);
  for (let round = 0; result.resultType === 'input_required' && round < mostRounds; round++) {
    const more = await session.parts.habits.retries(result, asked => session.answerTo(asked));
    result = await session.askOnce(method, { ...params, ...more }, options);
  }
  if (isFollowed(session, method, result)) return followTask(session, result, options);
  if (result.resultType !== 'complete')
    throw new Failure(`The result has the type ${JSON.stringify(result.resultType)}.`);
  return result;
}

/** The definition of each kind of question in a result. */
const questionDefinitions: Readonly<Record<string, string>> = {
  'elicitation/create': 'ElicitRequest',
  'sampling/createMessage': 'CreateMessageRequest',
  'roots/list': 'ListRootsRequest',
};

/** The failure of a request that gets this error. */
export const refusalIn = ({ error }: JsonObject): Failure =>
  new Failure(`The server returned an error: ${JSON.stringify(error)}`, isObject(error) ? error : undefined);

/** The definition of a question in a result. */
export const questionDefinition = ({ method }: JsonObject): string =>
  questionDefinitions[String(method)] ?? 'InputRequest';
