// A bare repository (gitrepository-layout(5)) without objects, through which `git archive` reads those of another
// repository with fixed attributes.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * gitattributes(5): `info/attributes` takes precedence over every `.gitattributes`. Otherwise a file marked
 * `export-subst` could make git start a program for each of its placeholders.
 */
const files: Readonly<Record<string, string>> = {
  HEAD: 'ref: refs/heads/none\n',
  config: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
  'info/attributes': '* -export-subst\n',
};
const folders = ['info', 'objects', 'refs'];

export class ArchiveView {
  readonly directory: string;

  constructor(root: string) {
    this.directory = join(root, '.archives');
  }

  /** Writes missing or changed files. Called before each archive. */
  async ready(): Promise<void> {
    for (const folder of folders) await mkdir(join(this.directory, folder), { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.directory, name);
      if ((await readFile(path, 'utf8').catch(() => undefined)) === text) continue;
      const draft = `${path}.${randomUUID()}`;
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, path);
    }
  }
}
