// fsync of a folder, in a separate module so that the server's main thread need not load the database's code.
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes the names in a folder durable. */
export function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
