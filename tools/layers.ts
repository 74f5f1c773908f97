// Defines which modules each layer may import, and checks it (files in, violations out). The linter and the
// architecture test use the same table.
import { imports, impurities, tokens } from './source/scan.ts';

export interface SourceFile {
  /** Relative to the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule: 'layer' | 'one-adapter' | 'core-globals' | 'host-names-plugin' | 'computed-import';
  readonly message: string;
}

const everyFeature = ['kernel', 'identity', 'repositories'];

/** Area of core → the areas that it may import, each through its `index`. Files of the kernel are imported by name. */
export const areas: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  identity: ['kernel'],
  repositories: ['kernel', 'identity'],
  planning: everyFeature,
  issues: [...everyFeature, 'planning'],
  pipelines: [...everyFeature, 'planning'],
  merges: [...everyFeature, 'planning', 'issues', 'pipelines'],
  deployments: [...everyFeature, 'planning', 'issues', 'pipelines', 'merges'],
  oauth: everyFeature,
  search: everyFeature,
  settings: everyFeature,
  audit: everyFeature,
  limits: everyFeature,
  administration: everyFeature,
  mcp: everyFeature,
  webhooks: everyFeature,
};

const hostAdapters = [
  'adapters/http/**',
  'adapters/postgres/**',
  'adapters/memory/**',
  'adapters/system/**',
  'adapters/crypto/sealer',
];
const libraries = ['node:**', 'npm:**'];
/**
 * The modules that the package exports to plugin authors besides `hexforge/testing`. Includes areas that do not exist
 * yet.
 */
export const forAuthors = ['plugin', 'ui', ...Object.keys(areas).filter((area) => area !== 'kernel')].map(
  (face) => `npm:hexforge/${face}`,
);

interface Layer {
  /** The folder; `*` matches one name, which `{1}` in `may` refers to. */
  readonly folder: string;
  /** The allowed imports of its files: folders from the project's root, `node:` modules, and packages as `npm:NAME`. */
  readonly may: readonly string[];
  /** Exceptions from `may`. */
  readonly not?: readonly string[];
  readonly says: string;
}

/**
 * The first layer whose folder contains a file applies. Folders without a layer (tools, bench, bin) may import
 * anything.
 */
export const layers: readonly Layer[] = [
  ...Object.entries(areas).map(([area, uses]): Layer => ({
    folder: `core/${area}`,
    may: [`core/${area}/**`, ...uses.map((used) => (used === 'kernel' ? 'core/kernel/**' : `core/${used}/index`))],
    says:
      uses.length === 0
        ? `core/${area} imports itself alone`
        : `core/${area} imports itself and ${uses.join(', ')}, other areas than the kernel through their index alone`,
  })),
  {
    folder: 'core',
    may: [],
    says: 'core has no files outside its areas, and this area is not in the table of tools/layers.ts',
  },
  {
    folder: 'adapters/git-common',
    may: ['adapters/git-common/**', 'core/**', ...libraries],
    says: 'what the git back ends share imports core alone',
  },
  {
    folder: 'adapters/git-*',
    may: ['adapters/git-{1}/**', 'adapters/git-common/**', 'core/**', ...libraries],
    says: 'a git back end imports core, its own library and what the git back ends share (adapters/git-common), never another adapter',
  },
  {
    folder: 'adapters/*',
    may: ['adapters/{1}/**', 'core/**', ...libraries],
    says: 'an adapter imports core and its own library, never another adapter',
  },
  {
    folder: 'plugins/oauth-server',
    may: ['plugins/oauth-server/**', ...forAuthors, 'core/oauth/use-cases', 'adapters/**'],
    not: hostAdapters.filter((pattern) => pattern.endsWith('/**')),
    says: 'as any plugin; its area is "oauth", for signing in at others (plugin "oauth-login") is no part of it',
  },
  {
    folder: 'plugins/*',
    may: ['plugins/{1}/**', ...forAuthors, 'core/{1}/use-cases', 'adapters/**'],
    not: hostAdapters.filter((pattern) => pattern.endsWith('/**')),
    says: 'a plugin imports what an author outside may ("hexforge/plugin" and the faces of areas), the use cases of its own area, the adapter it wires (not the host\'s own) and its own files, never another plugin',
  },
  {
    folder: 'host/sdk',
    may: ['host/**', 'config/standard', 'core/kernel/**', 'core/*/index', ...hostAdapters, ...libraries],
    says: 'the kit for plugin authors imports the faces of core, the host, and the adapters http, postgres, memory and system',
  },
  {
    folder: 'host/ready-made',
    may: ['host/**', 'core/kernel/**', 'core/*/index', ...hostAdapters, ...libraries],
    says: 'ready-made parts of plugins import the faces of core, the host, and the adapters http, postgres, memory and system',
  },
  {
    folder: 'host',
    may: ['host/**', 'config/standard', 'core/kernel/**', ...hostAdapters, ...libraries],
    says: 'the host imports the kernel, the list of standard plugins, the adapters http, postgres, memory and system, and the sealer, and no plugin',
  },
  {
    folder: 'config',
    may: [],
    says: 'the list of standard plugins names their modules as strings and imports nothing',
  },
  {
    folder: 'test/spec',
    may: ['test/spec/**', 'test/support/**', 'npm:hexforge/plugin', ...libraries],
    says: 'the HTTP suites use test/support and stock tools alone, so that they test the public door',
  },
  {
    folder: 'docs',
    may: ['docs/**', ...forAuthors, 'npm:hexforge/testing', 'npm:hexforge/testing/contracts', 'node:**'],
    says: 'an example imports what a plugin author may, and its own files',
  },
];

const matches = (pattern: string, path: string): boolean =>
  new RegExp(
    `^${pattern.replaceAll(/[.+?^$()|[\]\\]/g, '\\$&').replaceAll(/\*\*|\*/g, (stars) => (stars === '**' ? '.+' : '[^/]+'))}$`,
  ).test(path);

/** The layer of a file, with `{1}` replaced. */
export function layerOf(path: string): Layer | undefined {
  for (const layer of layers) {
    const found = new RegExp(`^${layer.folder.replaceAll('*', '([^/]+)')}/`).exec(path);
    if (found !== null) return { ...layer, may: layer.may.map((pattern) => pattern.replace('{1}', found[1] ?? '')) };
  }
  return undefined;
}

/** Resolves a specifier to a path from the project's root: `core/kernel/errors`, `node:fs`, `npm:joi`. */
export function resolve(specifier: string, from: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (!specifier.startsWith('.')) return specifier.startsWith('node:') ? specifier : `npm:${specifier}`;
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/').replace(/\.ts$/, '');
}

/** Wires nothing: it reads the plugin's own files, beside the adapter that the plugin wires. */
const readsOwnFiles = 'static-files';

/** Checks every file. `files` must be all files of the project, because some rules compare several. */
export function check(files: readonly SourceFile[]): Violation[] {
  const plugins = new Set(files.flatMap(({ path }) => /^plugins\/([^/]+)\//.exec(path)?.[1] ?? []));
  const adapterOf = new Map<string, string>();
  return files.flatMap(({ path, text }) => {
    const layer = layerOf(path);
    if (layer === undefined) return [];
    const all = tokens(text);
    const found: Violation[] = [];
    const report = (rule: Violation['rule'], line: number, message: string): void => {
      found.push({ file: path, line, rule, message });
    };

    for (const { specifier, line } of imports(all)) {
      if (specifier === undefined) {
        if (/^(core|adapters|plugins)\//.test(path))
          report('computed-import', line, 'an import computed at run time cannot be judged; name the module');
        continue;
      }
      const target = resolve(specifier, path);
      const named = (patterns: readonly string[] = []): boolean => patterns.some((pattern) => matches(pattern, target));
      if (!named(layer.may) || named(layer.not)) report('layer', line, `imports "${specifier}": ${layer.says}`);
      const [, plugin] = /^plugins\/([^/]+)\//.exec(path) ?? [];
      const [, adapter] = /^adapters\/([^/]+)\//.exec(target) ?? [];
      if (plugin !== undefined && adapter !== undefined && adapter !== readsOwnFiles) {
        const first = adapterOf.get(plugin) ?? adapter;
        adapterOf.set(plugin, first);
        if (first !== adapter)
          report(
            'one-adapter',
            line,
            `imports "${specifier}": the plugin "${plugin}" wires "${first}" already, and a provider plugin wires one adapter`,
          );
      }
    }
    if (path.startsWith('core/')) {
      for (const { name, line } of impurities(all))
        report(
          'core-globals',
          line,
          `uses ${name}: core has no clock, random, process, network or timer; take it from a port or from the call`,
        );
    }
    if (path.startsWith('host/')) {
      for (const token of all)
        // `settings` is both a plugin name and the name of a member of plugin definitions, which the host reads.
        if (token.kind === 'string' && plugins.has(token.text) && token.text !== 'settings')
          report(
            'host-names-plugin',
            token.line,
            `names the plugin "${token.text}": the host knows no plugin; that belongs in config/standard.ts or in the plugin`,
          );
    }
    return found;
  });
}
