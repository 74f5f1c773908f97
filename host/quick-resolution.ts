// Module resolution that asks the disk once for a file and once for a folder: for every import Node looks for the
// package.json of the folder and of all above it, which is a tenth of the time of a start.
import { lstatSync, type Stats } from 'node:fs';
import { registerHooks, type RegisterHooksOptions } from 'node:module';

type Resolve = NonNullable<RegisterHooksOptions['resolve']>;
type Resolved = ReturnType<Resolve>;

const scheme = 'file://';
/** This package's folder, and how its own files import what it exports. */
const root = new URL('../', import.meta.url).href.slice(0, -1);
const self = 'hexforge/';
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const formats = new Set<unknown>(['module', 'module-typescript']);

/** The package each folder lies in, of folders that are no links. */
const packages = new Map<string, string>();
/** The format of all files of one package with the same extension, as Node has told it of one. */
const kinds = new Map<string, string>();
/** Aliases that Node has found in this package's manifest. */
const aliases = new Set<string>();
const files = new Map<string, Resolved>();
/** What Node has found by the name of a package, for imports from the same place. */
const named = new Map<string, Resolved>();

/** Goes by what Node has answered for others in the same packages; what that does not tell is Node's to say. */
export const resolveQuickly: Resolve = (specifier, context, next) => {
  const parent = context.parentURL;
  // Of a path with percent signs the URL is not the name.
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

/** The file a specifier means if it is there: a relative one, or one of the manifest's `imports`. */
function meant(specifier: string, parent: string, from: string): string | undefined {
  if (relativeFile.test(specifier)) return new URL(specifier, parent).href;
  return aliases.has(aliasOf(specifier)) && packageOf(from) === root ? aliased(specifier) : undefined;
}

const isName = (specifier: string, { importAttributes }: Partial<Parameters<Resolve>[1]>): boolean =>
  /^[\w@]/.test(specifier) && !specifier.includes(':') && Object.keys(importAttributes ?? {}).length === 0;

/** A name means the same for all files of a folder; what this package exports, for all of its files. */
const placed = (specifier: string, from: string, conditions: readonly string[]): string =>
  `${specifier.startsWith(self) && packageOf(from) === root ? root : from} ${conditions.join()} ${specifier}`;

function plainFile(url: string): Resolved | undefined {
  const known = files.get(url);
  if (known !== undefined) return known;
  const packageFolder = packageOf(folderOf(url));
  const format = packageFolder === undefined ? undefined : kinds.get(kindOf(url, packageFolder));
  // A link would be followed: its target is the module.
  if (format === undefined || at(url)?.isFile() !== true) return undefined;
  const found: Resolved = { url, format, shortCircuit: true };
  files.set(url, found);
  return found;
}

/** @param real where no part of the path is a link; else that is asked of each, up to one that is known. */
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

/** Of an answer, which has no links in it. */
function learn(specifier: string, from: string, { url, format }: Resolved): void {
  if (!formats.has(format) || !url.startsWith(scheme) || /[?#%]/.test(url)) return;
  const packageFolder = packageOf(folderOf(url), true);
  if (packageFolder === undefined) return;
  kinds.set(kindOf(url, packageFolder), String(format));
  if (specifier.startsWith('#') && url === aliased(specifier) && packageOf(from) === root)
    aliases.add(aliasOf(specifier));
}

export const useQuickResolution = (): void => void registerHooks({ resolve: resolveQuickly });
