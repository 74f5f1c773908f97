// Every key of the configuration: its meaning, unit, default, and the environment variable that sets it.
import Joi from 'joi';
import { limits, type Limit, type Limits } from './limits.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** `load_timeout` and so on: the time limits in seconds. */
type Timeouts = { readonly [L in keyof Limits as `${L}_timeout`]: number };

/** The checked values of the keys that the host itself reads. */
export interface HostKeys extends Timeouts {
  readonly host: string;
  readonly port: number;
  readonly base_url?: string;
  readonly web_url?: string;
  readonly data_dir: string;
  readonly database: 'sql' | 'memory';
  readonly database_url?: string;
  readonly trusted_proxies: readonly string[];
  readonly idle_timeout: number;
  readonly secret_key?: string;
  readonly log_level: (typeof logLevels)[number];
  readonly providers: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly plugins: Readonly<Record<string, PluginKeys>>;
}

export interface PluginKeys {
  readonly enabled?: boolean;
  readonly path?: string;
  readonly package?: string;
  readonly mount?: 'own' | 'anywhere';
  /** The plugin's own keys, which its own schema checks. */
  readonly [key: string]: unknown;
}

export interface Key {
  readonly schema: Joi.Schema;
  /** A sentence, with the unit if the value has one. */
  readonly description: string;
  /** The default in the file's form; undefined if the key is absent by default. */
  readonly default?: unknown;
  /** The text shown in place of a default that is absent or computed. */
  readonly otherwise?: string;
  readonly environment?: string;
  /** Converts the text of the environment variable; if absent, the text is the value. */
  readonly read?: (text: string) => unknown;
  /** If true, the value is masked whenever the configuration is shown. */
  readonly secret?: true;
}

const commaList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
const wholeNumber = (text: string): unknown => (/^\d+$/.test(text) ? Number(text) : text);

/** An issuer has neither a query nor a fragment (RFC 8414, section 2), and paths are added to its end. */
const url = Joi.string()
  .uri({ scheme: ['http', 'https'] })
  .custom((text: string, helpers) => (/[?#]|^\w+:\/\/[^/]*@/.test(text) ? helpers.error('any.invalid') : text))
  .messages({ 'any.invalid': 'must be a URL without a user, a query and a fragment' });
const postgresUrl = Joi.string()
  .uri({ scheme: ['postgres', 'postgresql'] })
  .messages({ 'string.uriCustomScheme': 'must be a postgres:// URL' });
/** One key, or several separated by commas. */
const key32 = Joi.string()
  .max(1000)
  .custom((text: string, helpers) =>
    text.split(',').every((key) => Buffer.from(key, 'base64').length === 32) ? text : helpers.error('any.invalid'),
  )
  .messages({ 'any.invalid': 'must be 32 bytes in base64' });

const timeouts = Object.fromEntries(
  Object.entries(limits).map(([name, { seconds, most = 3600, description }]: [string, Limit]): [string, Key] => [
    `${name}_timeout`,
    { schema: Joi.number().positive().max(most), description, default: seconds },
  ]),
) as Record<keyof Timeouts, Key>;

/**
 * All keys, in the order of the example file. The members of `providers`, `settings` and `plugins` are named by ports,
 * settings and plugins.
 */
export const keys: Readonly<Record<keyof HostKeys, Key>> = {
  host: {
    schema: Joi.string().hostname(),
    description: 'The address the server listens on.',
    default: '127.0.0.1',
    environment: 'HOST',
  },
  port: {
    schema: Joi.number().integer().min(0).max(65_535),
    description: 'The TCP port the server listens on; 0 takes a free one.',
    default: 3000,
    environment: 'PORT',
    read: wholeNumber,
  },
  base_url: {
    schema: url,
    description: 'The URL under which clients reach the API and git, without a trailing slash.',
    otherwise: 'http://HOST:PORT',
    environment: 'HEXFORGE_BASE_URL',
  },
  web_url: {
    schema: url,
    description: 'The URL of the web pages, without a trailing slash.',
    otherwise: 'base_url',
    environment: 'HEXFORGE_WEB_URL',
  },
  data_dir: {
    schema: Joi.string(),
    description:
      'The directory of repositories, the embedded database and secrets; a relative path starts at the working directory.',
    default: './data',
    environment: 'HEXFORGE_DATA_DIR',
  },
  database: {
    schema: Joi.string().valid('sql', 'memory'),
    description: '`sql`: PostgreSQL, embedded or at database_url. `memory`: nothing survives a restart; for tests.',
    default: 'sql',
    environment: 'HEXFORGE_DATABASE',
  },
  database_url: {
    schema: postgresUrl,
    description: 'PostgreSQL 15 or later, as postgres://user:password@host:port/database.',
    otherwise: 'the embedded PostgreSQL in data_dir',
    environment: 'DATABASE_URL',
    secret: true,
  },
  trusted_proxies: {
    schema: Joi.array().items(Joi.string().ip({ cidr: 'optional' })),
    description: 'Addresses or ranges of proxies whose X-Forwarded-* headers count.',
    default: [],
    environment: 'HEXFORGE_TRUSTED_PROXIES',
    read: commaList,
  },
  idle_timeout: {
    schema: Joi.number().integer().min(1).max(3600),
    description:
      'Seconds after which the server closes an idle connection; longer than a proxy in front keeps connections to it.',
    default: 75,
    environment: 'HEXFORGE_IDLE_TIMEOUT',
    read: wholeNumber,
  },
  secret_key: {
    schema: key32,
    description:
      '32 bytes in base64 that seal secrets at rest; after a rotation the keys before them too, the newest first, with commas between.',
    otherwise: 'a key file in data_dir, made at the first start',
    environment: 'HEXFORGE_SECRET_KEY',
    secret: true,
  },
  log_level: {
    schema: Joi.string().valid(...logLevels),
    description: 'The least level that is logged: debug, info, warn, error or silent.',
    default: 'info',
    environment: 'HEXFORGE_LOG_LEVEL',
  },
  ...timeouts,
  providers: {
    schema: Joi.object().pattern(Joi.string(), Joi.string()),
    description: 'Port name: plugin name, where several enabled plugins provide one port.',
    default: {},
    otherwise: 'the standard choices',
  },
  settings: {
    schema: Joi.object().pattern(Joi.string(), Joi.any()),
    description: 'Setting key: value, over the defaults that plugins declare.',
    default: {},
  },
  plugins: {
    schema: Joi.object().pattern(
      Joi.string(),
      Joi.object({
        enabled: Joi.boolean(),
        path: Joi.string(),
        package: Joi.string(),
        mount: Joi.string().valid('own', 'anywhere'),
      })
        .unknown()
        .oxor('path', 'package')
        .messages({ 'object.oxor': 'has both a path and a package' }),
    ),
    description:
      'Plugin name: whether it runs, where it comes from, and its own keys. Plugins are asked in the order of this list.',
    default: {},
  },
};

/** Keys of `plugins.<name>` that the host reads. All others belong to the plugin. */
export const pluginKeys: Readonly<Record<'enabled' | 'path' | 'package' | 'mount', string>> = {
  enabled: 'Whether the plugin runs. Default: true for most standard plugins and for every other one named here.',
  path: 'A plugin that is not standard: its module, relative to this file.',
  package: 'A plugin that is not standard: its npm package.',
  mount:
    '`anywhere`: its routes keep their paths. `own`, the default of a plugin that is not standard: they live under /api/v1/x/<plugin>/.',
};

export const hostPluginKeys: readonly string[] = Object.keys(pluginKeys);

export const hostSchema: Joi.ObjectSchema<HostKeys> = Joi.object(
  Object.fromEntries(
    Object.entries(keys).map(([name, { schema, default: value }]) => [
      name,
      value === undefined ? schema : schema.default(value),
    ]),
  ),
);
