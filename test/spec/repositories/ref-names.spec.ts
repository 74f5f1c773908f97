// Tests that a full ref name means exactly that ref, and that no branch or tag can have the full name of another ref.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { gunzipSync } from 'node:zlib';
import { remote } from '#test/support/servers/stock-git';
import { give, make, must, repos, world, type World } from './access/attack-world.ts';

const shadows = ['refs/heads/refs/heads/main', 'refs/heads/refs/tags/v1', 'refs/tags/refs/heads/side'];

/** Bob may write: `main`, `side` and the tag `v1` are at one commit, and the work tree has a second one. */
async function shared(t: Parameters<typeof world>[0]): Promise<World & { readonly url: string }> {
  const given = await world(t);
  const { forge, alice, bob, work, push } = given;
  await make(alice, 'code', 'public');
  await give(alice, 'code', 'bob', 'write');
  await push('alice/code', 'main', 'main:side', 'main:refs/tags/v1');
  await work.commit('Other', { 'README.md': '# Other\n' });
  return { ...given, url: remote(forge.url, 'alice/code', bob) };
}

void t.test(
  'a push cannot create a branch or tag whose name begins with refs/; other refs of it are accepted',
  { timeout: 240_000 },
  async (t) => {
    const { alice, work, url } = await shared(t);
    const { code, stderr } = await work.ran('push', url, 'main:landed', ...shadows.map((ref) => `main:${ref}`));
    t.equal(code, 1);
    t.match(stderr, /this branch name is not allowed here; .* does not start with "-" or "refs\/"/);
    t.match(stderr, /this tag name is not allowed here/);
    const branches = (await alice.client.get(`${repos}/alice/code/branches`)).body as { items: { name: string }[] };
    t.same(
      branches.items.map(({ name }) => name).toSorted((one, other) => one.localeCompare(other)),
      ['landed', 'main', 'side'],
    );
  },
);

void t.test(
  'the API cannot create branches and tags with such names either: 400 with the reason',
  { timeout: 240_000 },
  async (t) => {
    const { alice, bob } = await shared(t);
    const refused = /not starting with "-" or "refs\/"/;
    for (const name of ['refs/heads/main', 'refs/x']) {
      const branch = await bob.client.post(`${repos}/alice/code/branches`, { body: { name } });
      t.match(branch, { status: 400, body: { detail: refused } }, `branch ${name}`);
      const tag = await bob.client.post(`${repos}/alice/code/tags`, { body: { name } });
      t.match(tag, { status: 400, body: { detail: refused } }, `tag ${name}`);
      const rule = await alice.client.put(`${repos}/alice/code/branches/${encodeURIComponent(name)}/protection`, {
        body: {},
      });
      t.match(rule, { status: 400, body: { detail: refused } }, `protection of ${name}`);
      const record = { name: 'other', default_branch: name };
      t.match(await bob.client.post(repos, { body: record }), { status: 400, body: { detail: refused } });
    }
  },
);

void t.test('if such refs already exist, a full name still means exactly that ref', { timeout: 240_000 }, async (t) => {
  const { forge, alice, bob, work, url, tip } = await shared(t);
  await work.git('push', '--quiet', url, 'main:later');
  const later = (await work.git('rev-parse', 'main')).trim();
  const { id } = (await alice.client.get(`${repos}/alice/code`)).body as { id: string };
  const [directory = ''] = globSync(`**/${id}.git`, { cwd: forge.dataDir });
  for (const ref of shadows) await work.git(`--git-dir=${join(forge.dataDir, directory)}`, 'update-ref', ref, later);
  const get = (path: string) => bob.client.get(`${repos}/alice/code${path}`);
  for (const full of ['refs/heads/main', 'refs/tags/v1', 'refs/heads/side']) {
    t.match((await get(`/commits?ref=${full}`)).body, [{ sha: tip }], `commits of ${full}`);
    const file = { content: Buffer.from('# One\n').toString('base64') };
    t.match((await get(`/contents/README.md?ref=${full}`)).body, file, `contents of ${full}`);
    t.equal((await get(`/raw/${full}/README.md`)).text, '# One\n', `raw of ${full}`);
    t.match(gunzipSync((await get(`/archive/${full}.tar.gz`)).bytes).toString('latin1'), '# One\n');
    t.match((await get(`/compare/${full}...later`)).body, { commits: [{ sha: later }] });
    const name = `from-${full.replaceAll('/', '-')}`;
    must(await bob.client.post(`${repos}/alice/code/branches`, { body: { name, base_ref: full } }), 201);
    t.match((await get(`/commits?ref=${name}`)).body, [{ sha: tip }], `a branch from ${full}`);
  }
  for (const shadow of shadows) t.match((await get(`/commits?ref=${shadow}`)).body, [{ sha: later }], shadow);
  t.not((await work.ran('push', url, `+main~1:${shadows[0]}`)).code, 0, 'it is not moved');
  await work.git('push', '--quiet', url, ...shadows.map((ref) => `:${ref}`));
  for (const shadow of shadows) t.equal((await get(`/commits?ref=${shadow}`)).status, 404, `${shadow} is deleted`);
});
