// Rebases of expensive commits: too many commits, and headers of megabytes.
import { Buffer } from 'node:buffer';
import t, { type Test } from 'tap';
import { endOfHead } from '#adapters/git-native/objects/commit-head';
import { mostRebased, type MergeTrial } from '#core/repositories/git/git-backend';
import { commitFile, never } from '#test/contracts/git/provider';
import { git, must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { countingTurns } from '#test/support/clients/turns';
import { notingGit, pushable } from '../provider.ts';

const id = '0e000000-0000-4000-8000-000000000000';
const who = 'Ada <ada@example.org> 1700000000 +0000';

async function world(t: Test) {
  const folder = await temporaryFolder(t);
  const { gitPath, started } = await notingGit(folder);
  // Speed does not matter here.
  return { ...(await pushable(t, folder, id, { gitPath, limits: { computeSeconds: 60 } })), started };
}

void t.test('a rebase that is too long is detected once', { timeout: 120_000 }, async (t) => {
  const { native, client, url, started } = await world(t);
  const commit = (branch: string, from: string): string =>
    `commit refs/heads/${branch}\ncommitter ${who}\ndata ${branch.length}\n${branch}\n${from}`;
  const input = [
    commit('main', ''),
    commit('topic', 'from refs/heads/main\n'),
    ...Array.from({ length: mostRebased }, () => commit('topic', '')),
    commit('main', ''),
  ].join('');
  t.equal((await git(client, ['fast-import', '--quiet', '--date-format=raw'], { input })).code, 0);
  await must(client, ['push', '-q', url, '--all']);
  const [target = '', source = ''] = await native.readRefs(id, ['refs/heads/main', 'refs/heads/topic']);
  const trial: MergeTrial = { target, source, strategy: 'rebase' };
  const tooLong = { kind: 'conflict', code: 'rebase_too_long', message: 'There are too many commits to be rebased' };
  await Promise.all([1, 2, 3].map(() => t.rejects(native.tryMerge(id, trial), tooLong)));
  const before = await started();
  await t.rejects(native.tryMerge(id, trial), tooLong);
  t.same(await started(), before, 'git is not started again');
  t.equal(before.filter((command) => command.includes(' rev-list ')).length, 1);
  t.equal((await native.tryMerge(id, { ...trial, strategy: 'merge' })).clean, true, 'a merge is decided separately');
});

void t.test('a commit with headers of megabytes is rebased without decoding them to a string', async (t) => {
  const { native, client, directory, url } = await world(t);
  await commitFile(client, 'file', 'one\n');
  const base = await must(client, ['rev-parse', 'HEAD']);
  await must(client, ['checkout', '-q', '-b', 'topic']);
  await commitFile(client, 'theirs', 'two\n');
  const tree = await must(client, ['rev-parse', 'HEAD^{tree}']);
  const message = Buffer.concat([Buffer.from('\nGr'), Buffer.of(0xfc), Buffer.from('n\n\nmore\n')]);
  const head = `tree ${tree}\nparent ${base}\nauthor ${who}\ncommitter ${who}\nencoding ISO-8859-1\ngpgsig x\n`;
  const content = Buffer.concat([Buffer.from(head), Buffer.alloc(2 * 1024 ** 2, ' \n'), message]);
  const hashed = await git(client, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: content });
  const source = hashed.stdout.trim();
  await must(client, ['checkout', '-q', 'main']);
  const target = await commitFile(client, 'ours', 'three\n');
  await must(client, ['push', '-q', url, 'main', `${source}:refs/heads/topic`]);

  const { toString } = Buffer.prototype;
  let longest = 0;
  Buffer.prototype.toString = function spied(...args: Parameters<typeof toString>): string {
    const text = toString.apply(this, args);
    longest = Math.max(longest, text.length);
    return text;
  };
  t.teardown(() => {
    Buffer.prototype.toString = toString;
  });
  const committer = { name: 'caller', email: 'caller@example.org', date: new Date(1_800_000_000_000) };
  const made = await native.merge(
    id,
    { ref: 'refs/heads/main', target, source, strategy: 'rebase', message: '', author: committer, committer },
    {
      signal: never,
      announced: async () => undefined,
      judge: async (updates) => updates.map(({ ref }) => ({ ref, refusal: undefined })),
      landed: async () => undefined,
    },
  );
  Buffer.prototype.toString = toString;
  t.ok(longest <= 256 * 1024, `${longest} characters in one string`);
  t.match(made, { kind: 'made', refusal: undefined });
  const oid = made.kind === 'made' ? made.oid : '';
  const expected = Buffer.concat([
    Buffer.from(`tree ${await must(directory, ['rev-parse', `${oid}^{tree}`])}\nparent ${target}\nauthor ${who}\n`),
    Buffer.from('committer caller <caller@example.org> 1800000000 +0000\n\nGrün\n\nmore\n'),
  ]);
  const again = await git(directory, ['hash-object', '-t', 'commit', '--stdin'], { input: expected });
  t.equal(again.stdout.trim(), oid, 'in UTF-8, without the other headers');
});

void t.test('the end of the headers is searched in slices', async (t) => {
  const KiB = 1024;
  for (const length of [0, 1, 256 * KiB - 2, 256 * KiB - 1, 256 * KiB, 256 * KiB + 1, 600 * KiB])
    t.equal(await endOfHead(Buffer.from(`${'x'.repeat(length)}\n\nmessage\n\n`)), length);
  t.equal(await endOfHead(Buffer.from('no message\n')), 11);
  const { result, turns } = await countingTurns(() => endOfHead(Buffer.alloc(4096 * KiB, ' \n')));
  t.equal(result, 4096 * KiB);
  t.ok(turns >= 15, `${turns} event loop iterations in between`);
});
