// Standard plugins with one store replaced by a wrapper around it, for faults and bounds that are hard to reach.
import { standardPlugins } from '#config/standard';
import type { PluginDefinition } from '#host/plugin/definition';

interface Columns {
  readonly sql: (database: never) => object;
  readonly memory: (database: never) => object;
}

/**
 * @param method of the store, which `wrap` replaces.
 * @param store its name among the plugin's `stores`.
 */
export async function withMethod<M extends (...given: never[]) => unknown>(
  plugin: string,
  store: string,
  method: string,
  wrap: (original: M) => M,
): Promise<PluginDefinition> {
  const module = standardPlugins.find(({ name }) => name === plugin)?.module;
  if (module === undefined) throw new Error(`there is no standard plugin "${plugin}"`);
  const { default: definition } = (await import(module)) as { readonly default: PluginDefinition };
  const columns = definition.stores?.[store] as Columns | undefined;
  if (columns === undefined) throw new Error(`"${plugin}" has no store "${store}"`);
  const wrapped = (made: object): object => {
    const original = Reflect.get(made, method) as M | undefined;
    if (original === undefined) throw new Error(`the store "${store}" has no method "${method}"`);
    const replaced = wrap(original.bind(made) as M);
    return new Proxy(made, {
      get: (target, name) => (name === method ? replaced : (Reflect.get(target, name) as unknown)),
    });
  };
  return {
    ...definition,
    stores: {
      ...definition.stores,
      [store]: {
        sql: (database: never) => wrapped(columns.sql(database)),
        memory: (database: never) => wrapped(columns.memory(database)),
      },
    },
  } as PluginDefinition;
}

/** A plugin whose store counts `more` rows than it has, so that a test reaches a bound with few of them. */
export const nearlyFull = (plugin: string, store: string, more: number): Promise<PluginDefinition> =>
  withMethod<(...given: unknown[]) => Promise<number>>(
    plugin,
    store,
    'count',
    (count) =>
      async (...given) =>
        (await count(...given)) + more,
  );

/** The audit plugin, and the switch of whether its log accepts entries. */
export async function stoppableLog(): Promise<{
  readonly audit: PluginDefinition;
  stop(): void;
  mend(): void;
}> {
  let stopped = false;
  const audit = await withMethod<(...given: unknown[]) => Promise<unknown>>(
    'audit',
    'entries',
    'append',
    (append) =>
      async (...given) => {
        if (stopped) throw new Error('the log accepts no entries');
        return append(...given);
      },
  );
  return { audit, stop: () => void (stopped = true), mend: () => void (stopped = false) };
}
