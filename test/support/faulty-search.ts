// The plugin search-sql with methods that a test replaces, for faults of a search back end.
import { standardPlugins } from '#config/standard';
import type { SearchBackend } from '#core/search/index';
import type { PluginDefinition } from '#host/plugin/definition';

export interface FaultySearch {
  readonly definition: PluginDefinition;
  /** Called instead of the back end's own methods. */
  methods: Partial<SearchBackend>;
  /** The back end without faults, once the forge has started. */
  readonly backend: SearchBackend;
}

export async function faultySearch(): Promise<FaultySearch> {
  const module = standardPlugins.find(({ name }) => name === 'search-sql')?.module ?? '';
  const { default: definition } = (await import(module)) as { readonly default: PluginDefinition };
  const build = definition.build as unknown as (context: unknown) => SearchBackend;
  let backend: SearchBackend | undefined;
  const faulty = {
    methods: {} as Partial<SearchBackend>,
    get backend(): SearchBackend {
      if (backend === undefined) throw new Error('the forge has not started');
      return backend;
    },
  };
  const wrapped = (context: unknown): SearchBackend => {
    backend = build(context);
    return new Proxy(backend, {
      get: (target, name) => (Reflect.get(faulty.methods, name) ?? Reflect.get(target, name)) as unknown,
    });
  };
  return Object.assign(faulty, { definition: { ...definition, build: wrapped } as unknown as PluginDefinition });
}
