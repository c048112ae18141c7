/**
 * The front of the mock for revisions without a handshake: the envelope of each request states its revision and
 * the capabilities of the client.
 */

import { entry } from '../../harness/grouped.js';
import { declares, extensionsIn } from '../../harness/record/conversation.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import { toolVersion } from '../../harness/version.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { vocabularyWith } from '../../spec/vocabulary.js';
import { skillExtensionHandlers } from './extensions/skills.js';
import { taskExtensionHandlers } from './extensions/tasks.js';
import { extensionsOf, featuresOf } from './features.js';
import { handlers } from './handlers/index.js';
import { InputRequired, InputRounds } from './input-rounds.js';
import type { Call, Change, OpenSession } from './interfaces.js';
import { codes, Refusal } from './refusal.js';
import type { Scope } from './scope.js';
import { Subscriptions } from './subscriptions.js';

/** Methods whose complete results contain hints for caches. */
const cacheable = [
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'skills/list',
  'skills/get',
];

/** Methods whose handlers may need input from the client. */
const interactive = ['tools/call', 'prompts/get', 'resources/read'];

/** The requests of all extensions. */
const extensionHandlers = { ...taskExtensionHandlers, ...skillExtensionHandlers };

const metaIn = (params: Json | undefined): JsonObject =>
  isObject(params) && isObject(params._meta) ? params._meta : {};

/** Whether a request has an envelope, complete or not. */
export const hasEnvelope = (message: Json | undefined): boolean =>
  isObject(message) &&
  [envelopeKeys.protocolVersion, envelopeKeys.clientCapabilities].some(
    key => metaIn(message.params)[key] !== undefined,
  );

/** Whether the envelope of a request has all required members. */
export const isComplete = (message: Json): boolean =>
  isObject(message) &&
  typeof metaIn(message.params)[envelopeKeys.protocolVersion] === 'string' &&
  isObject(metaIn(message.params)[envelopeKeys.clientCapabilities]);

/** What a server with these capabilities declares. */
interface Declared {
  readonly capabilities: JsonObject;
  readonly byRevision: Map<Revision, Pick<Scope, 'capabilities' | 'vocabulary'>>;
}

export class Stateless {
  readonly subscriptions: Subscriptions;
  private declared: Declared = { capabilities: {}, byRevision: new Map() };

  constructor(private readonly session: OpenSession) {
    this.subscriptions = new Subscriptions(session);
  }

  private get offered(): readonly Revision[] {
    return this.session.options.stateless;
  }

  /** What holds for a request; undefined for a request of a server that also offers a handshake. */
  scopeOf(ask: JsonObject): Scope | undefined {
    if (this.session.options.revisions.length > 0 && !hasEnvelope(ask)) return undefined;
    const meta = metaIn(ask.params);
    const { session } = this;
    const revision =
      this.offered.find(r => r.id === meta[envelopeKeys.protocolVersion]) ?? this.offered.at(-1)!;
    const clientCapabilities = meta[envelopeKeys.clientCapabilities];
    const logLevel = meta[envelopeKeys.logLevel];
    const scope: Scope & { rounds?: Scope['rounds'] } = {
      ...this.declaredIn(revision),
      revision,
      features: featuresOf(revision),
      clientCapabilities: isObject(clientCapabilities) ? clientCapabilities : {},
      logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    };
    // middleware reads the declarations of the last request from the session
    session.clientCapabilities = scope.clientCapabilities;
    return scope;
  }

  /** What the server declares under a revision; each request asks for it. */
  private declaredIn(revision: Revision): Pick<Scope, 'capabilities' | 'vocabulary'> {
    const { world } = this.session;
    if (this.declared.capabilities !== world.capabilities)
      this.declared = { capabilities: world.capabilities, byRevision: new Map() };
    return entry(this.declared.byRevision, revision, () => {
      const served = Object.entries(world.capabilities).filter(
        ([name]) => name !== 'tasks' || featuresOf(revision).tasks,
      );
      const capabilities = { ...Object.fromEntries(served), ...extensionsOf(world, revision) };
      return { capabilities, vocabulary: vocabularyWith(revision, extensionsIn(capabilities)) };
    });
  }

  /** @throws {Refusal} for an envelope or a request that is not served */
  handle(ask: JsonObject, call: Call): JsonObject | Promise<JsonObject> {
    const { method, scope } = call;
    this.requireEnvelope(method, call.params);
    const definition = scope.vocabulary.messageDefinition('client', method);
    const handler = extensionHandlers[method] ?? handlers[method];
    const isOffered = !handler?.needs || declares(scope.capabilities, handler.needs);
    if (!definition || !handler || !isOffered)
      throw new Refusal(codes.methodNotFound, `There is no method "${method}".`);
    const problem = scope.vocabulary.misfit(definition, ask);
    if (problem && !handler.ignores?.test(problem.path))
      throw new Refusal(codes.invalidParams, `${problem.path} ${problem.message}`.trim());
    if (interactive.includes(method))
      (scope as { rounds?: Scope['rounds'] }).rounds = new InputRounds(method, call.params, scope.vocabulary);
    try {
      const result = handler.run(call.params, call);
      return result instanceof Promise
        ? result.then(
            value => this.completed(method, value),
            error => this.interrupted(error),
          )
        : this.completed(method, result);
    } catch (error) {
      return this.interrupted(error);
    }
  }

  /** @throws {Refusal} for missing metadata, and for a revision that is not offered */
  private requireEnvelope(method: string, params: JsonObject): void {
    const meta = metaIn(params);
    const version = method === 'initialize' ? params.protocolVersion : meta[envelopeKeys.protocolVersion];
    if (typeof version === 'string' && !this.offered.some(r => r.id === version))
      throw new Refusal(codes.unsupportedVersion, 'The protocol version is not supported.', {
        supported: this.offered.map(r => r.id),
        requested: version,
      });
    for (const key of [envelopeKeys.protocolVersion, envelopeKeys.clientCapabilities])
      if (meta[key] === undefined) throw new Refusal(codes.invalidParams, `The metadata has no ${key}.`);
  }

  private interrupted(error: unknown): JsonObject {
    if (!(error instanceof InputRequired)) throw error;
    const { inputRequests } = error.result;
    const asked = isObject(inputRequests) ? Object.entries(inputRequests) : [];
    // middleware sees a question like a request of the server
    const seen = asked.flatMap(([key, question]) =>
      this.session.deviations
        .message({ jsonrpc: '2.0', id: key, ...(question as JsonObject) })
        .filter(isObject)
        .filter(({ id }) => id === key)
        .slice(0, 1)
        .map(({ jsonrpc: _, id: __, ...rest }) => [key, rest] as const),
    );
    return { ...error.result, inputRequests: Object.fromEntries(seen), _meta: this.meta };
  }

  private completed(method: string, result: JsonObject): JsonObject {
    const hints = cacheable.includes(method) ? { ttlMs: 0, cacheScope: 'private' } : {};
    const own = isObject(result._meta) ? result._meta : {};
    return { resultType: 'complete', ...hints, ...result, _meta: { ...this.meta, ...own } };
  }

  /** A response with the members that each result has, for middleware that makes results of its own. */
  whole(method: string, reply: Json): Json {
    if (!isObject(reply) || !isObject(reply.result) || 'method' in reply) return reply;
    const { _meta: meta } = reply.result;
    const isOwn = isObject(meta) && meta[envelopeKeys.serverInfo] !== undefined;
    return isOwn ? reply : { ...reply, result: this.completed(method, reply.result) };
  }

  private get meta(): JsonObject {
    return {
      [envelopeKeys.serverInfo]: {
        name: 'mcp-conform-mock',
        title: this.session.world.title,
        version: toolVersion,
      },
    };
  }

  announce(change: Change): void {
    this.subscriptions.announce(change);
  }
}
