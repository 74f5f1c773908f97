// Small files of the server's own that must be there before git uses them, such as hooks.
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes those that are missing or have another content. */
export async function keepFiles(folder: string, files: Readonly<Record<string, string>>, mode: number): Promise<void> {
  await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const path = join(folder, name);
      if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${randomUUID()}`;
      await writeFile(draft, text, { mode });
      // Whatever the umask.
      await chmod(draft, mode);
      await rename(draft, path);
    }),
  );
}
