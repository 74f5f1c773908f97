// The shape of the loaded configuration: checked values, the chosen plugins, and the source of each value.
import type { Limits } from './limits.ts';
import type { HostKeys } from './schema.ts';

/** The source of a value: `default`, `environment PORT`, `file /etc/hexforge.yaml`. */
export type Source = string;

export interface ChosenPlugin {
  readonly name: string;
  readonly enabled: boolean;
  /** The specifier for `import()`; a relative one is resolved from `resolveFrom`. */
  readonly module: string;
  readonly resolveFrom: string;
  readonly standard: boolean;
  readonly mount: 'own' | 'anywhere';
  /** The plugin's own keys from the file. Its environment variables are read only when the plugin is loaded. */
  readonly config: Readonly<Record<string, unknown>>;
}

export interface Configuration {
  readonly version: string;
  readonly host: string;
  readonly port: number;
  /** If undefined, the host uses the address that the server listens on. */
  readonly baseUrl: string | undefined;
  readonly webUrl: string | undefined;
  /** An absolute path. */
  readonly dataDir: string;
  readonly database: { readonly column: 'memory' } | { readonly column: 'sql'; readonly url: string | undefined };
  readonly trustedProxies: readonly string[];
  /** Milliseconds after which an idle connection is closed. */
  readonly idleMs: number;
  /** Keys of 32 bytes, the newest first; undefined if not configured. */
  readonly secretKeys: readonly Uint8Array[] | undefined;
  readonly logLevel: HostKeys['log_level'];
  readonly limits: Limits;
  /** Standard and configured plugins, enabled or not, in the order of the configuration. */
  readonly plugins: readonly ChosenPlugin[];
  /** Port name to plugin name, as chosen by the operator. */
  readonly providers: Readonly<Record<string, string>>;
  /** Port name to plugin name, used if that plugin is enabled and the operator chose no provider. */
  readonly defaultProviders: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The process environment, for the variables that plugins declare. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file: string | undefined;
  /** Effective values by dotted key, with their source. Secrets are masked. */
  readonly shown: readonly ShownValue[];
}

export interface ShownValue {
  readonly key: string;
  readonly value: unknown;
  readonly source: Source;
}

export const mask = '********';
