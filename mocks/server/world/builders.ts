/** Short constructors for the fixtures. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import type { Tool } from '../interfaces.js';

export const text = (value: string): JsonObject => ({ type: 'text', text: value });

/** A tool result with one text. */
export const says = (value: string): JsonObject => ({ content: [text(value)] });

/** An object schema with these properties. */
export const object = (properties: Record<string, JsonObject> = {}, required: string[] = []): JsonObject => ({
  type: 'object',
  ...(Object.keys(properties).length > 0 && { properties }),
  ...(required.length > 0 && { required }),
});

export const string = (description: string): JsonObject => ({ type: 'string', description });

type More = Partial<Pick<Tool, 'needs'>> & { input?: JsonObject; members?: JsonObject };

/** A tool without side effects. */
export const readOnly = (name: string, description: string, run: Tool['run'], more: More = {}): Tool => ({
  definition: {
    name,
    description,
    inputSchema: more.input ?? object(),
    annotations: { readOnlyHint: true },
    ...more.members,
  },
  ...(more.needs && { needs: more.needs }),
  run,
});

/** A tool with effects on later calls. */
export const changing = (name: string, description: string, run: Tool['run'], more: More = {}): Tool =>
  readOnly(name, description, run, {
    ...more,
    members: { annotations: { readOnlyHint: false, destructiveHint: false }, ...more.members },
  });
