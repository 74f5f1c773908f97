// A short-lived worker thread that creates an empty database, so that the memory this takes is given back.
import { chmodSync, fsyncSync, openSync, closeSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { syncFolder } from './sync-folder.ts';

const { directory } = workerData as { readonly directory: string };

// Without fsync while it is being made: everything is forced to the disk once, below, before it gets its name.
const database = await PGlite.create({ fs: new NodeFS(directory) });
await database.close();
settle(directory);

/** Makes everything under `folder` private and durable. */
function settle(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) settle(path);
    else {
      chmodSync(path, 0o600);
      const descriptor = openSync(path, 'r+');
      fsyncSync(descriptor);
      closeSync(descriptor);
    }
  }
  chmodSync(folder, 0o700);
  syncFolder(folder);
}
