// Apart from the durable file system: the server's own thread does without the code of the database.
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
