/** Messages of a revision, and values of any of its definitions. */

import type fc from 'fast-check';
import type { Json, JsonObject, MessageKind } from '../../spec/json-rpc.js';
import { definedRevisions, type Revision, type RevisionId } from '../../spec/revisions.js';
import { type Vocabulary, vocabularyOf } from '../../spec/vocabulary.js';
import { Builder, type Limits, usualLimits } from './builder.js';
import { Document } from './document.js';
import type { Schema } from './keywords.js';

export interface MessageOptions {
  /**
   * An additional schema for the values: `{ properties: { id: { const: 1 } } }`. Its `$ref`s refer to the
   * revision.
   */
  readonly and?: Schema;
  /** Size and depth of generated values. */
  readonly limits?: Partial<Limits>;
}

/** The definitions behind a name in a revision; a value must fit all of them. */
interface Target {
  readonly vocabulary: Vocabulary;
  readonly definitions: readonly string[];
  readonly document: Document;
  readonly parts: readonly JsonObject[];
}

/**
 * Valid values of a definition (`CallToolRequest`, `RequestId`, …), or whole messages of a method
 * (`tools/call`, `notifications/progress`), which fit the definition and its JSON-RPC envelope.
 * @param revision - also a revision whose behaviour is not judged yet
 * @throws Error for a name that the revision does not have; CannotGenerate when `and` allows no value
 */
export function message(
  revision: Revision | RevisionId,
  name: string,
  options: MessageOptions = {},
): fc.Arbitrary<Json> {
  return from(targetOf(revision, name), options, usualLimits);
}

/** The same for a target, with default limits. */
export function from(target: Target, { and, limits }: MessageOptions, otherwise: Limits): fc.Arbitrary<Json> {
  if (and === undefined && limits === undefined)
    return shared(target.document, otherwise).build(target.parts);
  const document =
    and === undefined
      ? target.document
      : new Document({ ...target.vocabulary.schema, $defs: { and } } as JsonObject, 'draft-07');
  const root = document.root as JsonObject;
  const parts = target.definitions.map(definition => (root.definitions as JsonObject)[definition] as Schema);
  const more = and === undefined ? [] : [(root.$defs as JsonObject).and as Schema];
  return new Builder(document, { ...otherwise, ...limits }).build([...parts, ...more]);
}

const documents = new Map<RevisionId, Document>();
const builders = new WeakMap<Document, Map<Limits, Builder>>();

/** One builder per revision and size: its parts are built once, at their first use. */
function shared(document: Document, limits: Limits): Builder {
  const known = builders.get(document) ?? new Map<Limits, Builder>();
  const builder = known.get(limits) ?? new Builder(document, limits);
  builders.set(document, known.set(limits, builder));
  return builder;
}

/** @throws Error for a name that the revision does not have */
export function targetOf(revision: Revision | RevisionId, name: string): Target {
  const vocabulary = vocabularyOf(revisionOf(revision));
  const { id } = vocabulary.revision;
  let document = documents.get(id);
  if (!document) {
    document = new Document(vocabulary.schema as unknown as JsonObject, 'draft-07', true);
    documents.set(id, document);
  }
  const definitions = definitionsFor(vocabulary, name);
  const all = (document.root as JsonObject).definitions as Record<string, JsonObject>;
  return { vocabulary, definitions, document, parts: definitions.map(definition => all[definition]!) };
}

function revisionOf(revision: Revision | RevisionId): Revision {
  if (typeof revision === 'object') return revision;
  const found = definedRevisions.find(({ id }) => id === revision);
  if (!found) throw new Error(`There is no revision "${revision}" with definitions.`);
  return found;
}

function definitionsFor(vocabulary: Vocabulary, name: string): string[] {
  if (vocabulary.definitions.has(name)) return [name];
  const { requests, notifications } = vocabulary;
  const by = (['client', 'server'] as const).find(
    side => requests[side].has(name) || notifications[side].has(name),
  );
  const definition = by && vocabulary.messageDefinition(by, name);
  if (by === undefined || definition === undefined)
    throw new Error(`Revision ${vocabulary.revision.id} has neither a definition nor a method "${name}".`);
  const kind: MessageKind = requests[by].has(name) ? 'request' : 'notification';
  return [vocabulary.envelopeDefinition(kind), definition];
}
