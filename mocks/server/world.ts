/** What one process of the mock has: tools, resources and prompts under the names of the fixture contract. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { Call } from './call.js';
import type { Feature, Features } from './features.js';
import { contentTools } from './world/content-tools.js';
import { interactiveTools } from './world/interactive-tools.js';
import { prompts } from './world/prompts.js';
import { resources, templates } from './world/resources.js';
import { stateTools } from './world/state-tools.js';
import { taskTools } from './world/task-tools.js';

interface Item {
  /** As it is listed in the newest revision; older ones get fewer members. */
  readonly definition: JsonObject;
  /** What a revision must have for this to exist there. */
  readonly needs?: Feature;
}

export interface Tool extends Item {
  /** The arguments fit the input schema. Whatever it throws becomes a result with `isError`. */
  readonly run: (args: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;
}

type Completes = Readonly<Record<string, readonly string[]>>;

export interface Prompt extends Item {
  readonly get: (args: Readonly<Record<string, string>>) => JsonObject[];
  readonly completes?: Completes;
}

export interface Resource extends Item {
  /** Members of its contents beside the URI. */
  readonly read: () => JsonObject;
}

export interface Template extends Item {
  /** Its groups are the variables. */
  readonly matches: RegExp;
  readonly read: (variables: readonly string[]) => JsonObject;
  readonly completes?: Completes;
}

/** A list has got another item or lost one, or a resource has other contents. */
export type Change = { readonly list: 'tools' | 'resources' | 'prompts' } | { readonly uri: string };

/** Mutable on purpose: a tool changes it, and so does a deviation. */
export interface World {
  /** As declared; a feature that is missing here is not served. */
  capabilities: JsonObject;
  title: string;
  instructions: string;
  /** Items per page of a list. */
  pageSize: number;
  /** Lists end with a page that has nothing on it. */
  emptyLastPage: boolean;
  tools: Tool[];
  prompts: Prompt[];
  resources: Resource[];
  templates: Template[];
  /** Who wants to hear of changes. */
  readonly listeners: Set<(change: Change) => void>;
  announce(change: Change): void;
}

/** A world of its own for each process. */
export function makeWorld(): World {
  const world: World = {
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    },
    title: 'The mock of mcp-conform',
    instructions: 'Everything here is made up.',
    pageSize: 5,
    emptyLastPage: false,
    tools: [],
    prompts: prompts(),
    resources: [],
    templates: templates(),
    listeners: new Set(),
    announce: change => {
      for (const listener of world.listeners) listener(change);
    },
  };
  const watched = resources();
  world.resources = watched.all;
  world.tools = [...contentTools(), ...interactiveTools(), ...stateTools(world, watched), ...taskTools()];
  return world;
}

/** Members that came with a feature. */
const membersOf: readonly (readonly [Feature, string])[] = [
  ['titles', 'title'],
  ['annotations', 'annotations'],
  ['structured', 'outputSchema'],
  ['icons', 'icons'],
  ['tasks', 'execution'],
];

/** The definition of an item as a revision has it; undefined where it does not exist. */
export function inRevision(item: Item, features: Features): JsonObject | undefined {
  if (item.needs && !features[item.needs]) return undefined;
  const missing = membersOf.filter(([feature]) => !features[feature]).map(([, member]) => member);
  return Object.fromEntries(Object.entries(item.definition).filter(([name]) => !missing.includes(name)));
}

/** A list as a revision has it. */
export const listed = (items: readonly Item[], features: Features): JsonObject[] =>
  items.map(item => inRevision(item, features)).filter(definition => definition !== undefined);
