// A bare repository (gitrepository-layout(5)) without objects of its own, through which `git archive` reads those of
// another one under the forge's attributes.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * gitattributes(5): what stands in `info/attributes` holds against every `.gitattributes`. A file marked `export-subst`
 * could have a program started for each of its placeholders.
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

  /** Writes what is missing; asked before each archive. */
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
