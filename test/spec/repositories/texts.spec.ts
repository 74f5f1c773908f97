// The texts of commits: every operation returns the same for a commit, in each encoding, and none follows a file or ref
// of another commit.
import { Buffer } from 'node:buffer';
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';

const repos = '/api/v1/repos';

void t.test('names, dates and messages of commits', async (t) => {
  const forge = await sharedForge(t);
  const alice = await forge.createUser('alice');
  await alice.client.post(repos, { body: { name: 'code', visibility: 'public' } });
  const get = async (path: string): Promise<unknown> => (await alice.client.get(`${repos}/alice/code/${path}`)).body;
  const work = await workTree(await stockGit(t), 'texts');
  const base = await work.commit('Begin', { a: 'one\n' });
  const url = remote(forge.url, 'alice/code', alice);

  /** A commit on `topic` whose author and message are these bytes. */
  const written = async (encoding: string, bytes: Buffer, zone: string): Promise<string> => {
    await work.git('checkout', '--quiet', '-B', 'topic', base);
    await work.commit('x', { b: 'two\n' });
    const tree = (await work.git('rev-parse', 'HEAD^{tree}')).trim();
    await work.commit('x', {
      object: Buffer.concat([
        Buffer.from(`tree ${tree}\nparent ${base}\nauthor `),
        bytes,
        Buffer.from(` <a@example.org> 1700000000 ${zone}\ncommitter `),
        bytes,
        Buffer.from(` <a@example.org> 1700000000 ${zone}\nencoding ${encoding}\n\n`),
        bytes,
        Buffer.from('\n'),
      ]),
    });
    const oid = (await work.git('hash-object', '-t', 'commit', '-w', 'object')).trim();
    await work.git('push', '--quiet', '--force', url, `${base}:refs/heads/main`, `${oid}:refs/heads/topic`);
    return oid;
  };

  for (const [encoding, hex, text] of [
    ['cp936', 'c4e3bac3', '你好'],
    ['CP932', '874093fa967b8cea', '①日本語'],
    ['CP949', 'c7d1b1b9beee8c63', '한국어똠'],
    ['eucJP', 'c6fccbdcb8ec', '日本語'],
    ['CP437', '477281e165', 'Grüße'],
    ['latin9', '3520a4', '5 €'],
  ] as const)
    await t.test(`commits, comparisons, blame, folders, branches and merge requests decode ${encoding}`, async (t) => {
      const oid = await written(encoding, Buffer.from(hex, 'hex'), 'UTC');
      const [listed] = (await get('commits?ref=topic')) as readonly unknown[];
      const date = new Date(0).toISOString();
      const author = { name: text, email: 'a@example.org', date };
      const commit = { sha: oid, message: text, author, committer: author };
      t.match(listed, commit);
      t.match(await get(`commits/${oid}`), commit);
      t.match(await get('compare/main...topic'), { commits: [commit] });
      t.match(await get('blame/topic/b'), [{ sha: oid, author_name: text, author_date: date }]);
      const entries = (await get('contents?ref=topic')) as readonly { name: string }[];
      t.match(
        entries.find(({ name }) => name === 'b'),
        { last_commit_message: text, last_commit_date: date },
      );
      const { items } = (await get('branches')) as { items: readonly { name: string }[] };
      t.match(
        items.find(({ name }) => name === 'topic'),
        { commit_message: text, commit_author: text, commit_date: date },
      );
      const body = { title: 'x', source_branch: 'topic', target_branch: 'main' };
      const { number } = (await alice.client.post(`${repos}/alice/code/merges`, { body })).body as { number: number };
      t.match(await get(`merges/${number}/commits`), [{ sha: oid, message: text, author: text, date }]);
      await alice.client.patch(`${repos}/alice/code/merges/${number}`, { body: { state: 'closed' } });
    });

  await t.test('.mailmap of the default branch changes no answer about an older commit', async (t) => {
    await work.git('checkout', '--quiet', '-B', 'main', base);
    await work.git('push', '--quiet', '--force', url, 'main');
    const blame = `${repos}/alice/code/blame/${base}/a`;
    const before = await alice.client.get(blame);
    t.match(before.body, [{ author_name: 'Ada' }]);
    await work.commit('Rename Ada', { '.mailmap': 'Mallory <m@example.org> <ada@example.com>\n' });
    await work.git('push', '--quiet', url, 'main');
    await alice.client.post(repos, { body: { name: 'again', visibility: 'public' } });
    await work.git('push', '--quiet', remote(forge.url, 'alice/again', alice), 'main');
    const again = await alice.client.get(blame.replace('/code/', '/again/'));
    t.strictSame(again.body, before.body, 'read for the first time after it was pushed');
    t.strictSame((await alice.client.get(blame)).headers.get('etag'), before.headers.get('etag'));
  });
});
