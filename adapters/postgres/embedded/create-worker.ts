// A short-lived worker thread that creates an empty database, so that the memory for it is freed.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import { parseTarGzip } from 'nanotar';
import { syncFolder } from './sync-folder.ts';

const { directory } = workerData as { readonly directory: string };

/** Files written in parallel. */
const together = 8;

// The output of initdb, prebuilt for this version of PGlite; it is written here with private permissions and fsync.
const entries = await parseTarGzip(await (await dataDir()).arrayBuffer());
const folders = entries.filter(({ type }) => type === 'directory');
const files = entries.filter(({ type }) => type !== 'directory');
for (const { name } of folders) await mkdir(join(directory, name), { recursive: true, mode: 0o700 });
for (let at = 0; at < files.length; at += together)
  await Promise.all(
    files
      .slice(at, at + together)
      .map(({ name, data = '' }) => writeFile(join(directory, name), data, { mode: 0o600, flush: true })),
  );
for (const { name } of [...folders, { name: '' }]) syncFolder(join(directory, name));
