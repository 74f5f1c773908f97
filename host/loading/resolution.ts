// Resolves modules for external plugins: packages are looked up beside the configuration, and imports of `hexforge/…`
// always resolve to the running copy, even if another copy is installed beside the plugin.
import { registerHooks, type RegisterHooksOptions, type ResolveHookContext } from 'node:module';

/** The modules that were resolved for one request. */
export interface Resolution {
  /** The URL of the requested module; undefined until it is found. */
  entry: string | undefined;
  /** URLs of all modules that were found during loading, in that order. */
  readonly found: Set<string>;
}

const scheme = 'hexforge-plugin:';
const noted = new Map<string, Resolution>();
let registered = false;
let requests = 0;

/**
 * Imports a module as if from a given file or folder: a file by its URL, a package by its name.
 * @param resolution Filled while modules are found.
 */
export async function importFrom(specifier: string, parentUrl: string, resolution: Resolution): Promise<object> {
  if (!registered) registerHooks({ resolve });
  registered = true;
  const id = String(++requests);
  noted.set(id, resolution);
  try {
    return (await import(`${scheme}?${new URLSearchParams({ specifier, from: parentUrl, id }).toString()}`)) as object;
  } finally {
    noted.delete(id);
  }
}

type Resolve = NonNullable<RegisterHooksOptions['resolve']>;

/**
 * Resolves `hexforge/…` to the running copy. Ports, errors and replies are recognized by the classes and registries of
 * one copy; another copy's would not be recognized.
 */
const resolve: Resolve = (specifier, context, next) => {
  if (specifier.startsWith(scheme)) return requested(new URL(specifier).searchParams, context, next);
  const result = foreign(specifier, context)
    ? { url: import.meta.resolve(specifier), shortCircuit: true }
    : next(specifier, context);
  for (const { found } of noted.values()) found.add(result.url);
  return result;
};

/** Whether another file imports Hexforge. Imports from this file are the ones that `import.meta.resolve` makes. */
const foreign = (specifier: string, { parentURL }: ResolveHookContext): boolean =>
  (specifier === 'hexforge' || specifier.startsWith('hexforge/')) && parentURL !== import.meta.url;

function requested(asked: URLSearchParams, context: ResolveHookContext, next: Parameters<Resolve>[2]) {
  const result = next(asked.get('specifier') ?? '', { ...context, parentURL: asked.get('from') ?? undefined });
  const resolution = noted.get(asked.get('id') ?? '');
  if (resolution !== undefined) resolution.entry = result.url;
  resolution?.found.add(result.url);
  return result;
}
