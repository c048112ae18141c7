/**
 * The fixtures of one process of the mock: tools, resources and prompts under the names of the fixture
 * contract.
 */

import { type JsonObject, without } from '../../spec/json-rpc.js';
import { skillsExtension } from './extensions/skills.js';
import { tasksExtension } from './extensions/tasks.js';
import type { Feature, Features } from './features.js';
import { page } from './handlers/pagination.js';
import type { Call, Item, World } from './interfaces.js';
import { contentTools } from './world/content-tools.js';
import { extensionTaskTools } from './world/extension-task-tools.js';
import { inputTools } from './world/input-tools.js';
import { interactiveTools } from './world/interactive-tools.js';
import { prompts } from './world/prompts.js';
import { resources, templates } from './world/resources.js';
import { stateTools } from './world/state-tools.js';
import { taskTools } from './world/task-tools.js';

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
      extensions: { [tasksExtension]: {}, [skillsExtension]: { directoryRead: true } },
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
  world.tools = [
    ...contentTools(),
    ...interactiveTools(),
    ...stateTools(world, watched),
    ...taskTools(),
    ...extensionTaskTools(),
    ...inputTools(world),
  ];
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

/** The members that a revision does not have. A list is made for each request. */
const missing = new WeakMap<Features, readonly string[]>();

function missingMembers(features: Features): readonly string[] {
  const known = missing.get(features);
  if (known) return known;
  const members = membersOf.filter(([feature]) => !features[feature]).map(([, member]) => member);
  missing.set(features, members);
  return members;
}

/** Whether an item exists in a revision. */
const isIn = ({ needs = [] }: Item, features: Features): boolean =>
  typeof needs === 'string'
    ? features[needs]
    : needs.length === 0 || needs.some(feature => features[feature]);

const definitionIn = ({ definition }: Item, features: Features): JsonObject => {
  const missing = missingMembers(features);
  return missing.length === 0 ? { ...definition } : without(definition, ...missing);
};

/** The definition of an item in a revision, for the caller to change; undefined where the item does not exist. */
export const inRevision = (item: Item, features: Features): JsonObject | undefined =>
  isIn(item, features) ? definitionIn(item, features) : undefined;

/**
 * One page of a list in a revision.
 * @param list the name of the list, and the member of the result that holds it
 * @throws {Refusal} for a cursor of another list, or an unknown one
 */
export function listed(
  list: string,
  items: readonly Item[],
  { cursor }: JsonObject,
  { session, scope }: Call,
): JsonObject {
  const { features } = scope;
  const known = items.filter(item => isIn(item, features));
  return page(list, known, cursor, session.world, item => definitionIn(item, features));
}
