// A repository that git-wasm alone has written, without any git program, is read by libgit2 (the package wasm-git),
// which shares no code with it.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import openLibgit2 from 'wasm-git/lg2.js';
import { gitWasm } from '#adapters/git-wasm/index';
import { zeroOid, type Oid, type PushHooks } from '#core/repositories/git/git-backend';
import { never, newId } from '#test/contracts/git/provider';
import { quiet } from './provider.ts';

const ada = { name: 'Ada', email: 'ada@example.org', date: new Date(1_700_000_000_000) };
const hooks: PushHooks = {
  signal: never,
  announced: async () => undefined,
  judge: async (updates) => updates.map(({ ref }) => ({ ref, refusal: undefined })),
  landed: async () => undefined,
};

/** The commands of libgit2's examples on a bare repository. Each returns the lines that it prints. */
async function libgit2(directory: string): Promise<(...args: readonly string[]) => readonly string[]> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const lg = await openLibgit2({ print, printErr: print });
  lg.FS.writeFile(`/${['home', 'web_user', '.gitconfig'].join('/')}`, '[safe]\n\tdirectory = *\n');
  lg.FS.mkdir('/r');
  lg.FS.mount(lg.NODEFS, { root: directory }, '/r');
  return (...args) => {
    lines.length = 0;
    const code = lg.callMain(['--git-dir=/r', ...args]);
    // A command that fails leaves the instance unusable.
    if (code !== 0) throw new Error(`libgit2 ${args.join(' ')}: ${lines.join('\n')}`);
    return [...lines];
  };
}

void t.test('libgit2 reads commits, files, tags and packs that git-wasm has written', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-libgit2-'));
  const root = join(folder, 'root');
  const backend = gitWasm({ root, log: quiet });
  t.teardown(async () => {
    await backend.close();
    await rm(folder, { recursive: true, force: true });
  });
  const id = newId();
  await backend.create(id, { defaultBranch: 'main' });
  const write = async (ref: string, parent: Oid, path: string, content: string, old?: Oid): Promise<Oid> => {
    const { commit, refusal } = await backend.write(
      id,
      {
        ref,
        parent,
        ...(old !== undefined && { old }),
        path,
        file: { content: Buffer.from(content), mode: '100644' },
        message: `Write ${path}`,
        author: ada,
        committer: ada,
      },
      hooks,
    );
    t.equal(refusal, undefined);
    return commit.oid;
  };
  const [main, topic] = ['refs/heads/main', 'refs/heads/topic'];
  const first = await write(main, zeroOid, 'docs/read me', 'one\n');
  const source = await write(topic, first, 'theirs', 'theirs\n', zeroOid);
  const target = await write(main, first, 'docs/read me', 'one\ntwo\n');
  const merged = await backend.merge(
    id,
    { ref: main, target, source, strategy: 'merge', message: 'Merge', author: ada, committer: ada },
    hooks,
  );
  t.equal(merged.kind, 'made');
  const [tip = ''] = await backend.readRefs(id, [main]);
  const tag = await backend.writeTag(id, { name: 'v1', commit: tip, message: 'first', tagger: ada });
  t.equal(await backend.moveRefs(id, [{ ref: 'refs/tags/v1', old: zeroOid, new: tag }]), 'moved');

  const directory = join(root, id.slice(0, 2), `${id}.git`);
  const run = await libgit2(directory);
  t.strictSame(run('rev-parse', 'main'), [tip]);
  t.strictSame(run('rev-list', '--topo-order', 'main').toSorted(), [tip, target, source, first].toSorted());
  t.strictSame(run('cat-file', '-p', 'main:docs/read me'), ['one', 'two']);
  t.match(run('cat-file', '-p', 'v1').join('\n'), `object ${tip}`);
  t.match(run('log', '-n', '1').join('\n'), /Merge[\s\S]*Ada/);
  const packs = (await readdir(join(directory, 'objects/pack'))).filter((name) => name.endsWith('.pack'));
  t.equal(packs.length, 4, 'one for each push');
  for (const pack of packs)
    t.match(run('index-pack', `/r/objects/pack/${pack}`).join('\n'), /Indexing (\d+) of \1/, `${pack} is whole`);
});
