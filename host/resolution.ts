// Module resolution for plugins from outside: a package is looked for beside the configuration, and whatever copy of
// Hexforge lies beside a plugin, its imports of `hexforge/…` are those of the copy that runs.
import { registerHooks, type RegisterHooksOptions, type ResolveHookContext } from 'node:module';

/** What became of one module that was asked for. */
export interface Resolution {
  /** The URL of the module itself, once it was found. */
  entry: string | undefined;
  /** URLs of all modules that were found while it was loaded, in that order. */
  readonly found: Set<string>;
}

const scheme = 'hexforge-plugin:';
const noted = new Map<string, Resolution>();
let registered = false;
let requests = 0;

/**
 * Imports a module as seen from a file or folder: a file by its URL, a package by its name.
 * @param resolution is filled while the modules are found.
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
 * Ports are declared, errors thrown and answers made with classes and registries of one copy; with those of another
 * they would not be known for what they are.
 */
const resolve: Resolve = (specifier, context, next) => {
  if (specifier.startsWith(scheme)) return requested(new URL(specifier).searchParams, context, next);
  const result = foreign(specifier, context)
    ? { url: import.meta.resolve(specifier), shortCircuit: true }
    : next(specifier, context);
  for (const { found } of noted.values()) found.add(result.url);
  return result;
};

/** Asked by another file than this one, which has the name resolved for all. */
const foreign = (specifier: string, { parentURL }: ResolveHookContext): boolean =>
  (specifier === 'hexforge' || specifier.startsWith('hexforge/')) && parentURL !== import.meta.url;

function requested(asked: URLSearchParams, context: ResolveHookContext, next: Parameters<Resolve>[2]) {
  const result = next(asked.get('specifier') ?? '', { ...context, parentURL: asked.get('from') ?? undefined });
  const resolution = noted.get(asked.get('id') ?? '');
  if (resolution !== undefined) resolution.entry = result.url;
  resolution?.found.add(result.url);
  return result;
}
