// Reads the configuration: the environment overrides the file, the file overrides defaults. All faults of the host's
// own keys are reported at once.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { load as parseYaml, YAMLException } from 'js-yaml';
import { validated } from './validated.ts';
import { trimEnd } from '#core/kernel/trim';
import { didYouMean } from '../problems/nearest.ts';
import { Refused, type Problem } from '../problems/problem.ts';
import { version } from '../version.ts';
import { mask, type ChosenPlugin, type Configuration, type ShownValue, type Source } from './configuration.ts';
import { limitsOf } from './limits.ts';
import { hostSchema, keys, type HostKeys, type PluginKeys } from './schema.ts';
import { defaultProviders, standardPlugins } from '#config/standard';

/** All faults of the host's part of the configuration, each with its remedy. */
export class ConfigurationProblems extends Refused {
  /**
   * The configuration without its faulty keys, so that the other checks can still run; undefined if the file cannot be
   * read or parsed.
   */
  readonly partial: Configuration | undefined;

  constructor(problems: readonly Problem[], partial?: Configuration) {
    super(problems);
    this.partial = partial;
  }
}

export interface LoadOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths. A plugin's `path` is relative to the configuration file instead. */
  readonly cwd: string;
  /** A file named on the command line; overrides HEXFORGE_CONFIG. */
  readonly file?: string;
}

type Values = Record<string, unknown>;

/** @throws {ConfigurationProblems} with every fault found. */
export async function loadConfiguration(options: LoadOptions): Promise<Configuration> {
  const { environment, cwd } = options;
  const file = readFile(options);
  const given = fromEnvironment(environment);
  const values = { ...file?.values, ...given.values };
  const { value, problems, faulty } = validated(hostSchema, values, {
    prefix: '',
    code: 'bad_configuration',
    setBy: (key) => given.variables.get(key),
  });
  const checked: HostKeys =
    faulty.length === 0 ? value : validated(hostSchema, without(values, faulty), { prefix: '', code: '' }).value;
  const switches = readSwitches(environment['HEXFORGE_PLUGINS'] ?? '', checked.plugins);
  const plugins = choose(checked.plugins, switches.on, file === undefined ? cwd : dirname(file.path));
  const all = [
    ...problems.map((problem) => sourced(problem, given.variables, file?.path)),
    ...switches.problems,
    ...plugins.problems,
  ];
  const sourceOf = (key: string): Source => {
    const variable = given.variables.get(key);
    if (variable !== undefined) return `environment ${variable}`;
    return file !== undefined && key in file.values ? `file ${file.path}` : 'default';
  };
  const configuration: Configuration = {
    version,
    host: checked.host,
    port: checked.port,
    baseUrl: withoutSlashes(checked.base_url),
    webUrl: withoutSlashes(checked.web_url ?? checked.base_url),
    dataDir: resolve(cwd, checked.data_dir),
    database: checked.database === 'memory' ? { column: 'memory' } : { column: 'sql', url: checked.database_url },
    trustedProxies: checked.trusted_proxies,
    idleMs: checked.idle_timeout * 1000,
    secretKeys: checked.secret_key?.split(',').map((key) => Buffer.from(key, 'base64')),
    logLevel: checked.log_level,
    limits: limitsOf((name) => checked[`${name}_timeout`]),
    plugins: plugins.chosen,
    providers: checked.providers,
    defaultProviders,
    settings: checked.settings,
    environment,
    file: file?.path,
    shown: shown(checked, sourceOf, switches.sources, plugins.chosen),
  };
  if (all.length > 0) throw new ConfigurationProblems(all, configuration);
  return configuration;
}

/** Removes the faulty keys: a whole key of the host, one key of a plugin, one provider choice or one setting. */
function without(values: Values, faulty: readonly (readonly (string | number)[])[]): Values {
  const rest = structuredClone(values);
  for (const path of faulty) {
    const depth = path[0] === 'plugins' ? 3 : path[0] === 'providers' || path[0] === 'settings' ? 2 : 1;
    const steps = path.slice(0, depth);
    const holder = steps
      .slice(0, -1)
      .reduce<unknown>((at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined), rest);
    if (typeof holder === 'object' && holder !== null) Reflect.deleteProperty(holder, steps.at(-1) ?? '');
  }
  return rest;
}

const unusable = (code: string, message: string, remedy: string): ConfigurationProblems =>
  new ConfigurationProblems([{ code, message, remedy }]);

function readFile({
  environment,
  cwd,
  file,
}: LoadOptions): { readonly path: string; readonly values: Values } | undefined {
  const asked = file ?? nonEmpty(environment['HEXFORGE_CONFIG']);
  const path = resolve(cwd, asked ?? 'config/hexforge.yaml');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (asked === undefined && code === 'ENOENT') return undefined;
    throw unusable(
      'configuration_file',
      `The configuration file ${path} cannot be read (${code})`,
      'Correct HEXFORGE_CONFIG or --config, or the permissions of the file',
    );
  }
  const values = parse(text, path);
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw unusable(
      'configuration_file',
      `The configuration file ${path} holds no mapping of keys to values`,
      'Start from config/hexforge.example.yaml',
    );
  return { path, values: filled(values) };
}

/** Removes null values: a key without a value, as in the example file, counts as absent. */
const filled = (map: object): Values =>
  Object.fromEntries(
    Object.entries(map)
      .filter(([, value]) => value !== null)
      .map(([key, value]: [string, unknown]) => [
        key,
        typeof value === 'object' && value !== null && !Array.isArray(value) ? filled(value) : value,
      ]),
  );

const withoutSlashes = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : trimEnd(url, (character) => character === '/');

function parse(text: string, path: string): unknown {
  // The parser throws for a file without a document, but a file of comments only is an empty configuration.
  if (text.split('\n').every((line) => /^(?:#|$)/.test(line.trim()))) return {};
  try {
    return parseYaml(text, { filename: path });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const at = error.mark === undefined ? '' : ` at line ${error.mark.line + 1}, column ${error.mark.column + 1}`;
    throw unusable(
      'bad_yaml',
      `The configuration file ${path} is not YAML${at}: ${error.reason}`,
      'Correct that line; indent with spaces, and quote texts that hold `: ` or start with a sign',
    );
  }
}

/** An empty variable counts as absent, because compose files set variables to the empty string. */
const nonEmpty = (text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : text;

function fromEnvironment(environment: LoadOptions['environment']): {
  readonly values: Values;
  /** Key to the variable that has set it. */
  readonly variables: ReadonlyMap<string, string>;
} {
  const values: Values = {};
  const variables = new Map<string, string>();
  for (const [key, { environment: name, read }] of Object.entries(keys)) {
    const text = name === undefined ? undefined : nonEmpty(environment[name]);
    if (text === undefined) continue;
    values[key] = read === undefined ? text : read(text);
    variables.set(key, name ?? '');
  }
  return { values, variables };
}

/** Adds the source of the faulty value to the message. */
function sourced(problem: Problem, variables: ReadonlyMap<string, string>, file: string | undefined): Problem {
  const key = problem.message.split(/[ .]/, 1)[0] ?? '';
  const variable = variables.get(key);
  const place = variable === undefined ? file && `file ${file}` : `environment ${variable}`;
  return place === undefined ? problem : { ...problem, message: `${problem.message} (${place})` };
}

interface Switches {
  readonly on: ReadonlyMap<string, boolean>;
  readonly sources: ReadonlyMap<string, Source>;
  readonly problems: readonly Problem[];
}

/** Parses HEXFORGE_PLUGINS: `+name` enables a plugin and `-name` disables it, overriding the configuration. */
function readSwitches(text: string, configured: HostKeys['plugins']): Switches {
  const known = [...new Set([...standardPlugins.map(({ name }) => name), ...Object.keys(configured)])];
  const on = new Map<string, boolean>();
  const problems: Problem[] = [];
  for (const item of text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')) {
    const name = item.replace(/^[+-]/, '');
    if (name === item)
      problems.push({
        code: 'plugin_switch',
        message: `HEXFORGE_PLUGINS holds "${item}", which neither enables nor disables`,
        remedy: `Write +${item} or -${item}`,
      });
    else if (known.includes(name)) on.set(name, item.startsWith('+'));
    else
      problems.push({
        code: 'unknown_plugin',
        message: `HEXFORGE_PLUGINS names "${name}", which is no known plugin`,
        remedy: didYouMean(name, known, `Known are ${known.join(', ')}`),
      });
  }
  return { on, sources: new Map([...on.keys()].map((name) => [name, 'environment HEXFORGE_PLUGINS'])), problems };
}

function choose(
  configured: HostKeys['plugins'],
  switched: ReadonlyMap<string, boolean>,
  resolveFrom: string,
): { readonly chosen: readonly ChosenPlugin[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const standard = new Map(standardPlugins.map((plugin) => [plugin.name, plugin]));
  const own = Object.keys(configured).filter((name) => !standard.has(name));
  const chosen = inFileOrder([...standard.keys(), ...own], Object.keys(configured)).flatMap(
    (name): ChosenPlugin | readonly ChosenPlugin[] => {
      const { enabled, path, package: from, mount, ...config }: PluginKeys = configured[name] ?? {};
      const known = standard.get(name);
      const module = path === undefined ? (from ?? known?.module) : resolve(resolveFrom, path);
      if (module === undefined) {
        problems.push({
          code: 'unknown_plugin',
          plugin: name,
          message: `plugins.${name} is no standard plugin, and has neither a path nor a package`,
          remedy: didYouMean(name, standard.keys(), 'Say where it is with `path` or `package`'),
        });
        return [];
      }
      const isStandard = known !== undefined && module === known.module;
      return {
        name,
        enabled: switched.get(name) ?? enabled ?? known?.enabled ?? true,
        module,
        resolveFrom,
        standard: isStandard,
        mount: mount ?? (isStandard ? 'anywhere' : 'own'),
        config,
      };
    },
  );
  return { chosen, problems };
}

/** Reorders the plugins named in the file among their own positions; the other plugins keep their position. */
function inFileOrder(all: readonly string[], named: readonly string[]): readonly string[] {
  const queue = [...named];
  return all.map((name) => (named.includes(name) ? (queue.shift() ?? name) : name));
}

function shown(
  values: HostKeys,
  sourceOf: (key: string) => Source,
  switches: ReadonlyMap<string, Source>,
  plugins: readonly ChosenPlugin[],
): readonly ShownValue[] {
  const scalars = Object.entries(keys)
    .filter(([key]) => !['providers', 'settings', 'plugins'].includes(key))
    .map(([key, { secret, otherwise }]): ShownValue => {
      const value = Object.entries(values).find(([name]) => name === key)?.[1];
      return {
        key,
        value: value === undefined ? `(${otherwise})` : secret === true ? mask : value,
        source: sourceOf(key),
      };
    });
  const chosen = {
    ...Object.fromEntries(
      Object.entries(defaultProviders).map(([port, plugin]) => [port, { plugin, source: 'default' }]),
    ),
    ...Object.fromEntries(
      Object.entries(values.providers).map(([port, plugin]) => [port, { plugin, source: sourceOf('providers') }]),
    ),
  };
  return [
    ...scalars,
    ...Object.entries(chosen).map(([port, { plugin, source }]): ShownValue => ({
      key: `providers.${port}`,
      value: plugin,
      source,
    })),
    ...plugins.map(({ name, enabled }): ShownValue => ({
      key: `plugins.${name}.enabled`,
      value: enabled,
      source: switches.get(name) ?? (values.plugins[name]?.enabled === undefined ? 'default' : sourceOf('plugins')),
    })),
  ];
}
