// Examples of docs/ that are one file each work as the pages say.
import t from 'tap';
import { builtInTypes } from 'hexforge/issues';
import { checkPlugin, testHost, type TestHost } from 'hexforge/testing';
import badges from '../../docs/examples/badges.ts';
import bells from '../../docs/examples/bells.ts';
import firstLook from '../../docs/examples/first-look.ts';
import motto from '../../docs/examples/motto.ts';

for (const database of ['memory', 'embedded'] as const)
  void t.test(`badges are credentials of their account within their scope, on ${database}`, async (t) => {
    await using forge = await testHost(badges, { database, repositories: ['alice/site'] });
    const issued = await forge.as('alice').post('/x/badges');
    t.equal(issued.status, 201);
    const { token } = issued.body as { readonly token: string };
    const by = async (method: string, path: string, json?: unknown) =>
      (
        await forge.anonymous.request(method, path, {
          headers: { authorization: `Bearer ${token}` },
          ...(json !== undefined && { json }),
        })
      ).status;
    t.equal(await by('GET', '/repos/alice/site'), 200);
    t.equal(await by('PATCH', '/repos/alice/site', { description: 'x' }), 403, 'it has its scope and no more');
    t.equal(await by('POST', '/x/badges'), 403, 'a token issues no token');
    await forge.advance(3_600_000);
    t.equal(await by('GET', '/repos/alice/site'), 401);
  });

void t.test('a bell is rung by its form, which shows a refusal beside its field', async (t) => {
  t.same(checkPlugin(bells), []);
  await using forge = await testHost(bells);
  const browser = forge.browser('alice');
  const page = await browser.open('/-/x/bells/tower');
  t.match(page.html, /Nobody has rung the bell/);
  t.match(await browser.submit(page, { times: '13' }), { status: 422, html: /value="13"[^]*class="error"/ });
  t.match(await browser.submit(page, { times: '3' }), { path: '/-/x/bells/tower', html: /alice[^]*3 times/ });
  t.match((await forge.browser().open('/-/x/bells/tower')).path, /^\/-\/sign-in/);
});

for (const database of ['memory', 'embedded'] as const)
  void t.test(`each repository has its own motto, which its administrators set, on ${database}`, async (t) => {
    t.same(checkPlugin(motto), []);
    await using forge = await testHost(motto, {
      database,
      repositories: [{ path: 'alice/site', visibility: 'public' }, 'alice/other'],
    });
    const shown = async (name: string) => (await forge.as('alice').get(`/x/motto/alice/${name}`)).body;
    t.same(await shown('site'), { motto: 'No motto' });
    const json = { settings: [{ key: 'motto.text', value: 'Less is more' }] };
    t.equal((await forge.as('bob').post('/repos/alice/site/settings', { json })).status, 403);
    t.equal((await forge.as('bob').post('/repos/alice/other/settings', { json })).status, 404);
    t.equal((await forge.as('alice').post('/repos/alice/site/settings', { json })).status, 200);
    t.same([await shown('site'), await shown('other')], [{ motto: 'Less is more' }, { motto: 'No motto' }]);
    const { id: site } = await forge.repository('alice/site');
    const { id: other } = await forge.repository('alice/other');
    t.same(
      await forge.port('RepositorySettings').getMany([site, other, 'no id'], 'motto.text'),
      new Map([
        [site, 'Less is more'],
        [other, 'No motto'],
        ['no id', 'No motto'],
      ]),
    );
  });

interface Comment {
  readonly author: { readonly username: string; readonly display_name: string };
  readonly body: string;
}

async function opened(forge: TestHost, repository: string): Promise<string> {
  const json = { title: 'It leaks', issue_type_id: builtInTypes[0].id };
  const { body } = await forge.as('alice').post(`/repos/${repository}/issues`, { json });
  const { number } = body as { readonly number: number };
  await forge.drained();
  return `/repos/${repository}/issues/${number}/comments`;
}
const bot = 'first-look[bot]';

for (const database of ['memory', 'embedded'] as const)
  void t.test(
    `the bot comments where the operator lets it read, and is silent elsewhere, on ${database}`,
    async (t) => {
      t.same(checkPlugin(firstLook), []);
      await using forge = await testHost(firstLook, {
        database,
        repositories: [{ path: 'alice/open', visibility: 'public' }, 'alice/shut'],
      });
      const [alice, admin] = [forge.as('alice'), forge.as('admin')];
      const comments = async (path: string) => (await alice.get(path)).body as readonly Comment[];

      const [one] = await comments(await opened(forge, 'alice/open'));
      t.match(one, { author: { username: bot, display_name: 'first-look' }, body: /Thank you/ });
      t.same(await comments(await opened(forge, 'alice/shut')), [], 'a private repository is not there for it');

      t.equal((await alice.put(`/repos/alice/shut/collaborators/${bot}`, { json: { role: 'read' } })).status, 204);
      t.equal((await comments(await opened(forge, 'alice/shut'))).length, 1);

      const found = (await admin.get(`/admin/users?q=${bot}`)).body as {
        readonly users: readonly { readonly id: string }[];
      };
      const { id = '' } = found.users[0] ?? {};
      const changed = async (json: object) => (await admin.patch(`/admin/users/${id}`, { json })).status;
      t.equal(await changed({ status: 'suspended' }), 200);
      t.same(await comments(await opened(forge, 'alice/open')), [], 'suspended');
      t.equal(await changed({ status: 'active' }), 200);
      t.equal((await comments(await opened(forge, 'alice/open'))).length, 1);
    },
  );

void t.test('a comment on a merge request needs the right to write', async (t) => {
  await using forge = await testHost(firstLook, { repositories: [{ path: 'alice/open', visibility: 'public' }] });
  const alice = forge.as('alice');
  const put = (path: string, branch: string) =>
    alice.put(`/repos/alice/open/contents/${path}`, { json: { message: 'x', content: '', branch } });
  await put('base', 'main');
  const open = async (branch: string): Promise<readonly Comment[]> => {
    await alice.post('/repos/alice/open/branches', { json: { name: branch } });
    await put(branch, branch);
    const json = { title: branch, source_branch: branch, target_branch: 'main' };
    const { body } = await alice.post('/repos/alice/open/merges', { json });
    await forge.drained();
    const path = `/repos/alice/open/merges/${(body as { readonly number: number }).number}/comments`;
    return (await alice.get(path)).body as readonly Comment[];
  };
  t.same(await open('before'), []);
  await alice.put(`/repos/alice/open/collaborators/${bot}`, { json: { role: 'write' } });
  t.equal((await open('after')).length, 1);
});
