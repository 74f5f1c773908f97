// Reads the project's own files as text, for the checks that need all of them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceFile } from './layers.ts';

export const root = join(import.meta.dirname, '..');

const folders = '{core,adapters,plugins,host,config,test,tools,bench,bin,docs,.ci}';

/** Files with the given endings, in the project's folders and at its root. */
export function projectFiles(endings: readonly string[]): SourceFile[] {
  const ending = endings.length === 1 ? endings[0] : `{${endings.join(',')}}`;
  return globSync([`${folders}/**/*.${ending}`, `*.${ending}`], {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|fixtures)(\/|$)/.test(path),
  })
    .sort()
    .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(root, path), 'utf8') }));
}

export function projectVersion(): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}
