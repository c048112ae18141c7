/**
 * `mcp-conform/generate`: fast-check arbitraries for the Model Context Protocol, for tests of servers,
 * clients and SDKs.
 * ```ts
 * import fc from 'fast-check';
 * import { definedRevisions, invalidMessage, message } from 'mcp-conform/generate';
 * for (const revision of definedRevisions) {
 *   fc.assert(fc.property(message(revision, 'tools/call'), request => accepts(request)));
 *   fc.assert(fc.property(invalidMessage(revision, 'tools/call'), ({ value, label }) => refuses(value, label)));
 * }
 * ```
 * A revision may also be given by its date. The docstring of every function names its exceptions; values
 * shrink.
 */

export { definedRevisions } from '../../spec/revisions.js';
export type { Limits } from './builder.js';
export {
  chunked,
  chunkings,
  headerSpellings,
  respellings,
  type Spelling,
  type SpellingOptions,
  spelled,
  spellings,
} from './bytes.js';
export { CannotGenerate, type Reason } from './cannot-generate.js';
export { type Command, type CommandOptions, commandsOf } from './commands.js';
export type { Dialect } from './document.js';
export { type Invalid, type InvalidOptions, invalidMessage, invalidOf } from './invalid.js';
export type { Schema } from './keywords.js';
export { type MessageOptions, message } from './message.js';
export type { Label } from './mutation-points.js';
export type { Ask, CommandSetting, Known } from './requests.js';
export { arbitraryOf, type Generated, type SchemaOptions } from './schema.js';
export { type SseDialect, type SseEvent, sseDialects, sseText, sseTexts } from './sse.js';
