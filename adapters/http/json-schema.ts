// Converts joi schemas to JSON Schema 2020-12, the dialect of OpenAPI 3.1, with named schemas hoisted to components.
import Joi from 'joi';
import { uuidPattern } from './shape.ts';

export type JsonSchema = { readonly [key: string]: unknown };
type Mode = 'input' | 'output';

export interface SchemaRegistry {
  /**
   * The JSON Schema of a joi schema, with a reference wherever a named one stands. `input`: as a client may send it;
   * `output`: as we send it.
   * @throws {Error} where there is none, or none that JSON can say.
   */
  of(schema: Joi.Schema, mode: Mode): JsonSchema;
  /** Each with its name, by which they are sorted. */
  components(): Iterable<readonly [string, JsonSchema]>;
}

interface Named {
  readonly name: string;
  readonly schema: JsonSchema;
}

export function schemaRegistry(): SchemaRegistry {
  /** Canonical text of a schema → its component. */
  const byText = new Map<string, Named>();
  const taken = new Set<string>();

  const register = (schema: Joi.Schema, mode: Mode): void => {
    for (const inner of namedWithin(schema)) {
      const converted = withoutNull(convert(inner.schema, mode));
      const text = canonical(converted);
      if (byText.has(text)) continue;
      // joi keeps the name of a schema that was derived from a named one; only the first is the component, the others
      // stand in full.
      const name = mode === 'input' && taken.has(inner.name) ? `${inner.name}Input` : inner.name;
      if (taken.has(name)) continue;
      taken.add(name);
      byText.set(text, { name, schema: converted });
    }
  };

  const refer = (node: unknown, self?: string): unknown => {
    if (Array.isArray(node)) return node.map((item) => refer(item));
    if (typeof node !== 'object' || node === null) return node;
    const schema = node as JsonSchema;
    const plain = withoutNull(schema);
    const nullable = plain !== schema;
    const known = 'type' in schema ? byText.get(canonical(plain)) : undefined;
    if (known !== undefined && known.name !== self) {
      const reference = { $ref: `#/components/schemas/${known.name}` };
      const description =
        schema['description'] === known.schema['description'] ? {} : { description: schema['description'] };
      return nullable ? { anyOf: [reference, { type: 'null' }], ...description } : { ...reference, ...description };
    }
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [key, key === 'enum' || key === 'default' ? value : refer(value)]),
    );
  };

  return {
    of(schema, mode) {
      register(schema, mode);
      const shown = refer(convert(schema, mode)) as JsonSchema;
      // A value of a plugin's own may be one that JSON has no text for; that is known while it is known whose it is.
      JSON.stringify(shown);
      return shown;
    },
    *components() {
      const sorted = [...byText.values()].sort((a, b) => a.name.localeCompare(b.name));
      for (const { name, schema } of sorted) yield [name, refer(schema, name) as JsonSchema];
    },
  };
}

/** joi's own conversion, repaired where it says something else than joi checks. */
function convert(schema: Joi.Schema, mode: Mode): JsonSchema {
  return repair(schema['~standard'].jsonSchema[mode]({ target: 'draft-2020-12' })) as JsonSchema;
}

function repair(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(repair);
  if (typeof node !== 'object' || node === null) return node;
  const repaired: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    // Definitions are hoisted by name, so links point there.
    if (key === '$defs') continue;
    if (key === '$ref' && typeof value === 'string') repaired[key] = value.replace('#/$defs/', '#/components/schemas/');
    else repaired[key] = key === 'enum' || key === 'default' ? value : repair(value);
  }
  // Members of any name: what generators of clients know as a map.
  const { patternProperties: { '.*': every, ...patterns } = {}, ...others } = repaired as {
    patternProperties?: Record<string, unknown>;
  };
  if (every !== undefined && Object.keys(patterns).length === 0) return { ...others, additionalProperties: every };
  const { type, enum: values } = repaired;
  if (Array.isArray(type) && type.includes('null') && Array.isArray(values) && !values.includes(null))
    repaired['enum'] = [...(values as unknown[]), null];
  // What generators of clients know a uuid by; joi's own rule would take braces too.
  if (repaired['pattern'] === uuidPattern.source) repaired['format'] = 'uuid';
  return repaired;
}

/** Every schema with `.id('Name')` or `.meta({ id: 'Name' })`, the outer ones after those they hold. */
function* namedWithin(
  root: Joi.Schema,
  seen = new Set<unknown>(),
): Generator<{ readonly name: string; readonly schema: Joi.Schema }> {
  if (seen.has(root)) return;
  seen.add(root);
  for (const inner of schemasIn(root.$_terms, 0)) yield* namedWithin(inner, seen);
  // Asked for by themselves: a whole description is checked by joi against a schema of its own, with all that it holds.
  const metas = root.$_terms['metas'] as readonly { readonly id?: unknown }[] | undefined;
  const name: unknown = root.$_getFlag('id') ?? metas?.find(({ id }) => id !== undefined)?.id;
  if (typeof name === 'string') yield { name, schema: root };
}

/** The schemas a schema is made of: its terms hold them directly or as `schema`, `rule`, `then` and the like. */
function* schemasIn(term: unknown, depth: number): Generator<Joi.Schema> {
  if (typeof term !== 'object' || term === null || depth > 3) return;
  if (Joi.isSchema(term)) {
    yield term;
    return;
  }
  for (const inner of Object.values(term)) yield* schemasIn(inner, depth + 1);
}

/** The schema as it is where null is not allowed. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (!Array.isArray(type) || !type.includes('null')) return schema;
  const types = type.filter((one) => one !== 'null') as readonly unknown[];
  return {
    ...schema,
    type: types.length === 1 ? types[0] : types,
    ...(Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
  };
}

/** Equal for schemas that accept the same, whatever the order of their members and their own description. */
function canonical({ description: _, ...schema }: JsonSchema): string {
  return JSON.stringify(schema, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
