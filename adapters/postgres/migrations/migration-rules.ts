// The rules for a plugin's migrations: which statements they may contain, and which changes of the catalog they may
// cause.
import { type Change, isRelation, localSettings, type Catalog, type CatalogObject } from './catalog.ts';
import { type Ownership, startsWithNameOf, system, tablePrefix } from './ownership.ts';

/** A violation of the rules, as the rest of a sentence that begins with the migration; and the remedy. */
export interface Offence {
  readonly what: string;
  readonly remedy: string;
  /**
   * The migration. If absent, the violation belongs to no particular migration and the sentence begins with the plugin.
   */
  readonly step?: string | undefined;
}

/** Aborts the transaction of a plugin's migrations. */
export class Offending extends Error {
  readonly offence: Offence;

  constructor(offence: Offence) {
    super(offence.what);
    this.offence = offence;
  }
}

/** Statements that neither end the transaction nor outlive it in the session. */
const allowed = new Set(
  'alter analyze call comment create delete do drop insert lock merge refresh reindex select truncate update values with'.split(
    ' ',
  ),
);
const setsLocally = (words: string): boolean =>
  localSettings.some((name) => words.startsWith(`set local ${name} `) || words.startsWith(`set local ${name}=`));

/** Checks one statement before any runs. */
export function statementOffence(statement: string): Offence | undefined {
  const words = beginning(statement);
  const [first = ''] = words.split(' ', 1);
  if ((allowed.has(first) && !words.startsWith('alter system')) || setsLocally(words)) return undefined;
  return {
    what: first === '' ? 'holds an empty statement' : `holds "${words.split(' ').slice(0, 2).join(' ')}"`,
    remedy: `A migration makes, changes and fills tables, and runs in one transaction that is not its own to end: leave the statement out${
      first === 'set' ? ` (of settings, it may "set local" ${localSettings.join(', ')})` : ''
    }`,
  };
}

/** The first words in lower case, without preceding comments and brackets. */
function beginning(statement: string): string {
  let rest = statement.replace(/^[\s(;]+/, '');
  for (;;) {
    const comment = /^--[^\n]*(\n|$)/.exec(rest)?.[0].length ?? blockComment(rest);
    if (comment === 0) break;
    rest = rest.slice(comment).replace(/^[\s(;]+/, '');
  }
  return rest.slice(0, 200).toLowerCase().replace(/\s+/g, ' ');
}

/** The length of the comment at the start of a text; block comments nest. */
function blockComment(text: string): number {
  if (!text.startsWith('/*')) return 0;
  let depth = 0;
  for (const { 0: mark, index } of text.matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1;
    if (depth === 0) return index + 2;
  }
  return text.length;
}

export interface Rules {
  readonly plugin: string;
  readonly ownership: Ownership;
  /** Tables and views of other plugins that it may refer to. */
  readonly references: ReadonlySet<string>;
}

/** The first change that the plugin may not make. */
export function changeOffence(found: readonly Change[], rules: Rules): Offence | undefined {
  for (const change of found) {
    const offence = offenceOf(change, rules);
    if (offence !== undefined) return offence;
  }
  return undefined;
}

const operators = new Set(['schema', 'extension', 'event trigger']);

function offenceOf({ how, object }: Change, { plugin, ownership, references }: Rules): Offence | undefined {
  const { kind, name, part_of: whole, target } = object;
  const said = `${how} ${called(object)}`;
  if (kind === 'session setting')
    return {
      what: `changed the session setting "${name}"`,
      remedy: `Leave the session as it is; of settings, a migration may "set local" ${localSettings.join(', ')}`,
    };
  if (operators.has(kind))
    return {
      what: said,
      remedy:
        "Schemas, extensions and event triggers are the operator's to make: name what is needed in the documentation",
    };
  const owner = ownership.ownerOf(bare(whole ?? name));
  if (whole === null && how === 'made' && !startsWithNameOf(plugin, bare(name)))
    return { what: said, remedy: `Everything a plugin makes starts with its name: call it "${tablePrefix(plugin)}_…"` };
  if (owner !== plugin)
    return {
      what: `${said}${of(owner)}`,
      remedy: 'A plugin makes, changes and drops what is its own alone; of others it asks through ports',
    };
  if (how === 'made' && (kind === 'index' || kind === 'sequence') && !startsWithNameOf(plugin, name))
    return { what: said, remedy: `Indexes share one space of names: call it "${tablePrefix(plugin)}_…"` };
  if (how !== 'dropped' && target !== null && ownership.ownerOf(target) !== plugin && !references.has(target))
    return {
      what: `pointed the ${kind === 'foreign key' ? 'foreign key' : kind === 'query' ? 'view' : 'table'} "${
        kind === 'foreign key' ? name : (whole ?? name)
      }" at the table "${target}"${of(ownership.ownerOf(target))}`,
      remedy: `Name "${target}" among its "references" where a plugin that it needs publishes it; else keep a plain id`,
    };
  return undefined;
}

/** A function's name without its parameters. */
export const bare = (name: string): string => name.split('(', 1)[0] ?? '';

const called = ({ kind, name, part_of: whole }: CatalogObject): string =>
  `the ${kind} "${name}"${whole === null ? '' : ` of "${whole}"`}`;

const of = (owner: string | undefined): string => {
  if (owner === undefined) return ", which is no plugin's here";
  return owner === system ? ", the forge's own" : ` of plugin "${owner}"`;
};

/** Changed or dropped objects of other owners. For a purge these are the objects that depend on the plugin's. */
export function ofOthers(found: readonly Change[], plugin: string, ownership: Ownership): readonly string[] {
  const gone = new Set(found.filter(({ how }) => how === 'dropped').map(({ object }) => object.name));
  return found.flatMap(({ object }) => {
    const { name, part_of: whole } = object;
    const owner = ownership.ownerOf(bare(whole ?? name));
    // Parts of a dropped object are not listed separately.
    return owner === plugin || (whole !== null && gone.has(whole)) ? [] : [`${called(object)}${of(owner)}`];
  });
}

/** The existing tables and views, and those that a plugin declares. */
export interface Declared {
  readonly plugin: string;
  readonly tables: ReadonlySet<string>;
  /** Recorded at an earlier start. */
  readonly recorded: ReadonlySet<string>;
  readonly ownership: Ownership;
  /** Table or view → the migration of this run that created it; `dropped`: that dropped it. */
  readonly made: ReadonlyMap<string, string>;
  readonly dropped: ReadonlyMap<string, string>;
}

/** Checks that exactly the declared tables exist after the last migration. */
export function declaredOffence(
  catalog: Catalog,
  { plugin, tables, recorded, ownership, made, dropped }: Declared,
): Offence | undefined {
  const present = new Map([...catalog.values()].filter(isRelation).map((object) => [object.name, object]));
  for (const [name, step] of made)
    if (!tables.has(name) && present.has(name))
      return {
        step,
        what: `made the ${present.get(name)?.kind ?? 'table'} "${name}", which its "tables" do not list`,
        remedy: `List "${name}" among its "tables", or drop it in the same migration`,
      };
  for (const name of tables) {
    const owner = ownership.ownerOf(name);
    if (owner !== plugin)
      return {
        what: `declares the table "${name}"${of(owner)}, whose data is still there`,
        remedy: `Name it otherwise, or remove that data: hexforge plugins purge ${owner ?? ''}`,
      };
    if (present.has(name)) continue;
    const step = dropped.get(name);
    return step === undefined
      ? {
          what: `declares the table "${name}", and none of its migrations makes it`,
          remedy: 'Make it in a new migration, or take it off its "tables"',
        }
      : {
          step,
          what: `dropped the table "${name}", which its "tables" still list`,
          remedy: 'Take it off its "tables"',
        };
  }
  for (const name of recorded)
    if (!tables.has(name) && present.has(name))
      return {
        what: `no longer declares the table "${name}", and none of its migrations drops it`,
        remedy: 'List it among its "tables" again, or drop it in a new migration',
      };
  return undefined;
}
