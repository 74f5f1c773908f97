// A bare repository (gitrepository-layout(5)) without objects, through which `git archive` reads those of another
// repository with fixed attributes.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { keepFiles } from '../files/kept-files.ts';

/**
 * gitattributes(5): `info/attributes` takes precedence over every `.gitattributes`. Otherwise a file marked
 * `export-subst` could make git start a program for each of its placeholders.
 */
const files: Readonly<Record<string, string>> = {
  HEAD: 'ref: refs/heads/none\n',
  config: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
  'info/attributes': '* -export-subst\n',
};

/** Its directory. Missing or changed files are written before each archive. */
export async function archiveView(root: string): Promise<string> {
  const directory = join(root, '.archives');
  for (const folder of ['objects', 'refs']) await mkdir(join(directory, folder), { recursive: true, mode: 0o700 });
  await keepFiles(directory, files, 0o600);
  return directory;
}
