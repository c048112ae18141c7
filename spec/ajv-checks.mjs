/**
 * The checks of schemas and values by ajv, for a thread of the program and for the worker with a deadline
 * (`schema-worker.ts`): plain JavaScript, because a worker starts without a compiler.
 */

import { createRequire } from 'node:module';

const options = {
  strict: false,
  allErrors: false,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
  // `constructor` and `toString` are ordinary members
  ownProperties: true,
};

/** Loads ajv when the first schema needs it. */
const load = createRequire(import.meta.url);
const makers = {
  'draft-07': () => {
    const ajv = new (load('ajv').Ajv)({ ...options, meta: false });
    return ajv.addMetaSchema(relaxed(load('ajv/dist/refs/json-schema-draft-07.json')));
  },
  '2019-09': () => new (load('ajv/dist/2019.js').Ajv2019)(options),
  '2020-12': () => new (load('ajv/dist/2020.js').Ajv2020)(options),
};

/**
 * The metaschema of draft-07 without what its text does not require: the text says that an `enum` SHOULD have a value, and each
 * value once, and it sets no length of `items` (json-schema-org/json-schema-spec, issues 717 and 953).
 */
function relaxed(meta) {
  const { enum: _, items, ...properties } = meta.properties;
  const schemas = { type: 'array', items: { $ref: '#' } };
  return {
    ...meta,
    properties: {
      ...properties,
      enum: { type: 'array' },
      items: { ...items, anyOf: [{ $ref: '#' }, schemas] },
    },
  };
}

export const dialects = Object.keys(makers);

const made = new Map();

function ajvOf(dialect) {
  if (!made.has(dialect)) made.set(dialect, withLinearUniqueItems(makers[dialect]()));
  return made.get(dialect);
}

/** Equal for equal JSON, whatever the order of members. */
export const identityOf = json =>
  JSON.stringify(json, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

/** ajv compares each element with each other one, and throws for objects with a member `toString`. */
export function withLinearUniqueItems(ajv) {
  ajv.removeKeyword('uniqueItems');
  return ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (unique, items) => !unique || new Set(items.map(identityOf)).size === items.length,
  });
}

/** The first flaw of a schema in its dialect; undefined when it has none, or when this is uncertain. */
export function metaFlaw(dialect, { $schema, ...schema }) {
  const ajv = ajvOf(dialect);
  try {
    if (ajv.validateSchema(schema)) return undefined;
    const [error] = ajv.errors ?? [];
    return `${error?.instancePath || 'the schema'} ${error?.message}`;
  } catch {
    return undefined;
  }
}

/** The check of values; undefined for a schema that cannot be used. The check throws for endless recursion. */
export function compile(dialect, { $schema, ...schema }) {
  try {
    const validate = ajvOf(dialect).compile(schema);
    if ('$async' in validate) return undefined;
    return value => {
      if (validate(value)) return undefined;
      const [error] = validate.errors ?? [];
      return { path: error?.instancePath ?? '', message: error?.message ?? '' };
    };
  } catch {
    return undefined; // unresolvable references, invalid patterns
  }
}
