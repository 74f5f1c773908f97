// Attribution: which outside plugin the code that runs now belongs to, carried along its asynchronous work
// (AsyncLocalStorage) or read off the stack of an error.
import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Configuration } from '#config/configuration';
import type { Made } from './life.ts';

/** A plugin that is not a standard one. */
export interface OutsidePlugin {
  readonly name: string;
  /** The absolute path of its module, where it came from a file. */
  readonly file?: string;
}

/** Where the host's own code lies: no plugin's, though a plugin's folder may hold it. */
const ourRoot = fileURLToPath(new URL('..', import.meta.url));

export class Attribution {
  readonly #running = new AsyncLocalStorage<string>();
  readonly #files = new Map<string, string>();
  readonly #outside: ReadonlySet<string>;

  constructor(plugins: readonly OutsidePlugin[]) {
    this.#outside = new Set(plugins.map(({ name }) => name));
    for (const { name, file } of plugins) if (file !== undefined) this.#files.set(name, real(file));
  }

  /** Runs a call into a plugin. Those of standard plugins are not followed: they cost nothing. */
  run<T>(plugin: string, work: () => T): T {
    if (this.#outside.has(plugin)) return this.#running.run(plugin, work);
    return this.#running.getStore() === undefined ? work() : this.#running.exit(work);
  }

  /** What an outside plugin's builders made, each call into it followed. */
  followed(plugin: string, made: Made): Made {
    if (!this.#outside.has(plugin)) return made;
    const run = <T>(work: () => T): T => this.#running.run(plugin, work);
    return {
      ...made,
      routes: made.routes.map((route) => ({ ...route, run: (call, input) => run(() => route.run(call, input)) })),
      channels: made.channels.map((channel) => ({
        ...channel,
        follow: (call, input) => run(() => channel.follow(call, input)),
        message: (event) => run(() => channel.message(event)),
      })),
      events: made.events.map((subscription) => ({
        ...subscription,
        handle: (event, signal) => run(() => subscription.handle(event, signal)),
      })),
      jobs: made.jobs.map((job) => ({ ...job, run: (signal) => run(() => job.run(signal)) })),
      tools: made.tools.map((tool) => ({ ...tool, run: (call, input) => run(() => tool.run(call, input)) })),
      indexers: made.indexers.map((indexer) => ({
        ...indexer,
        changed: (event) => run(() => indexer.changed(event)),
        documents: (repositoryId) => run(() => indexer.documents(repositoryId)),
      })),
      pages: made.pages.map((page) => ({ ...page, run: (call, input) => run(() => page.run(call, input)) })),
      probes: made.probes.map((probe) => ({ ...probe, check: () => run(() => probe.check()) })),
    };
  }

  /** The first on the error's stack, or else the plugin at work: that may have called another one through a port. */
  culprit(error: unknown): string | undefined {
    return (error instanceof Error ? this.#onStack(error.stack ?? '') : undefined) ?? this.#running.getStore();
  }

  #onStack(stack: string): string | undefined {
    for (const line of stack.split('\n').slice(1)) {
      const plugin = this.#inFrame(line);
      if (plugin !== undefined) return plugin;
    }
    return undefined;
  }

  /** The plugin whose module the frame names; else the one in whose folder it lies, unless several share that. */
  #inFrame(line: string): string | undefined {
    const lies = (path: string, after: string): boolean =>
      line.includes(`${pathToFileURL(path).href}${after}`) || line.includes(`${path}${after}`);
    const files = [...this.#files];
    const exact = files.find(([, file]) => lies(file, ':'));
    if (exact !== undefined) return exact[0];
    const folders = [
      ...files.map(([name, file]) => ({ name, folder: folderOf(file) })),
      { name: undefined, folder: ourRoot.endsWith(sep) ? ourRoot.slice(0, -1) : ourRoot },
    ].filter(({ folder }) => lies(folder, '/') && !lies(folder, '/node_modules/'));
    const deepest = Math.max(0, ...folders.map(({ folder }) => folder.length));
    const nearest = folders.filter(({ folder }) => folder.length === deepest);
    return nearest.length === 1 ? nearest[0]?.name : undefined;
  }
}

/** The enabled plugins of a configuration that are not standard ones. */
export const outsidePlugins = ({ plugins }: Configuration): readonly OutsidePlugin[] =>
  plugins
    .filter(({ enabled, standard }) => enabled && !standard)
    .map(({ name, module, resolveFrom }) => {
      const file = module.startsWith('/') ? module : fileOf(module, resolveFrom);
      // Without a file what it does is known while it does it, not by its stack.
      return file === undefined ? { name } : { name, file };
    });

/** Of a package beside the configuration, or else beside Hexforge. */
function fileOf(module: string, resolveFrom: string): string | undefined {
  const name = module.split('/', module.startsWith('@') ? 2 : 1).join('/');
  for (const from of [join(resolveFrom, 'hexforge.yaml'), import.meta.url]) {
    const { resolve } = createRequire(from);
    try {
      return resolve(module);
    } catch {
      // Many packages have exports for `import` alone, and `resolve` is that of `require`: the folder tells as much.
      const folder = resolve.paths(module)?.find((path) => existsSync(join(path, name)));
      if (folder !== undefined) return join(folder, name, 'package.json');
    }
  }
  return undefined;
}

/** Of a package its own; of a file the one it lies in. */
function folderOf(file: string): string {
  const parts = file.split(sep);
  const at = parts.lastIndexOf('node_modules');
  if (at === -1) return dirname(file);
  return parts.slice(0, at + (parts[at + 1]?.startsWith('@') === true ? 3 : 2)).join(sep);
}

/** Modules are known by the path that links lead to. */
function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // It is not there: its plugin will not be loaded either.
    return file;
  }
}
