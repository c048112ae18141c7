/** Messages about the tasks extension, for examples of rules. */

import { envelopeKeys } from '../../harness/record/envelope.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import { tasksExtension } from './derived/ext-tasks.js';
import type { Line } from './record.test.util.js';
import { complete, enveloped } from './stateless.test.util.js';

export const taskId = 'a1b2c3d4-e5f6';
const at = '2026-08-01T10:00:00Z';

export const task = (status: string, more: JsonObject = {}): JsonObject => ({
  taskId,
  status,
  createdAt: at,
  lastUpdatedAt: at,
  ttlMs: 60_000,
  ...more,
});

/** A request that declares the extension. */
export const declaring = (id: Json, method: string, params: JsonObject): Json =>
  enveloped(id, method, params, {
    [envelopeKeys.clientCapabilities]: { roots: {}, extensions: { [tasksExtension]: {} } },
  });
export const requestLine = (id: Json, method: string, params: JsonObject): Line => [
  'c',
  declaring(id, method, params),
];
export const resultLine = (id: Json, result: JsonObject): Line => ['s', complete(id, result)];
