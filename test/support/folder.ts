// A temporary folder of one test, removed when the test ends.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Teardown } from './forge.ts';

export async function temporaryFolder(t: Teardown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
