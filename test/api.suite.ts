// The HTTP suites, and last the comparison with the OpenAPI document. The longest of all: its name puts it among the first to start.
import { statfsSync } from 'node:fs';
import { run } from './suites.ts';

// These suites prove answers, and others prove what the disk keeps: where the machine has room in memory, their forges live there.
const memory = '/dev/shm';
try {
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize > 4 * 1024 ** 3) process.env['TMPDIR'] = memory;
} catch {
  // No such file system: the disk does as well, more slowly.
}
await run('api');
