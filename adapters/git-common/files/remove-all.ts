// Removal of files and folders.
import { rm } from 'node:fs/promises';

/** Removes a file, or a folder with its contents. Retries, because programs that are ending may still write there. */
export const removeAll = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
