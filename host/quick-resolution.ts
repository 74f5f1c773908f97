// Module resolution that asks the disk once for a file: for every import Node looks for the package.json of the folder
// and of all above it, which is a tenth of the time of a start.
import { lstatSync } from 'node:fs';
import { registerHooks, type RegisterHooksOptions } from 'node:module';

type Resolve = NonNullable<RegisterHooksOptions['resolve']>;
type Resolved = ReturnType<Resolve>;

const scheme = 'file://';
const root = new URL('../', import.meta.url).href;
const packages = `${root}node_modules/`;
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const formats = new Set<unknown>(['module', 'module-typescript']);

/** Folders where Node has found a module, with the extension of its name, and the format: that of all such files. */
const folders = new Map<string, string>();
const files = new Map<string, Resolved>();

/** Answers as Node does, of which it is a copy of earlier answers; what it cannot know is Node's to say. */
export const resolveQuickly: Resolve = (specifier, context, next) => {
  const url = meant(specifier, context.parentURL);
  if (url === undefined) return next(specifier, context);
  const known = files.get(url);
  if (known !== undefined) return known;
  const folder = url.slice(0, url.lastIndexOf('/')) + url.slice(url.lastIndexOf('.'));
  const format = folders.get(folder);
  // A link would be followed: its target is the module.
  if (format !== undefined && lstatSync(url.slice(scheme.length), { throwIfNoEntry: false })?.isFile() === true) {
    const found: Resolved = { url, format, shortCircuit: true };
    files.set(url, found);
    return found;
  }
  const found = next(specifier, context);
  if (found.url === url && formats.has(found.format)) folders.set(folder, String(found.format));
  return found;
};

const relativeFile = /^\.\.?\/[^?#%\\]*\.(?:js|mjs|ts)$/;

/** The file a specifier means if it is there: a relative one, or one of the manifest's `imports`. */
function meant(specifier: string, parent: string | undefined): string | undefined {
  // Of a path with percent signs the URL is not the name.
  if (parent === undefined || !parent.startsWith(scheme) || parent.includes('%')) return undefined;
  if (relativeFile.test(specifier)) return new URL(specifier, parent).href;
  if (!specifier.startsWith('#') || !parent.startsWith(root) || parent.startsWith(packages)) return undefined;
  return `${root}${specifier.slice(1)}${extension}`;
}

export const useQuickResolution = (): void => void registerHooks({ resolve: resolveQuickly });
