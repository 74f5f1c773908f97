// Limits each plugin to its declarations. Using another port, event, setting or table throws an error with the plugin,
// the use, and the remedy.
import type { MemoryDatabase, TableOptions } from '#adapters/memory/database';
import type { AuditLog } from '#core/kernel/services/audit';
import { Internal } from '#core/kernel/errors';
import { longestAggregate, type EventOf, type EventType } from '#core/kernel/storage/events';
import { declaredPorts } from '#core/kernel/ports';
import type { RepositorySettings } from '#core/kernel/services/repository-settings';
import type { SettingKey, Settings } from '#core/kernel/services/settings';
import type { Events } from '#core/kernel/storage/unit-of-work';
import type { HostBot } from './bots.ts';
import type { PluginDefinition } from './definition.ts';
import { didYouMean, nearest } from '../problems/nearest.ts';
import { needsOf, traitsOf } from './plan.ts';
import { firstLine, readable } from '../problems/thrown.ts';

const undeclared = ({ name }: PluginDefinition, does: string, remedy: string): Internal =>
  new Internal(`Plugin "${name}" ${does}`, { detail: remedy });

/** The remedy: a spelling suggestion if a declared name is similar, otherwise to declare the name. */
function addTo(member: string, name: string, declared: Iterable<string>): string {
  const near = nearest(name, declared);
  return near === undefined
    ? `Add it to \`${member}\` of its definition`
    : `Did you mean "${near}"? If not, add it to \`${member}\` of its definition`;
}

/** Wraps a host port with a check of the plugin's declarations, for the ports that need one. */
export function heldPort(definition: PluginDefinition, port: string, value: unknown): unknown {
  if (port === 'Events') return heldEvents(definition, value as Events);
  if (port === 'AuditLog') return heldAuditLog(definition, value as AuditLog);
  if (port === 'Settings') return heldSettings(definition, value as Settings);
  if (port === 'RepositorySettings') return heldRepositorySettings(definition, value as RepositorySettings);
  if (port === 'Bot') return (value as HostBot).of(definition.name);
  return value;
}

const isAggregate = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= longestAggregate && !value.includes('\0');

function heldEvents(definition: PluginDefinition, events: Events): Events {
  const declared: ReadonlySet<string> = new Set(definition.emits);
  return {
    async emit<T extends EventType>(event: Omit<EventOf<T>, 'id' | 'at'>) {
      if (!declared.has(event.type))
        throw undeclared(
          definition,
          `emits "${event.type}", which is not in its \`emits\``,
          addTo('emits', event.type, declared),
        );
      if (!isAggregate(event.aggregate))
        throw undeclared(
          definition,
          `emits "${event.type}" with an \`aggregate\` that names nothing`,
          `Say what it happened to in 1 to ${longestAggregate} characters, such as "bell:1"`,
        );
      return await events.emit({ ...event, payload: delivered(definition, event) });
    },
  } satisfies Events;
}

/** The most bytes of a payload as JSON, because each handler of each process reads it. */
const largestPayload = 1024 ** 2;

/**
 * The payload after a round trip through JSON, as handlers receive it on every engine. @throws {Internal} if it cannot
 * be one.
 */
function delivered<T extends EventType>(
  definition: PluginDefinition,
  { type, payload }: Omit<EventOf<T>, 'id' | 'at'>,
): EventOf<T>['payload'] {
  const refused = (why: string, remedy: string): Internal =>
    undeclared(definition, `emits "${type}" with ${why}`, remedy);
  let text: unknown;
  try {
    text = JSON.stringify(payload);
  } catch (error) {
    throw refused(`a payload that is no JSON: ${firstLine(readable(error).message)}`, plain);
  }
  if (typeof text !== 'string' || !text.startsWith('{')) throw refused('a payload that is no object', plain);
  if (Buffer.byteLength(text) > largestPayload)
    throw refused(`a payload of more than ${largestPayload} bytes`, 'Put ids into it, and let handlers read the rest');
  return JSON.parse(text) as EventOf<T>['payload'];
}
const plain = 'Let it be an object of texts, numbers, true and false, null, lists and objects of such';

function heldAuditLog(definition: PluginDefinition, log: AuditLog): AuditLog {
  const declared: ReadonlySet<string> = new Set(definition.audits);
  return {
    async append(entry) {
      if (!declared.has(entry.action))
        throw undeclared(
          definition,
          `appends an audit entry "${entry.action}", which is not in its \`audits\``,
          addTo('audits', entry.action, declared),
        );
      await log.append(entry);
    },
  } satisfies AuditLog;
}

function heldSettings(definition: PluginDefinition, settings: Settings): Settings {
  const own = (definition.settings ?? []).map(({ key }) => key);
  const declared: ReadonlySet<string> = new Set([...own, ...(definition.reads ?? [])]);
  return {
    async get<K extends SettingKey>(key: K) {
      if (!declared.has(key))
        throw undeclared(
          definition,
          `reads the setting "${key}", which is neither in its \`settings\` nor in its \`reads\``,
          addTo('reads', key, declared),
        );
      return await settings.get(key);
    },
  } satisfies Settings;
}

function heldRepositorySettings(definition: PluginDefinition, settings: RepositorySettings): RepositorySettings {
  const own: readonly { readonly key: string }[] = definition.repositorySettings ?? [];
  const declared: ReadonlySet<string> = new Set(own.map(({ key }) => key));
  const check = (key: string): void => {
    if (!declared.has(key))
      throw undeclared(
        definition,
        `reads the setting "${key}" of a repository, which is not in its \`repositorySettings\``,
        addTo('repositorySettings', key, declared),
      );
  };
  return {
    async get(repositoryId, key) {
      check(key);
      return await settings.get(repositoryId, key);
    },
    async getMany(repositoryIds, key) {
      check(key);
      return await settings.getMany(repositoryIds, key);
    },
  } satisfies RepositorySettings;
}

/** The in-memory database for the plugin's stores, restricted to the plugin's own tables. */
export function heldMemory(definition: PluginDefinition, database: MemoryDatabase): MemoryDatabase {
  const tables: ReadonlySet<string> = new Set(definition.tables);
  const check = (table: string): void => {
    if (!tables.has(table))
      throw undeclared(
        definition,
        `keeps the table "${table}", which is not in its \`tables\``,
        addTo('tables', table, tables),
      );
  };
  return {
    table<Row extends object>(name: string, options: TableOptions<Row>) {
      check(name);
      return database.table(name, options);
    },
    publish<Row extends object>(view: string, rows: () => readonly Row[]) {
      check(view);
      database.publish(view, rows);
    },
    published: (view) => database.published(view),
  } satisfies MemoryDatabase;
}

/** Names that `await` and JSON read from any object. */
const harmless = new Set(['then', 'toJSON']);

/**
 * A context: its members by name; reading another name throws an error with the remedy.
 * @param late whether it is the context of late needs.
 */
export function heldContext(definition: PluginDefinition, members: object, late: boolean): object {
  const refusal = (name: string): Internal => {
    const list = late ? 'late' : 'needs';
    if (traitsOf(name) === undefined)
      return undeclared(
        definition,
        `asks its ${late ? 'late needs' : 'context'} for "${name}", which nothing provides by that name`,
        didYouMean(name, [...Object.keys(members), ...declaredPorts().keys()], 'Correct the name'),
      );
    const elsewhere = late ? needsOf(definition).includes(name) : definition.late?.includes(name as never) === true;
    return undeclared(
      definition,
      `uses the port ${name}, which is not in its \`${list}\``,
      elsewhere
        ? `Read it from ${late ? 'the context: it is among its `needs`' : '`late` of the context: it is a late need'}`
        : `Add it to \`${list}\` of its definition`,
    );
  };
  return new Proxy(members, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name) as unknown;
      if (typeof name === 'symbol' || harmless.has(name)) return undefined;
      throw refusal(name);
    },
  });
}
