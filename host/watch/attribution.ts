// Finds the external plugin that the running code belongs to, by asynchronous context (AsyncLocalStorage) or by the
// stack of an error.
import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Configuration } from '#host/configuration/configuration';
import type { Made } from '../plugin/life.ts';

/** A plugin that is not a standard one. */
export interface OutsidePlugin {
  readonly name: string;
  /** The absolute path of its module; absent if it was not loaded from a file. */
  readonly file?: string;
}

/** The root of the host's own code. It belongs to no plugin, even inside a plugin's folder. */
const ourRoot = fileURLToPath(new URL('../..', import.meta.url));

export class Attribution {
  readonly #running = new AsyncLocalStorage<string>();
  readonly #files = new Map<string, string>();
  readonly #outside: ReadonlySet<string>;

  constructor(plugins: readonly OutsidePlugin[]) {
    this.#outside = new Set(plugins.map(({ name }) => name));
    for (const { name, file } of plugins) if (file !== undefined) this.#files.set(name, real(file));
  }

  /** Runs a call into a plugin. Calls into standard plugins are not tracked, which keeps them cheap. */
  run<T>(plugin: string, work: () => T): T {
    if (this.#outside.has(plugin)) return this.#running.run(plugin, work);
    return this.#running.getStore() === undefined ? work() : this.#running.exit(work);
  }

  /** Wraps the contributions of an external plugin, so that each call into them is tracked. */
  followed(plugin: string, made: Made): Made {
    if (!this.#outside.has(plugin)) return made;
    const tracked = <T extends object>(one: T, members: readonly (keyof T & string)[]): T => ({
      ...one,
      ...Object.fromEntries(
        members.map((member) => [
          member,
          (...args: readonly unknown[]): unknown =>
            this.#running.run(plugin, () => Reflect.apply(one[member] as () => unknown, one, args)),
        ]),
      ),
    });
    return {
      ...made,
      routes: made.routes.map((route) => tracked(route, ['run'])),
      channels: made.channels.map((channel) => tracked(channel, ['follow', 'message'])),
      events: made.events.map((subscription) => tracked(subscription, ['handle'])),
      jobs: made.jobs.map((job) => tracked(job, ['run'])),
      tools: made.tools.map((tool) => tracked(tool, ['run'])),
      indexers: made.indexers.map((indexer) => tracked(indexer, ['touched', 'document', 'documents'])),
      pages: made.pages.map((page) => ({
        ...tracked(page, ['run']),
        forms: page.forms.map((form) => tracked(form, ['run'])),
      })),
      tabs: made.tabs.map((tab) => (tab.count === undefined ? tab : tracked(tab, ['count']))),
      cards: made.cards.map((card) => tracked(card, ['run'])),
      panels: made.panels.map((panel) => tracked(panel, ['run'])),
      probes: made.probes.map((probe) => tracked(probe, ['check'])),
    };
  }

  /**
   * The external plugin on the error's stack that is innermost; otherwise the running plugin, which may have called
   * another one through a port.
   */
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

  /**
   * The plugin whose module the frame names; otherwise the plugin with the deepest folder that contains the frame's
   * file, unless several share it.
   */
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
      // Without a file, the plugin is found by asynchronous context only.
      return file === undefined ? { name } : { name, file };
    });

/** The file of a package, looked up from the configuration and then from Hexforge. */
function fileOf(module: string, resolveFrom: string): string | undefined {
  const name = module.split('/', module.startsWith('@') ? 2 : 1).join('/');
  for (const from of [join(resolveFrom, 'hexforge.yaml'), import.meta.url]) {
    const { resolve } = createRequire(from);
    try {
      return resolve(module);
    } catch {
      // Many packages have exports for `import` only, while `resolve` uses the conditions of `require`. The folder is
      // enough here.
      const folder = resolve.paths(module)?.find((path) => existsSync(join(path, name)));
      if (folder !== undefined) return join(folder, name, 'package.json');
    }
  }
  return undefined;
}

/** The folder of the package that contains the file; outside of packages, the file's own folder. */
function folderOf(file: string): string {
  const parts = file.split(sep);
  const at = parts.lastIndexOf('node_modules');
  if (at === -1) return dirname(file);
  return parts.slice(0, at + (parts[at + 1]?.startsWith('@') === true ? 3 : 2)).join(sep);
}

/** Node identifies modules by their real path, with links resolved. */
function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // The file does not exist, so its plugin cannot be loaded either.
    return file;
  }
}
