// Explains why a plugin could not be loaded: turns Node's errors into a sentence with the file, the line and the most
// similar known name.
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ChosenPlugin } from '#host/configuration/configuration';
import { PLUGIN_API_VERSION } from '../plugin/definition.ts';
import type { Failure } from './loading.ts';
import { didYouMean, nearest } from '../problems/nearest.ts';
import { firstLine } from '../problems/thrown.ts';
import { entries, version } from '../version.ts';

const off = (name: string): string => `disable the plugin with HEXFORGE_PLUGINS=-${name}`;

const mend = (name: string): string => `Mend it, or ${off(name)}`;

/** The failure for a plugin whose own module was not found. */
export function entryFailure({ name, module, resolveFrom }: ChosenPlugin, error: Error): Failure {
  return module.startsWith('/')
    ? missingPath(name, module, resolveFrom)
    : missingPackage(name, module, resolveFrom, error);
}

function missingPath(name: string, path: string, resolveFrom: string): Failure {
  const code = 'plugin_not_found';
  const key = `plugins.${name}.path`;
  if (kindOf(path) === 'folder') {
    const modules = namesIn(path).filter((entry) => /\.[cm]?[jt]s$/.test(entry));
    const likely = modules.find((entry) => /^(index|plugin|main)\./.test(entry)) ?? modules[0];
    const example = likely === undefined ? '' : `, such as ./${relative(resolveFrom, join(path, likely))}`;
    return {
      code,
      message: `Plugin "${name}" is not found: ${path} is a folder`,
      remedy: `Name a file in it with ${key}${example}`,
    };
  }
  // Finds the first folder of the path that does not exist, or the file.
  let missing = path;
  while (kindOf(dirname(missing)) === undefined) missing = dirname(missing);
  return {
    code,
    message: `Plugin "${name}" is not found: there is no ${missing === path ? 'file' : 'folder'} ${missing}`,
    remedy: didYouMean(
      basename(missing),
      namesIn(dirname(missing)),
      `Correct ${key} in the configuration, or ${off(name)}`,
    ),
  };
}

function missingPackage(name: string, wanted: string, resolveFrom: string, error: Error): Failure {
  const code = 'plugin_not_found';
  const packageName = packageOf(wanted);
  const home = installed(resolveFrom, packageName) ?? installed(import.meta.dirname, packageName);
  if (home === undefined)
    return {
      code,
      message: `Plugin "${name}" is not found: no package "${packageName}" is installed beside the configuration (${resolveFrom})`,
      remedy: didYouMean(
        packageName,
        [...packagesFrom(resolveFrom), ...packagesFrom(import.meta.dirname)],
        `Install it there with npm install ${packageName}, or ${off(name)}`,
      ),
    };
  const absent = /^Cannot find (?:package|module) '(\/[^']+)'/.exec(error.message)?.[1];
  return {
    code,
    message: `Plugin "${name}" is not found: the package "${packageName}" is installed in ${home}, but ${
      absent === undefined ? unexportedOf(error) : `its module ${absent} is not there`
    }`,
    remedy: `Build it or install it again, or ${off(name)}`,
  };
}

function unexportedOf(error: Error): string {
  const subpath = unexportedSubpath.exec(error.message)?.[1];
  if (subpath !== undefined) return `it does not export "./${subpath}"`;
  return /No "exports" main defined/.test(error.message) ? 'it exports no main module' : firstLine(error.message);
}

export interface FoundPlugin {
  readonly name: string;
  readonly file: string;
  /** Files of all modules found during loading, the plugin's own first. */
  readonly found: readonly string[];
}

/** The failure for a plugin whose module was found but could not be loaded. */
export async function loadFailure(plugin: FoundPlugin, error: Error): Promise<Failure> {
  const { name, file } = plugin;
  const who = `Plugin "${name}" (${file})`;
  switch (codeOf(error)) {
    case 'ERR_MODULE_NOT_FOUND':
    case 'MODULE_NOT_FOUND':
    case 'ERR_PACKAGE_PATH_NOT_EXPORTED':
    case 'ERR_UNSUPPORTED_DIR_IMPORT':
      return missingDependency(plugin, error);
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      return {
        code: 'plugin_syntax',
        message: `${who} is TypeScript below node_modules, which Node does not run`,
        remedy: 'Ship JavaScript in the package, or configure the plugin by its path outside node_modules',
      };
    case 'ERR_UNKNOWN_FILE_EXTENSION':
      return {
        code: 'plugin_syntax',
        message: `${who} cannot be loaded: "${extname(/ for (\S+)$/.exec(error.message)?.[1] ?? file)}" is no extension of a module`,
        remedy: 'Name it .js, .mjs, .cjs or .ts',
      };
  }
  const unexported = /^The requested module '([^']+)' does not provide an export named '([^']+)'/.exec(error.message);
  if (unexported !== null) return missingExport(plugin, unexported[1] ?? '', unexported[2] ?? '', error);
  if (error instanceof SyntaxError) {
    const at = await whereSyntax(plugin, error);
    if (at !== undefined)
      return {
        code: 'plugin_syntax',
        message: `${who} cannot be loaded: ${firstLine(error.message).replace(`${at}: `, '')} at ${at}`,
        remedy: mend(name),
      };
  }
  const at = thrownAt(error);
  return {
    code: 'plugin_threw',
    message: `${who} threw while it was loaded: ${firstLine(error.message)}${at === undefined ? '' : ` at ${at}`}`,
    remedy: mend(name),
  };
}

function missingDependency({ name, file }: FoundPlugin, error: Error): Failure {
  const code = 'plugin_dependency_missing';
  const text = error.message;
  const importer = /imported from (\S+)$/m.exec(text)?.[1] ?? /Require stack:\n- (.+)/.exec(text)?.[1] ?? file;
  const does = (what: string): string =>
    `Plugin "${name}" (${file}) is found, but ${importer === file ? 'it' : importer} imports ${what}`;
  const [, face, home] = unexportedSubpath.exec(text) ?? [];
  if (face !== undefined && home === root)
    return {
      code,
      message: `Plugin "${name}" (${file}) is found, but imports "hexforge/${face}", which Hexforge ${version} does not have`,
      remedy: didYouMean(
        face,
        entries,
        `Install a version of "${name}" made for the plugin API ${PLUGIN_API_VERSION}, or ${off(name)}`,
      ),
    };
  const wanted = /^Cannot find (?:package|module) '([^']+)'/.exec(text)?.[1];
  if (wanted === undefined)
    return { code, message: does(`what is not there: ${firstLine(error.message)}`), remedy: mend(name) };
  const path = wanted.startsWith('/') ? wanted : wanted.startsWith('.') ? join(dirname(importer), wanted) : undefined;
  if (path !== undefined)
    return {
      code,
      message: does(`${path}, which is not there`),
      remedy: didYouMean(basename(path), namesIn(dirname(path)), `Build or install the plugin again, or ${off(name)}`),
    };
  const wantedPackage = packageOf(wanted);
  return {
    code,
    message: does(`the package "${wantedPackage}", which is not installed`),
    remedy: didYouMean(
      wantedPackage,
      [...packagesFrom(dirname(importer)), ...builtinModules],
      `Install it beside the plugin: npm install ${wantedPackage} in ${dirname(importer)}`,
    ),
  };
}

const unexportedSubpath = /subpath '\.\/([^']+)' is not defined by "exports" in (\S+)\/package\.json/;
const host = dirname(import.meta.dirname);
const root = dirname(host);

async function missingExport(
  { name, file }: FoundPlugin,
  module: string,
  wanted: string,
  error: Error,
): Promise<Failure> {
  const ours = module.startsWith('hexforge/');
  const names = ours ? Object.keys((await import(module)) as object) : [];
  const remedy = ours
    ? `Install a version of "${name}" made for the plugin API ${PLUGIN_API_VERSION}, or ${off(name)}`
    : `Correct the import, or install the version of "${module}" that the plugin was made for, or ${off(name)}`;
  return {
    code: 'plugin_dependency_missing',
    message: `Plugin "${name}" (${file}) is found, but imports "${wanted}" from "${module}", which does not export it (${decorated(error) ?? file})`,
    remedy: nearest(wanted, names) === undefined ? remedy : didYouMean(wanted, names, remedy),
  };
}

/** The most files to check for a syntax error. */
const mostChecked = 64;

/**
 * The place of a syntax error. Node's stack has it except for JavaScript modules; those are checked with `node
 * --check`, first the plugin's own file, then the others from the last found to the first.
 */
async function whereSyntax({ file, found }: FoundPlugin, error: SyntaxError): Promise<string | undefined> {
  const told = decorated(error) ?? /^(\/\S+\.json): /.exec(error.message)?.[1];
  if (told !== undefined) return told;
  // The error was thrown by code that ran, such as JSON.parse.
  if (thrownAt(error) !== undefined) return undefined;
  const candidates = [file, ...found.filter((other) => other !== file).toReversed()];
  for (const candidate of candidates.filter((path) => /\.[cm]?js$/.test(path)).slice(0, mostChecked)) {
    try {
      await promisify(execFile)(process.execPath, ['--check', candidate], { env: {} });
    } catch (failed) {
      const { stderr = '' } = failed as { readonly stderr?: string };
      return placed(stderr) ?? candidate;
    }
  }
  return undefined;
}

/** The `FILE:LINE` that Node writes above the stack of some errors. */
const decorated = (error: Error): string | undefined => (error.stack === undefined ? undefined : placed(error.stack));

function placed(text: string): string | undefined {
  const first = text.split('\n', 1)[0] ?? '';
  const [, url, path, line] = /^(?:(file:\/\/\S+)|(\/.+)):(\d+)$/.exec(first) ?? [];
  const file = url === undefined ? path : fileURLToPath(url);
  return file === undefined ? undefined : `${file}:${line ?? ''}`;
}

/**
 * The innermost stack frame in a file, as `FILE:LINE`, skipping Node's own modules; undefined if that file is the
 * host's.
 */
export function thrownAt(error: Error): string | undefined {
  for (const line of (error.stack ?? '').split('\n')) {
    const [, url, path, number] =
      /^ +(?:at |at async |at .+ \()(?:(file:\/\/[^\s:]+)|(\/[^:()]+)):(\d+):\d+\)?$/.exec(line) ?? [];
    const file = url === undefined ? path : fileURLToPath(url);
    if (file !== undefined) return file.startsWith(`${host}/`) ? undefined : `${file}:${number ?? ''}`;
  }
  return undefined;
}

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined);

/** `@scope/name/sub` → `@scope/name` */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function kindOf(path: string): 'folder' | 'file' | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : stats.isDirectory() ? 'folder' : 'file';
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The `node_modules` folders from this folder up to the root. */
function* modulesFrom(folder: string): Generator<string> {
  for (let at = folder; ; at = dirname(at)) {
    yield join(at, 'node_modules');
    if (at === dirname(at)) return;
  }
}

const installed = (folder: string, name: string): string | undefined =>
  [...modulesFrom(folder)].map((modules) => join(modules, name)).find((home) => kindOf(home) === 'folder');

const packagesFrom = (folder: string): readonly string[] =>
  [...modulesFrom(folder)].flatMap((modules) =>
    namesIn(modules).flatMap((name) =>
      name.startsWith('@') ? namesIn(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
    ),
  );
