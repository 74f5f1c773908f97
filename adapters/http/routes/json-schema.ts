// Converts joi schemas to JSON Schema 2020-12, the dialect of OpenAPI 3.1, and moves named schemas to components.
import Joi from 'joi';
import { uuidPattern } from '../descriptor/shape.ts';

export type JsonSchema = { readonly [key: string]: unknown };
type Mode = 'input' | 'output';

export interface SchemaRegistry {
  /**
   * The JSON Schema of a joi schema, with references in place of named schemas. `input`: as a client may send it;
   * `output`: as the server sends it.
   * @throws {Error} if the schema cannot be converted or cannot be written as JSON.
   */
  of(schema: Joi.Schema, mode: Mode): JsonSchema;
  /** Names and their schemas, sorted by name. */
  components(): Iterable<readonly [string, JsonSchema]>;
}

export function schemaRegistry(): SchemaRegistry {
  /** Canonical text of a schema → its component. */
  const byText = new Map<string, { readonly name: string; readonly schema: JsonSchema }>();
  const taken = new Set<string>();

  const register = (schema: Joi.Schema, mode: Mode): void => {
    for (const inner of namedWithin(schema)) {
      const converted = withoutNull(convert(inner.schema, mode));
      const text = canonical(converted);
      if (byText.has(text)) continue;
      // A joi schema derived from a named one keeps its name. Only the first becomes the component; the others are
      // inlined.
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
      // A plugin's schema may contain a value that JSON cannot represent, such as a bigint; this throws while the
      // plugin is known.
      JSON.stringify(shown);
      return shown;
    },
    *components() {
      const sorted = [...byText.values()].sort((a, b) => a.name.localeCompare(b.name));
      for (const { name, schema } of sorted) yield [name, refer(schema, name) as JsonSchema];
    },
  };
}

/**
 * The JSON Schema of a joi schema alone, with everything it contains in its place. Each schema has one type and only
 * formats of JSON Schema, because programs that derive other formats from it know no others.
 */
export const plainSchema = (schema: Joi.Schema, mode: Mode): JsonSchema =>
  oneTyped(convert(schema, mode)) as JsonSchema;

function oneTyped(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(oneTyped);
  if (typeof node !== 'object' || node === null) return node;
  const { description, format, ...schema } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === 'enum' || key === 'default' ? value : oneTyped(value)]),
  ) as JsonSchema;
  if (format !== undefined) Object.assign(schema, format === 'hex' ? { pattern: '^[0-9a-fA-F]*$' } : { format });
  const described = description === undefined ? {} : { description };
  const plain = withoutNull(schema);
  return plain === schema ? { ...schema, ...described } : { anyOf: [plain, { type: 'null' }], ...described };
}

/** joi's own conversion, corrected where it differs from joi's validation. */
function convert(schema: Joi.Schema, mode: Mode): JsonSchema {
  return repair(schema['~standard'].jsonSchema[mode]({ target: 'draft-2020-12' })) as JsonSchema;
}

function repair(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(repair);
  if (typeof node !== 'object' || node === null) return node;
  const repaired: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    // Definitions are moved to the components, so references must point there.
    if (key === '$defs') continue;
    if (key === '$ref' && typeof value === 'string') repaired[key] = value.replace('#/$defs/', '#/components/schemas/');
    else repaired[key] = key === 'enum' || key === 'default' ? value : repair(value);
  }
  // Members of any name become `additionalProperties`, which client generators read as a map.
  const { patternProperties: { '.*': every, ...patterns } = {}, ...others } = repaired as {
    patternProperties?: Record<string, unknown>;
  };
  if (every !== undefined && Object.keys(patterns).length === 0) return { ...others, additionalProperties: every };
  const { type, enum: values } = repaired;
  if (Array.isArray(type) && type.includes('null') && Array.isArray(values) && !values.includes(null))
    repaired['enum'] = [...(values as unknown[]), null];
  // Client generators recognize a uuid by this format; joi's own rule would also accept braces.
  if (repaired['pattern'] === uuidPattern.source) repaired['format'] = 'uuid';
  return repaired;
}

/** Every schema with `.id('Name')` or `.meta({ id: 'Name' })`; outer schemas follow the ones they contain. */
function* namedWithin(
  root: Joi.Schema,
  seen = new Set<unknown>(),
): Generator<{ readonly name: string; readonly schema: Joi.Schema }> {
  if (seen.has(root)) return;
  seen.add(root);
  for (const inner of schemasIn(root.$_terms, 0)) yield* namedWithin(inner, seen);
  // Reads only the two values: `describe()` validates the whole description, with everything in it, against another
  // schema.
  const metas = root.$_terms['metas'] as readonly { readonly id?: unknown }[] | undefined;
  const name: unknown = root.$_getFlag('id') ?? metas?.find(({ id }) => id !== undefined)?.id;
  if (typeof name === 'string') yield { name, schema: root };
}

/** The direct subschemas of a schema: its terms contain them directly or as `schema`, `rule`, `then` and the like. */
function* schemasIn(term: unknown, depth: number): Generator<Joi.Schema> {
  if (typeof term !== 'object' || term === null || depth > 3) return;
  if (Joi.isSchema(term)) {
    yield term;
    return;
  }
  for (const inner of Object.values(term)) yield* schemasIn(inner, depth + 1);
}

/** The schema without null as an allowed value. */
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

/**
 * A canonical text, equal for schemas that accept the same values, regardless of member order and their own
 * description.
 */
function canonical({ description: _, ...schema }: JsonSchema): string {
  return JSON.stringify(schema, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
