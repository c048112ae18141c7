/**
 * The messages that the skills extension adds to revision 2026-07-28, under the type names of its text. Written for this
 * project; each docstring names the section of `skills.mdx`. Types of the revision itself are imported.
 */

import type {
  CacheableResult,
  Cursor,
  JSONRPCRequest,
  PaginatedRequestParams,
  PaginatedResult,
  RequestParams,
  Resource,
} from '../../../2026-07-28/schema.js';

/** A file of a skill (skills#skill-entries). */
export interface SkillResource {
  /** The URI with which the file is read. */
  uri: string;
  /** SHA-256 of the bytes: `sha256:` and 64 hexadecimal digits in lower case. */
  digest: string;
  /**
   * The number of bytes.
   * @minimum 0
   * @TJS-type integer
   */
  size: number;
}

/** What a server says about one skill (skills#skill-entries). */
export interface Skill {
  /** The URI of SKILL.md. */
  uri: string;
  /** The frontmatter of SKILL.md. */
  frontmatter: { name: string; description: string; [member: string]: unknown };
  /** The files, or that there are no stable digests. */
  resources: SkillResource[] | 'dynamic';
}

/** Asks for the skills (skills#listing-skills). */
export interface ListSkillsRequest extends JSONRPCRequest {
  method: 'skills/list';
  params: PaginatedRequestParams;
}

/** Skills of a server (skills#listing-skills). */
export interface ListSkillsResult extends PaginatedResult, CacheableResult {
  skills: Skill[];
}

/** Which skill (skills#getting-a-skill). */
export interface GetSkillRequestParams extends RequestParams {
  /** The URI of SKILL.md. */
  uri: string;
}

/** Asks for one skill (skills#getting-a-skill). */
export interface GetSkillRequest extends JSONRPCRequest {
  method: 'skills/get';
  params: GetSkillRequestParams;
}

/** One skill (skills#getting-a-skill). */
export interface GetSkillResult extends CacheableResult {
  skill: Skill;
}

/** Which directory (skills#reading-directories). */
export interface ReadResourceDirectoryRequestParams extends PaginatedRequestParams {
  uri: string;
  cursor?: Cursor;
}

/** Asks for what is in a directory (skills#reading-directories). */
export interface ReadResourceDirectoryRequest extends JSONRPCRequest {
  method: 'resources/directory/read';
  params: ReadResourceDirectoryRequestParams;
}

/** What is in a directory (skills#reading-directories). */
export interface ReadResourceDirectoryResult extends PaginatedResult {
  resources: Resource[];
}

/** Requests of a client. */
export type ClientRequest = ListSkillsRequest | GetSkillRequest | ReadResourceDirectoryRequest;
