// Clients and servers of stock git beside git-wasm: deltas survive a push and a clone, concurrent pushes keep every
// commit, and git-native works on the same data directory.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { gitNative } from '#adapters/git-native/index';
import { gitWasm, type GitWasm } from '#adapters/git-wasm/index';
import { zeroOid, type GitBackend } from '#core/repositories/git/git-backend';
import { serve, type GitServer } from '#test/contracts/git/http-server';
import { commitFile, newId } from '#test/contracts/git/provider';
import { git, must } from '#test/contracts/git/stock-git';
import { quiet } from './provider.ts';

const folder = await mkdtemp(join(tmpdir(), 'hexforge-wasm-stock-'));
const root = join(folder, 'root');
const wasm: GitWasm = gitWasm({ root, log: quiet });
const native = gitNative({ root, log: quiet });
const servers = { wasm: await serve(wasm), native: await serve(native) };
t.teardown(async () => {
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  await Promise.all([wasm.close(), native.close()]);
  await rm(folder, { recursive: true, force: true });
});

const fresh = async (backend: GitBackend): Promise<string> => {
  const id = newId();
  await backend.create(id, { defaultBranch: 'main' });
  return id;
};

async function cloned(server: GitServer, id: string): Promise<string> {
  const clone = join(folder, newId());
  await must(folder, ['clone', '-q', server.url(id), clone]);
  return clone;
}

const commit = (mark: number, text: string): string =>
  `commit refs/heads/main\nmark :${mark}\ncommitter Ada <ada@example.org> ${1_700_000_000 + mark} +0000\ndata 1\nx\n${mark === 1 ? '' : `from :${mark - 1}\n`}M 100644 inline file-${mark % 5}\ndata ${text.length}\n${text}\n`;

void t.test('two hundred commits are pushed as deltas, cloned and fetched', async (t) => {
  const id = await fresh(wasm);
  const client = join(folder, newId());
  await must(folder, ['init', '-q', '-b', 'main', client]);
  const lines = Array.from({ length: 200 }, (_, at) => `line ${at} of a file that changes a little each time\n`);
  const input = Array.from({ length: 200 }, (_, at) => commit(at + 1, lines.with(at, `changed ${at}\n`).join(''))).join(
    '',
  );
  await must(client, ['fast-import', '--quiet'], { input });
  await must(client, ['repack', '-q', '-a', '-d', '-f', '--depth=50', '--window=50']);
  await must(client, ['push', '-q', servers.wasm.url(id), 'main']);
  const bytes = await wasm.size(id);
  t.ok(bytes < 200_000, `${bytes} bytes; without deltas the files alone would have two million`);
  const clone = await cloned(servers.wasm, id);
  t.equal((await git(clone, ['fsck', '--full', '--strict'])).code, 0);
  t.equal(await must(clone, ['rev-list', 'main']), await must(client, ['rev-list', 'main']));
  const [pack = ''] = (await readdir(join(clone, '.git/objects/pack'))).filter((name) => name.endsWith('.idx'));
  const shown = await must(clone, ['verify-pack', '-v', join(clone, '.git/objects/pack', pack)]);
  t.match(shown, /chain length = \d+/, 'the clone has deltas');
  await must(client, ['reset', '-q', '--hard', 'main']);
  const tip = await commitFile(client, 'new', 'new');
  await must(client, ['push', '-q', servers.wasm.url(id), 'main']);
  await must(clone, ['fetch', '-q']);
  t.match(await must(clone, ['count-objects']), /^3 objects/, 'a commit, a tree and a file');
  t.equal(await must(clone, ['rev-parse', 'origin/main']), tip);
});

void t.test('of concurrent pushes to many branches and to one none is lost', async (t) => {
  const id = await fresh(wasm);
  const client = join(folder, newId());
  await must(folder, ['init', '-q', '-b', 'main', client]);
  await commitFile(client, 'file', 'one');
  await must(client, ['push', '-q', servers.wasm.url(id), 'main']);
  const clones = await Promise.all(Array.from({ length: 5 }, () => cloned(servers.wasm, id)));
  const tips = await Promise.all(clones.map((clone, at) => commitFile(clone, `file-${at}`, `${at}`)));
  const pushed = await Promise.all(
    clones.map((clone, at) => git(clone, ['push', '-q', 'origin', 'main', `main:branch-${at}`])),
  );
  const refs = await wasm.readRefs(id, ['refs/heads/main', ...tips.map((_, at) => `refs/heads/branch-${at}`)]);
  t.strictSame(refs.slice(1), tips, 'each has its own branch');
  const winners = tips.filter((_, at) => pushed[at]?.code === 0);
  t.strictSame(winners, [refs[0]], 'exactly one has moved main');
  t.equal((await git(await cloned(servers.wasm, id), ['fsck', '--full'])).code, 0);
});

void t.test('git-native and git-wasm work on the same repository', async (t) => {
  const id = await fresh(native);
  const client = join(folder, newId());
  await must(folder, ['init', '-q', '-b', 'main', client]);
  for (const content of ['one\n', 'one\ntwo\n', 'one\ntwo\nthree\n']) await commitFile(client, 'file', content);
  await must(client, [
    'push',
    '-q',
    servers.native.url(id),
    'main',
    ...Array.from({ length: 70 }, (_, at) => `main:t${at}`),
  ]);
  await native.maintain(id);
  const tip = await must(client, ['rev-parse', 'main']);
  const answers = async (backend: GitBackend): Promise<readonly unknown[]> => [
    await backend.refs(id, 'all'),
    await backend.history(id, { tip, skip: 0, limit: 10 }),
    await backend.blame(id, tip, 'file'),
    await backend.difference(id, undefined, tip),
    await backend.tree(id, (await backend.entry(id, tip, ''))?.oid ?? ''),
  ];
  t.strictSame(await answers(wasm), await answers(native), 'of packs and packed refs that git has written');
  const next = await commitFile(client, 'file', 'four\n');
  await must(client, ['push', '-q', servers.wasm.url(id), 'main', ':t3']);
  const tag = await wasm.writeTag(id, {
    name: 'v1',
    commit: next,
    message: 'a tag',
    tagger: { name: 'Ada', email: 'a@b', date: new Date(0) },
  });
  t.equal(await wasm.moveRefs(id, [{ ref: 'refs/tags/v1', old: zeroOid, new: tag }]), 'moved');
  await wasm.maintain(id);
  t.equal(await native.resolveCommit(id, 'v1'), next, 'a tag that git-wasm has written');
  t.strictSame(await native.readRefs(id, ['refs/heads/main', 'refs/heads/t3', 'refs/heads/t4']), [next, zeroOid, tip]);
  t.equal((await wasm.prune(id, { before: new Date(Date.now() + 3_600_000) })).remaining, false);
  t.equal(
    (await native.history(id, { tip: next, skip: 0, limit: 10 })).length,
    4,
    'after git-wasm has removed objects',
  );
  t.equal((await git(await cloned(servers.native, id), ['fsck', '--full', '--strict'])).code, 0);
  const moves = Array.from({ length: 12 }, (_, at) =>
    (at % 2 === 0 ? wasm : native).moveRefs(id, [{ ref: 'refs/heads/race', old: zeroOid, new: at < 6 ? tip : next }]),
  );
  const outcomes = await Promise.all(moves);
  t.equal(outcomes.filter((outcome) => outcome === 'moved').length, 1, 'one of twelve creations succeeds');
});
