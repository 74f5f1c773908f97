// Merges of generated histories, each compared with git-native on the same repository: a merge that git-wasm makes is
// the one of git, and a conflict of git is never merged. A few clean merges of git may be conflicts here.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { gitNative } from '#adapters/git-native/index';
import { gitWasm } from '#adapters/git-wasm/index';
import { mergeStrategies, zeroOid, type GitBackend, type MergeOutcome } from '#core/repositories/git/git-backend';
import { serve } from '#test/contracts/git/http-server';
import { mergeHistories } from '#test/contracts/git/merging/merge-histories';
import { never, newId } from '#test/contracts/git/provider';
import { git, must } from '#test/contracts/git/stock-git';
import { quiet } from './provider.ts';

const pairs = Number(process.env['HEXFORGE_TEST_MERGES'] ?? 12);
const seed = Number(process.env['HEXFORGE_TEST_SEED'] ?? 7);
const committer = { name: 'caller', email: 'caller@example.org', date: new Date(1_800_000_000_000) };
const hooks = {
  signal: never,
  announced: async () => undefined,
  judge: async (updates: readonly { readonly ref: string }[]) =>
    updates.map(({ ref }) => ({ ref, refusal: undefined })),
  landed: async () => undefined,
};

void t.test(`${pairs} generated pairs merge as with git-native`, { timeout: 600_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-wasm-merges-'));
  const root = join(folder, 'root');
  const [wasm, native] = [gitWasm({ root, log: quiet }), gitNative({ root, log: quiet })];
  const server = await serve(wasm);
  t.teardown(async () => {
    await server.stop();
    await Promise.all([wasm.close(), native.close()]);
    await rm(folder, { recursive: true, force: true });
  });
  const id = newId();
  await native.create(id, { defaultBranch: 'main' });
  const client = join(folder, 'client');
  await must(folder, ['init', '-q', client]);
  const input = mergeHistories(seed, pairs).script;
  const { code, stderr } = await git(client, ['fast-import', '--quiet', '--done'], { input });
  t.equal(code, 0, stderr);
  await must(client, ['push', '-q', server.url(id), '--all']);
  const ref = 'refs/heads/target';
  const seen = { merged: 0, conflicts: 0, nothing: 0, cautious: 0 };
  for (let pair = 0; pair < pairs; pair += 1) {
    const [target = '', source = ''] = await wasm.readRefs(id, [
      `refs/heads/ours-${pair}`,
      `refs/heads/theirs-${pair}`,
    ]);
    for (const strategy of mergeStrategies) {
      const merge = async (backend: GitBackend): Promise<MergeOutcome> => {
        await wasm.moveRefs(id, [{ ref, old: zeroOid, new: target }]);
        const change = { ref, target, source, strategy, message: 'Merge', author: committer, committer };
        const made = await backend.merge(id, change, hooks);
        const [now = zeroOid] = await wasm.readRefs(id, [ref]);
        await wasm.moveRefs(id, [{ ref, old: now, new: zeroOid }]);
        return made;
      };
      const [expected, found] = [await merge(native), await merge(wasm)];
      if (found.kind === 'conflict') {
        seen.conflicts += 1;
        if (expected.kind !== 'conflict') seen.cautious += 1;
      } else {
        t.strictSame(found, expected, `pair ${pair}, ${strategy}`);
        if (found.kind === 'made') seen.merged += 1;
        else seen.nothing += 1;
      }
    }
  }
  t.comment(JSON.stringify(seen));
  t.ok(seen.merged > pairs / 2 && seen.conflicts > pairs / 2, 'both outcomes are frequent');
  t.ok(seen.cautious <= pairs / 10, `${seen.cautious} clean merges of git are conflicts`);
});
