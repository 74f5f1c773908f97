// Merges of generated histories, each compared with stock git in a work tree: outcome, tree, commits and conflicting
// paths are equal, and a conflict leaves no objects.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  mergeStrategies,
  zeroOid,
  type MergeStrategy,
  type MergeWrite,
  type Oid,
} from '#core/repositories/git/git-backend';
import { mergeHistories } from '#test/contracts/git/merging/merge-histories';
import { commitFile, never } from '#test/contracts/git/provider';
import { git, must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { heldGit, pushable } from '../provider.ts';

const id = '0a000000-0000-4000-8000-000000000000';
const pairs = Number(process.env['HEXFORGE_TEST_MERGES'] ?? 5);
const seed = Number(process.env['HEXFORGE_TEST_SEED'] ?? 7);
const ref = 'refs/heads/target';
const committer = { name: 'caller', email: 'caller@example.org', date: new Date(1_800_000_000_000) };

interface Result {
  /** `broken`: git failed with an internal error. */
  readonly outcome: 'merged' | 'nothing' | 'conflict' | 'broken';
  readonly tree?: string;
  /** Tree, author, date and message of each commit that the source adds. */
  readonly commits?: string;
  readonly conflicts?: readonly string[];
}

/** git appends the side to the name of a file that conflicts with a folder. */
const plain = (path: string): string => path.replace(/~(?:HEAD|theirs-\d+|[0-9a-f]{7,40} \(.*\))(?:_\d+)?$/, '');

async function inWorkTree(folder: string, pair: number, strategy: MergeStrategy): Promise<Result> {
  const [ours, theirs] = [`ours-${pair}`, `theirs-${pair}`];
  await must(folder, ['checkout', '-q', '-f', '--detach', strategy === 'rebase' ? theirs : ours]);
  const before = await must(folder, ['rev-parse', ours]);
  const command = {
    merge: ['merge', '-q', '--no-ff', '--no-edit', theirs],
    squash: ['merge', '-q', '--squash', theirs],
    rebase: ['rebase', '-q', '--no-fork-point', ours],
  }[strategy];
  const { code, stdout, stderr } = await git(folder, command);
  if (code !== 0) {
    if (/^BUG: /m.test(stderr)) {
      for (const left of ['index.lock', 'rebase-merge', 'MERGE_HEAD'])
        await rm(join(folder, '.git', left), { recursive: true, force: true });
      await must(folder, ['reset', '-q', '--hard']);
      await must(folder, ['clean', '-fdxq']);
      return { outcome: 'broken' };
    }
    const unmerged = await must(folder, ['diff', '--name-only', '--diff-filter=U', '-z']);
    // A folder whose files were moved to several others is a conflict without a path.
    if (unmerged === '' && !/unrelated histories|CONFLICT/.test(stdout + stderr))
      throw new Error(`git ${command.join(' ')} of pair ${pair} ended with ${code}: ${stdout}${stderr}`);
    if (strategy === 'rebase') await must(folder, ['rebase', '--abort']);
    await must(folder, ['reset', '-q', '--hard']);
    await must(folder, ['clean', '-fdxq']);
    const paths = new Set(unmerged.split('\0').filter((path) => path !== ''));
    return { outcome: 'conflict', conflicts: [...new Set([...paths].map(plain))].toSorted() };
  }
  const tree = await must(folder, ['write-tree']);
  await must(folder, ['reset', '-q', '--hard']);
  const head = await must(folder, ['rev-parse', 'HEAD']);
  if (strategy !== 'squash' && head === before) return { outcome: 'nothing' };
  if (strategy === 'squash' && tree === (await must(folder, ['rev-parse', `${ours}^{tree}`])))
    return { outcome: 'nothing' };
  return {
    outcome: 'merged',
    tree,
    ...(strategy === 'rebase' && { commits: await broughtBy(folder, ours, 'HEAD') }),
  };
}

const broughtBy = (folder: string, from: string, to: string): Promise<string> =>
  must(folder, ['log', '--reverse', '--topo-order', '--format=%T %an %ae %ad%n%B', '--date=raw', `${from}..${to}`]);

void t.test(`${pairs} generated pairs merge as in a work tree`, { timeout: 3_600_000 }, async (t: Test) => {
  const { native, directory, client, url } = await pushable(t, await temporaryFolder(t), id);
  const { code, stderr } = await git(client, ['fast-import', '--quiet', '--done'], {
    input: mergeHistories(seed, pairs).script,
  });
  t.equal(code, 0, stderr);
  await must(client, ['push', '-q', url, '--all']);

  const byBackend = async (target: Oid, source: Oid, strategy: MergeStrategy): Promise<Result> => {
    const change: MergeWrite = { ref, target, source, strategy, message: 'Merge', author: committer, committer };
    const before = await must(directory, ['count-objects', '-v']);
    const tried = await native.tryMerge(id, change);
    const made = await native.merge(id, change, {
      signal: never,
      announced: async () => undefined,
      judge: async (updates) => updates.map((update) => ({ ref: update.ref, refusal: undefined })),
      landed: async () => undefined,
    });
    t.equal(tried.clean, made.kind !== 'conflict', 'the trial and the merge have the same outcome');
    if (made.kind === 'made') {
      t.equal(made.refusal, undefined);
      t.equal((await native.readRefs(id, [ref]))[0], made.oid);
      const parents = (await must(directory, ['log', '-1', '--format=%P', made.oid])).split(' ');
      if (strategy !== 'rebase') t.strictSame(parents, strategy === 'merge' ? [target, source] : [target]);
      return {
        outcome: 'merged',
        tree: await must(directory, ['rev-parse', `${made.oid}^{tree}`]),
        ...(strategy === 'rebase' && { commits: await broughtBy(directory, target, made.oid) }),
      };
    }
    t.equal((await native.readRefs(id, [ref]))[0], target, 'the ref does not move');
    t.equal(await must(directory, ['count-objects', '-v']), before, 'no object is left');
    if (made.kind === 'nothing') return { outcome: 'nothing' };
    t.strictSame(tried.conflicts, made.conflicts);
    return { outcome: 'conflict', conflicts: made.conflicts };
  };

  const seen = new Map<string, number>();
  for (let pair = 0; pair < pairs; pair += 1) {
    const [target = '', source = ''] = await Promise.all(
      [`ours-${pair}`, `theirs-${pair}`].map((branch) => must(client, ['rev-parse', branch])),
    );
    for (const strategy of mergeStrategies) {
      await native.moveRefs(id, [{ ref, old: zeroOid, new: target }]);
      const expected = await inWorkTree(client, pair, strategy);
      const found = await byBackend(target, source, strategy).catch((error: unknown) => {
        if (expected.outcome !== 'broken') throw error;
      });
      // Cannot be compared if stock git fails with an internal error.
      if (expected.outcome !== 'broken')
        t.strictSame(found, expected, `pair ${pair}, ${strategy}: ${expected.outcome}`);
      const key = `${strategy} ${expected.outcome}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      const [now = zeroOid] = await native.readRefs(id, [ref]);
      await native.moveRefs(id, [{ ref, old: now, new: zeroOid }]);
    }
  }
  t.equal(await must(directory, ['fsck', '--strict', '--no-dangling']), '');
  for (const strategy of mergeStrategies)
    for (const outcome of ['merged', 'conflict'])
      t.ok(
        (seen.get(`${strategy} ${outcome}`) ?? 0) > 0,
        `${strategy} ${outcome}: ${seen.get(`${strategy} ${outcome}`)}`,
      );
});

void t.test('a slow merge does not delay a computation', async (t) => {
  const folder = await temporaryFolder(t);
  const { gitPath, begun, goOn } = await heldGit(folder, 'merge-tree');
  const { native, client, url } = await pushable(t, folder, id, { gitPath, limits: { heavy: 1 } });
  const source = await commitFile(client, 'file', 'one\n');
  await must(client, ['checkout', '-q', '--orphan', 'other']);
  const target = await commitFile(client, 'other', 'two\n');
  await must(client, ['push', '-q', url, '--all']);
  const merging = native.tryMerge(id, { target, source, strategy: 'merge' });
  await begun();
  t.equal((await native.difference(id, undefined, source, AbortSignal.timeout(20_000))).files.length, 1);
  await goOn();
  await merging.catch(() => undefined);
});
