// Tests of mergesMerge when git takes too long (504) or is killed (503): nothing is left behind, and the same merge
// succeeds afterwards.
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { temporaryFolder } from '#test/support/folder';
import { startTestForge } from '#test/support/forge';
import { expect, workshop } from '../workshop.ts';

void t.test('a merge that git does not finish', async (t) => {
  const folder = await temporaryFolder(t);
  const [program, how] = [join(folder, 'git'), join(folder, 'how')];
  // Runs the git of this machine. Before a merge it runs the shell commands in the file `how`.
  await writeFile(program, `#!/bin/sh\ncase "$*" in *merge-tree*) . '${how}' ;; esac\nexec git "$@"\n`);
  await chmod(program, 0o700);
  const merges = (does: string): Promise<void> => writeFile(how, `${does}\n`);
  await merges(':');
  const forge = await startTestForge(t, {
    configuration: { plugins: { 'git-native': { program, merge_seconds: 1 } } },
  });
  const { alice, repository, open, fetch } = await workshop(t, forge);
  const code = await repository('code');
  const made = await open(code);
  const mergeability = async (): Promise<unknown> =>
    expect(await alice.client.get(`${code}/merges/1/mergeability`), 200).body;

  await merges('exec sleep 60');
  const late = await alice.client.post(`${code}/merges/1/merge`);
  isError(t, late, 504, 'merge_timed_out', 'merge_timed_out');
  t.strictSame(await fetch(code, 1), made);

  await merges('kill -9 $$');
  isError(t, await alice.client.post(`${code}/merges/1/merge`), 503, 'unavailable', 'unavailable');
  t.strictSame(await mergeability(), { state: 'checking', conflicts: [], rules: [] });
  t.strictSame(await fetch(code, 1), made);

  await merges(':');
  t.strictSame(await mergeability(), { state: 'clean', conflicts: [], rules: [] });
  t.match(expect(await alice.client.post(`${code}/merges/1/merge`), 200).body, { state: 'merged' });
});
