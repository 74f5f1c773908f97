// The configuration as the host reads it: checked values, the plugins chosen, and where each value came from.
import type { Limits } from '#host/limits';
import type { HostKeys } from './schema.ts';

/** `default`, `environment PORT`, `file /etc/hexforge.yaml`. */
export type Source = string;

export interface ChosenPlugin {
  readonly name: string;
  readonly enabled: boolean;
  /** What `import()` takes; a relative one starts at `resolveFrom`. */
  readonly module: string;
  readonly resolveFrom: string;
  readonly standard: boolean;
  readonly mount: 'own' | 'anywhere';
  /** Its own keys from the file. Its environment variables are known only once it is loaded. */
  readonly config: Readonly<Record<string, unknown>>;
}

export interface Configuration {
  readonly version: string;
  readonly host: string;
  readonly port: number;
  /** Undefined: the address the server turned out to listen on. */
  readonly baseUrl: string | undefined;
  readonly webUrl: string | undefined;
  /** Absolute. */
  readonly dataDir: string;
  readonly database: { readonly column: 'memory' } | { readonly column: 'sql'; readonly url: string | undefined };
  readonly trustedProxies: readonly string[];
  /** 32 bytes, where configured. */
  /** The newest first. */
  readonly secretKeys: readonly Uint8Array[] | undefined;
  readonly logLevel: HostKeys['log_level'];
  readonly limits: Limits;
  /** Standard and configured plugins, enabled or not, in the order of the configuration. */
  readonly plugins: readonly ChosenPlugin[];
  /** What the operator chose. */
  readonly providers: Readonly<Record<string, string>>;
  /** What counts where the plugin is enabled and the operator did not choose. */
  readonly defaultProviders: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The environment, for the variables that plugins declare. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file: string | undefined;
  /** Effective values by dotted key, with their source; secrets are masked already. */
  readonly shown: readonly ShownValue[];
}

export interface ShownValue {
  readonly key: string;
  readonly value: unknown;
  readonly source: Source;
}

export const mask = '********';
