// The runtime shape of a plugin definition: every allowed member and its type.
import { definedAs, type PluginDefinition } from '../plugin/definition.ts';
import type { Problem } from '../problems/problem.ts';
import { firstLine, readable } from '../problems/thrown.ts';
import { isPlaceholder } from './placeholders.ts';
import { kindOf } from '../problems/values.ts';
import {
  anything,
  count,
  flag,
  fn,
  leaf,
  list,
  name,
  object,
  objectSchema,
  oneOf,
  optional,
  optionals,
  required,
  table,
  text,
  variant,
  type Fault,
  type Shape,
} from './shape.ts';

const wholeNumber = leaf('a whole number', Number.isSafeInteger);
const ofSetting = {
  key: required(text, 'Name it, such as "bell.loud"'),
  type: required(oneOf('boolean', 'integer', 'string'), 'Say which type its value has'),
  description: required(text, 'Say what it is for: operators read it'),
  sensitive: optional(flag),
  superAdmin: optional(flag),
};
const theDefault = (shape: Shape) => required(shape, 'Say its value where nobody has set one');
/** The shapes of a setting by the type of its value. */
const settings = {
  boolean: object('a setting that is true or false', { ...ofSetting, default: theDefault(flag) }),
  integer: object('a setting that is a number', {
    ...ofSetting,
    default: theDefault(wholeNumber),
    min: required(wholeNumber, 'Say the least it may be'),
    max: required(wholeNumber, 'Say the most it may be'),
  }),
  string: object('a setting that is a text', {
    ...ofSetting,
    default: theDefault(leaf('a text', (value) => typeof value === 'string')),
    maxLength: optional(count),
    check: optional(fn),
  }),
};
const setting = variant('type', settings, object('a setting', { ...ofSetting, default: optional(anything) }));

/** Copies only the names that are checked; the rest belongs to MikroORM. */
const entity: Shape = (value, at, faults) => {
  const { tableName, className } = metaOf(value);
  const isEntity = typeof tableName === 'string' || typeof className === 'string';
  leaf('an entity made with `defineEntity`', () => isEntity)(value, at, faults);
  return { meta: { tableName, className } };
};
const metaOf = (value: unknown): { readonly tableName?: unknown; readonly className?: unknown } =>
  isPlaceholder(value) ? {} : Object(Reflect.get(Object(value), 'meta'));

/** Has no spaces, because clients send several scopes separated by spaces (RFC 6749, section 3.3). */
const tokenScope = leaf(
  'a scope of a token, of at most 100 characters without blanks, quotes and backslashes,',
  (value) => typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(value),
);

/** The compiler checks this against the type: every new member must be described here. */
const members = {
  name: required(text, 'Name it with lower-case words joined by hyphens'),
  version: required(text, 'Give it a semantic version, such as 1.0.0'),
  api: required(text, 'Write a range of versions of the plugin API, such as ^0.2.0'),
  onFailure: optional(oneOf('fail', 'isolate')),
  config: optional(objectSchema),
  environment: optional(table(text)),
  ...optionals(list(text), 'needs', 'late'),
  stores: optional(
    table(
      object('a store', {
        sql: required(fn, 'Add the store over SQL, or make both with `rows`'),
        memory: required(fn, 'Add the store in memory, or make both with `rows`'),
      }),
    ),
  ),
  preflight: optional(fn),
  build: optional(fn),
  provides: optional(table(fn)),
  ...optionals(list(setting), 'settings', 'repositorySettings'),
  ...optionals(list(name), 'emits', 'audits'),
  ...optionals(list(text), 'reads', 'outbound'),
  scopes: optional(
    list(
      object('a scope row', {
        name: required(name),
        pat: optional(tokenScope),
        oauth: optional(tokenScope),
        about: optional(text),
        includes: optional(list(text)),
      }),
    ),
  ),
  permissions: optional(
    list(
      object('a permission', {
        name: required(name),
        from: required(
          oneOf('read', 'triage', 'write', 'maintain', 'admin', 'owner'),
          'Say the least role that has it, such as "write"',
        ),
      }),
    ),
  ),
  entities: optional(list(entity)),
  ...optionals(list(text), 'tables', 'references'),
  migrations: optional(list(object('a migration', { name: required(name), up: required(list(text)) }))),
  ...optionals(
    fn,
    'routes',
    'channels',
    'tools',
    'indexers',
    'pages',
    'tabs',
    'menu',
    'cards',
    'panels',
    'events',
    'jobs',
    'probes',
    'start',
    'stop',
  ),
} satisfies Record<keyof PluginDefinition, unknown>;

const definition = object('a plugin definition', members);

/**
 * Validates a definition from JavaScript. `sound` is a plain copy without ill-formed members, so that the other checks
 * can run; absent if the definition has no usable name.
 */
export function readDefinition(given: unknown): {
  readonly sound?: PluginDefinition;
  readonly problems: readonly Problem[];
} {
  const faults: Fault[] = [];
  try {
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      return { problems: [nameless(`is ${kindOf(given)}`)] };
    const copy = definition(given, '', faults) as Record<string, unknown>;
    const { name } = copy;
    if (typeof name !== 'string' || name === '') return { problems: [nameless('has no name')] };
    for (const { at, code } of faults) if (code !== 'unknown_member') delete copy[at.split(/[.[]/, 1)[0] ?? ''];
    // A missing version is reported once, as the fault, and not again for these placeholders.
    const sound = definedAs(given, { version: '0.0.0', api: '*', ...copy, name } as unknown as PluginDefinition);
    return { sound, problems: faults.map((fault) => problem(name, fault)) };
  } catch (error) {
    return { problems: [nameless(`cannot be read: ${firstLine(readable(error).message)}`)] };
  }
}

const problem = (plugin: string, { code, says, remedy }: Fault): Problem => ({
  code,
  plugin,
  message: `The definition of plugin "${plugin}" ${says}`,
  remedy,
});

const nameless = (says: string): Problem => ({
  code: 'bad_definition',
  message: `A plugin definition ${says}`,
  remedy: 'Make it with definePlugin, and give it a name',
});
