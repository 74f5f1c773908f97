// Resolves modules with fewer file system calls: for every import, Node reads the package.json files of the folder and
// its parents, which takes a tenth of the start-up time. Here each file and each folder is looked up once.
import { lstatSync, type Stats } from 'node:fs';
import { registerHooks, type RegisterHooksOptions } from 'node:module';

type Resolve = NonNullable<RegisterHooksOptions['resolve']>;
type Resolved = ReturnType<Resolve>;

const scheme = 'file://';
/** This package's folder, and the prefix by which its own files import its exports. */
const root = new URL('../../', import.meta.url).href.slice(0, -1);
const self = 'hexforge/';
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const formats = new Set<unknown>(['module', 'module-typescript']);

/** The package of each folder, for folders that are not links. */
const packages = new Map<string, string>();
/** The format of all files of one package with the same extension, taken from Node's result for one of them. */
const kinds = new Map<string, string>();
/** Aliases that Node resolved by this package's manifest. */
const aliases = new Set<string>();
const files = new Map<string, Resolved>();
/** Node's results for package names, for imports from the same place. */
const named = new Map<string, Resolved>();

/** Resolves from Node's earlier results for the same packages, and otherwise calls Node. */
export const resolveQuickly: Resolve = (specifier, context, next) => {
  const parent = context.parentURL;
  // In a path with percent signs, the URL differs from the file name.
  if (parent === undefined || !parent.startsWith(scheme) || parent.includes('%')) return next(specifier, context);
  const from = folderOf(parent);
  const url = meant(specifier, parent, from);
  const name =
    url === undefined && isName(specifier, context) ? placed(specifier, from, context.conditions) : undefined;
  const known = url === undefined ? named.get(name ?? '') : plainFile(url);
  if (known !== undefined) return known;
  const found = next(specifier, context);
  learn(specifier, from, found);
  if (name !== undefined && found.url.startsWith(scheme)) named.set(name, { ...found, shortCircuit: true });
  return found;
};

const folderOf = (url: string): string => url.slice(0, url.lastIndexOf('/'));
const aliasOf = (specifier: string): string => specifier.slice(0, specifier.indexOf('/'));
const aliased = (specifier: string): string => `${root}/${specifier.slice(1)}${extension}`;
const kindOf = (url: string, packageFolder: string): string => `${packageFolder}/*${url.slice(url.lastIndexOf('.'))}`;

const relativeFile = /^\.\.?\/[^?#%\\]*\.(?:js|mjs|ts)$/;

/** The file that a specifier refers to, if it exists: a relative path, or an alias of the manifest's `imports`. */
function meant(specifier: string, parent: string, from: string): string | undefined {
  if (relativeFile.test(specifier)) return new URL(specifier, parent).href;
  return aliases.has(aliasOf(specifier)) && packageOf(from) === root ? aliased(specifier) : undefined;
}

const isName = (specifier: string, { importAttributes }: Partial<Parameters<Resolve>[1]>): boolean =>
  /^[\w@]/.test(specifier) && !specifier.includes(':') && Object.keys(importAttributes ?? {}).length === 0;

/**
 * The cache key of a name. A name resolves the same for all files of a folder; this package's exports resolve the same
 * for all of its files.
 */
const placed = (specifier: string, from: string, conditions: readonly string[]): string =>
  `${specifier.startsWith(self) && packageOf(from) === root ? root : from} ${conditions.join()} ${specifier}`;

function plainFile(url: string): Resolved | undefined {
  const known = files.get(url);
  if (known !== undefined) return known;
  const packageFolder = packageOf(folderOf(url));
  const format = packageFolder === undefined ? undefined : kinds.get(kindOf(url, packageFolder));
  // Node resolves links, so a link is left to Node.
  if (format === undefined || at(url)?.isFile() !== true) return undefined;
  const found: Resolved = { url, format, shortCircuit: true };
  files.set(url, found);
  return found;
}

/** @param real Whether the path contains no links. If false, each folder is checked, up to the first known one. */
function packageOf(folder: string, real = false): string | undefined {
  const known = packages.get(folder);
  if (known !== undefined || folder.length <= scheme.length || folder.endsWith('/node_modules')) return known;
  const above = real ? undefined : packageOf(folderOf(folder));
  if (!real && (above === undefined || at(folder)?.isDirectory() !== true)) return undefined;
  const found = at(`${folder}/package.json`) === undefined ? (above ?? packageOf(folderOf(folder), real)) : folder;
  if (found !== undefined) packages.set(folder, found);
  return found;
}

function at(url: string): Stats | undefined {
  try {
    return lstatSync(url.slice(scheme.length), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Stores Node's result, whose path contains no links. */
function learn(specifier: string, from: string, { url, format }: Resolved): void {
  if (!formats.has(format) || !url.startsWith(scheme) || /[?#%]/.test(url)) return;
  const packageFolder = packageOf(folderOf(url), true);
  if (packageFolder === undefined) return;
  kinds.set(kindOf(url, packageFolder), String(format));
  if (specifier.startsWith('#') && url === aliased(specifier) && packageOf(from) === root)
    aliases.add(aliasOf(specifier));
}

export const useQuickResolution = (): void => void registerHooks({ resolve: resolveQuickly });
