/**
 * The features of a revision, read from its definitions and from the catalogue, so that the code needs no
 * dates.
 */

import { extensions, findExtension } from '../../spec/extensions/index.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import { clauseIn, type RequirementId, requirement } from '../../spec/requirement.js';
import type { Revision } from '../../spec/revisions.js';
import { vocabularyOf } from '../../spec/vocabulary.js';

const make = (revision: Revision) => {
  const vocabulary = vocabularyOf(revision);
  const has = (definition: string) => vocabulary.definitions.has(definition);
  const holds = (id: RequirementId) => clauseIn(requirement(id), revision.id) !== undefined;
  return {
    /** Always true: for features that every revision has. */
    any: true,
    annotations: has('ToolAnnotations'),
    audio: has('AudioContent'),
    links: has('ResourceLink'),
    titles: has('BaseMetadata'),
    icons: has('Icon'),
    /** Schemas are JSON Schema 2020-12 unless they name another dialect. */
    dialects: holds('json-schema.default-2020-12'),
    structured: holds('tools.output-schema-conformance'),
    elicitation: has('ElicitRequest'),
    /** Defaults and lists of choices in forms. */
    richForms: has('MultiSelectEnumSchema'),
    urlElicitation: has('ElicitRequestURLParams'),
    /** An elicitation by URL has an id, and a notification of its completion. */
    elicitationIds: has('ElicitationCompleteNotification'),
    /** Input of the client is part of results, and a missing capability has an error of its own. */
    inputRounds: has('InputRequiredResult'),
    /** HTTP headers repeat members of the body. */
    mirroredHeaders: holds('http-headers.param-validated'),
    samplingTools: has('ToolUseContent'),
    tasks: has('CreateTaskResult'),
    /** Calls become tasks by the choice of the server. */
    tasksExtension: findExtension('io.modelcontextprotocol/tasks', revision.id) !== undefined,
    /** Invalid arguments are an error of the model and are reported in a result, not as a protocol error. */
    argumentErrorsAsResult: holds('tools.input-validation-execution-error'),
    /** A client may disconnect from a stream and resume it. */
    polling: holds('streamable-http.sse-prime-event'),
    /** Progress may have a message. */
    progressMessages: holds('progress.message-readable'),
    /** -32002 where the revision defines it, otherwise invalid params. */
    notFoundCode: holds('resources.not-found-code-32002') ? -32002 : -32602,
  };
};

export type Features = ReturnType<typeof make>;
/** A feature that an item of the fixtures may need. */
export type Feature = { [K in keyof Features]: Features[K] extends boolean ? K : never }[keyof Features];

const made = new Map<string, Features>();

export function featuresOf(revision: Revision): Features {
  let features = made.get(revision.id);
  if (!features) {
    features = make(revision);
    made.set(revision.id, features);
  }
  return features;
}

/** The declared extensions without those of the catalogue that are not used with the revision. */
export function extensionsOf(
  { capabilities }: { readonly capabilities: JsonObject },
  revision: Revision,
): JsonObject {
  const isUsed = (identifier: string) =>
    findExtension(identifier, revision.id) !== undefined ||
    !extensions.some(e => e.identifier === identifier);
  const { extensions: declared } = capabilities;
  const used = Object.entries(isObject(declared) ? declared : {}).filter(([identifier]) =>
    isUsed(identifier),
  );
  return used.length > 0 ? { extensions: Object.fromEntries(used) } : {};
}
