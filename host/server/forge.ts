// Opens a forge up to the machine (data directory, storage, plan), for `serve` and the offline commands.
import { aesSealer } from '#adapters/crypto/sealer';
import { openMemory, type Memory } from '#adapters/memory/index';
import { currentCaller } from '#adapters/system/current-caller';
import { systemClock, systemIds } from '#adapters/system/time';
import { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
import type { PostgresOptions } from '#adapters/postgres/index';
import type { Configuration } from '#host/configuration/configuration';
import type { Log } from '#core/kernel/services/log';
import { freePort } from './address.ts';
import { Attribution, outsidePlugins } from '../watch/attribution.ts';
import { Machine } from '../boot/boot.ts';
import { openDataDirectory } from '../storage/data-directory.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Plan } from '../plugin/plan.ts';
import { listPlugins, type Listed } from '../loading/plugins.ts';
import { Refused, refusedBy, type Problem } from '../problems/problem.ts';
import { hostProviders } from '../boot/providers.ts';
import { SecretKeys } from '../storage/secret-key.ts';
import { entitiesOf, type OpenStorage } from '../storage/storage.ts';
import type { StorageAhead } from '../storage/storage-ahead.ts';

export interface OpenOptions {
  /** Definitions besides the configured plugins; one with a configured name replaces it. */
  readonly definitions?: readonly PluginDefinition[];
  /** Set if the plugins have already been loaded and checked. */
  readonly listed?: Listed;
  readonly announce: (line: string) => void;
  readonly logOf: (plugin: string) => Log;
  /** Identifies external plugins. Default: made from the configuration. */
  readonly attribution?: Attribution;
  /** Set if the storage has already been started. */
  readonly ahead?: StorageAhead;
  /** With `database: memory`: the data of an earlier start. Default: empty. */
  readonly memory?: Memory | undefined;
}

export interface OpenForge {
  readonly machine: Machine;
  readonly storage: OpenStorage;
  readonly plan: Plan;
  readonly warnings: readonly string[];
  readonly baseUrl: string;
  readonly webUrl: string;
  readonly port: number;
  readonly secretKeys: SecretKeys;
}

/** Opens the data directory and the storage. The machine is neither migrated nor built. @throws {Refused} */
export async function openForge(
  configuration: Configuration,
  { announce, logOf, attribution = new Attribution(outsidePlugins(configuration)), ...given }: OpenOptions,
): Promise<OpenForge> {
  const { plan, problems, warnings } = given.listed ?? (await listPlugins(configuration, given.definitions));
  if (problems.length > 0) throw new Refused(problems);
  const { dataDir, version, host, limits } = configuration;
  openDataDirectory(dataDir, { version, now: systemClock.now() });
  const secretKeys = new SecretKeys(dataDir, configuration.secretKeys);
  const sealer = aesSealer(secretKeys);
  const port = configuration.port === 0 ? await freePort(host) : configuration.port;
  const baseUrl = configuration.baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const webUrl = configuration.webUrl ?? baseUrl;
  const callers = currentCaller();
  const storage = await openStorage(configuration, plan, {
    clock: systemClock,
    ids: systemIds,
    log: logOf('storage'),
    caller: () => callers.key(),
    ahead: given.ahead,
    memory: given.memory,
  });
  const machine = new Machine({
    plan,
    storage,
    logOf,
    limits,
    attribution,
    instance: { baseUrl, webUrl, dataDir, version, announce },
    own: hostProviders({
      plan,
      storage,
      clock: systemClock,
      ids: systemIds,
      sealer,
      rateCounter: memoryRateCounter(),
      currentCaller: callers,
    }),
  });
  return { machine, storage, plan, warnings, baseUrl, webUrl, port, secretKeys };
}

/** @throws {Refused} */
export async function openStorage(
  { database, dataDir, limits }: Configuration,
  plan: Plan,
  {
    ahead,
    memory,
    ...parts
  }: Pick<PostgresOptions, 'clock' | 'ids' | 'log' | 'caller'> & {
    readonly ahead?: StorageAhead | undefined;
    readonly memory?: Memory | undefined;
  },
): Promise<OpenStorage> {
  if (database.column === 'memory')
    return { ...openMemory({ ...parts, ...(memory === undefined ? {} : { memory }) }), column: 'memory' };
  try {
    // Imported here, because a host in memory does not need it.
    const { openPostgres } = await import('#adapters/postgres/index');
    const opened = await openPostgres({
      ...parts,
      ...(database.url === undefined ? {} : { url: database.url }),
      directory: dataDir,
      entities: entitiesOf(plan.enabled),
      migrationLimit: limits.migrate,
      started: ahead?.take(),
    });
    return { ...opened, column: 'sql' };
  } catch (error) {
    throw refusedBy(error, storageProblem);
  }
}

/** Applies the migrations. @throws {Refused} if the database fails, or the migrations of a plugin are refused. */
export async function migrate({ machine }: OpenForge): ReturnType<Machine['migrate']> {
  try {
    return await machine.migrate();
  } catch (error) {
    throw refusedBy(error, storageProblem);
  }
}

const storageProblem: Problem = {
  code: 'storage_failed',
  message: 'The database cannot be used',
  remedy: 'Mend the cause; docs/operating.md says how to restore a backup',
};
