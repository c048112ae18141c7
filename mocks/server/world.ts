/**
 * The fixtures of one process of the mock: tools, resources and prompts under the names of the fixture
 * contract.
 */

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
  /** The definition in the newest revision; older revisions get fewer members. */
  readonly definition: JsonObject;
  /** The feature that a revision needs for this item to exist. */
  readonly needs?: Feature;
}

export interface Tool extends Item {
  /** The arguments match the input schema. An exception becomes a result with `isError`. */
  readonly run: (args: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;
}

type Completes = Readonly<Record<string, readonly string[]>>;

export interface Prompt extends Item {
  readonly get: (args: Readonly<Record<string, string>>) => JsonObject[];
  readonly completes?: Completes;
}

export interface Resource extends Item {
  /** Members of the contents besides the URI. */
  readonly read: () => JsonObject;
}

export interface Template extends Item {
  /** The groups of the expression are the variables. */
  readonly matches: RegExp;
  readonly read: (variables: readonly string[]) => JsonObject;
  readonly completes?: Completes;
}

/** A list has gained or lost an item, or the contents of a resource have changed. */
export type Change = { readonly list: 'tools' | 'resources' | 'prompts' } | { readonly uri: string };

/** Mutable on purpose: tools and deviations change the fixtures. */
export interface World {
  /** The declared capabilities; a feature that is missing here is not served. */
  capabilities: JsonObject;
  title: string;
  instructions: string;
  /** Items per page of a list. */
  pageSize: number;
  /** Lists end with an empty page. */
  emptyLastPage: boolean;
  tools: Tool[];
  prompts: Prompt[];
  resources: Resource[];
  templates: Template[];
  /** The listeners for changes. */
  readonly listeners: Set<(change: Change) => void>;
  announce(change: Change): void;
}

/** Creates separate fixtures for each process. */
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

/** Members that a feature introduced. */
const membersOf: readonly (readonly [Feature, string])[] = [
  ['titles', 'title'],
  ['annotations', 'annotations'],
  ['structured', 'outputSchema'],
  ['icons', 'icons'],
  ['tasks', 'execution'],
];

/** The definition of an item in a revision; undefined where the item does not exist. */
export function inRevision(item: Item, features: Features): JsonObject | undefined {
  if (item.needs && !features[item.needs]) return undefined;
  const missing = membersOf.filter(([feature]) => !features[feature]).map(([, member]) => member);
  return Object.fromEntries(Object.entries(item.definition).filter(([name]) => !missing.includes(name)));
}

/** A list in a revision. */
export const listed = (items: readonly Item[], features: Features): JsonObject[] =>
  items.map(item => inRevision(item, features)).filter(definition => definition !== undefined);
