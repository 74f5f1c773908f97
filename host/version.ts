// Reads the version and the exports of this package.
import { readFileSync } from 'node:fs';

const manifest: { readonly version: string; readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

export const version = manifest.version;
/** Names that plugins can import: `plugin` for `hexforge/plugin`. */
export const entries: readonly string[] = Object.keys(manifest.exports).map((key) => key.replace('./', ''));
