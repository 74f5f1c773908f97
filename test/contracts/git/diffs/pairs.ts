// Repositories behind the port with pairs of commits, for comparing them.
import assert from 'node:assert/strict';
import { client, fresh, type Bench } from '../provider.ts';
import { git, must } from '../stock-git.ts';
import { imports, type Change } from './generated-changes.ts';

/** A client's repository with `before-N` and `after-N` of each change, pushed. */
export async function changed(
  bench: Bench,
  changes: readonly Change[],
): Promise<{ readonly repository: string; readonly folder: string }> {
  const repository = await fresh(bench);
  const folder = await client(bench, repository, []);
  const { code, stderr } = await git(folder, ['fast-import', '--quiet', '--date-format=raw'], {
    input: imports(changes),
  });
  assert.equal(code, 0, stderr);
  await must(folder, ['push', '-q', '--all', 'origin']);
  return { repository, folder };
}

/** The commits of the pair with this index. */
export const ends = async (folder: string, index: number): Promise<{ readonly from: string; readonly to: string }> => ({
  from: await must(folder, ['rev-parse', `before-${index}`]),
  to: await must(folder, ['rev-parse', `after-${index}`]),
});
