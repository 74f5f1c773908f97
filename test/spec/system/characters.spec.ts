// Lengths of texts, counted in code points by every operation: a text of the longest length is accepted and returned
// unchanged, and one more character is rejected.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';

const emoji = (count: number): string => '😀'.repeat(count);

void t.test('a text of as many emoji as it may have characters is kept, and one more is 400', async (t) => {
  const forge = await sharedForge(t);
  const alice = await forge.createUser('alice', { isAdmin: true });
  const session = alice.client;
  await alice.client.post('/api/v1/repos', { body: { name: 'code', visibility: 'public' } });
  const code = '/api/v1/repos/alice/code';
  const content = 'eA==';
  t.equal((await alice.client.put(`${code}/contents/a`, { body: { message: 'a', content } })).status, 201);
  const types = (await alice.client.get('/api/v1/issue-types')).body as readonly { id: string }[];
  const issue = { issue_type_id: types[0]?.id };
  t.equal((await alice.client.post(`${code}/issues`, { body: { ...issue, title: 'one' } })).status, 201);
  let paths = 0;
  const texts: readonly (readonly [
    what: string,
    most: number,
    method: 'post' | 'patch' | 'put',
    path: string | ((text: string) => string),
    body: (text: string) => object,
    member: string,
  ])[] = [
    ['description of a repository', 1000, 'patch', code, (description) => ({ description }), 'description'],
    ['title of an issue', 255, 'post', `${code}/issues`, (title) => ({ ...issue, title }), 'title'],
    [
      'description of an issue',
      65_536,
      'post',
      `${code}/issues`,
      (description) => ({ ...issue, title: 'x', description }),
      'description',
    ],
    ['comment', 65_536, 'post', `${code}/issues/1/comments`, (body) => ({ body }), 'body'],
    ['name of a label', 64, 'post', `${code}/labels`, (name) => ({ name, color: '112233' }), 'name'],
    [
      'description of a label',
      255,
      'post',
      `${code}/labels`,
      (description) => ({ name: description.slice(0, 20), color: '112233', description }),
      'description',
    ],
    ['title of a milestone', 255, 'post', `${code}/milestones`, (title) => ({ title }), 'title'],
    ['name of a component', 100, 'post', `${code}/components`, (name) => ({ name }), 'name'],
    ['name of a version', 100, 'post', `${code}/versions`, (name) => ({ name }), 'name'],
    ['display name', 100, 'patch', '/api/v1/user', (display_name) => ({ display_name }), 'display_name'],
    ['bio', 1000, 'patch', '/api/v1/user', (bio) => ({ bio }), 'bio'],
    ['name of a token', 100, 'post', '/api/v1/user/tokens', (name) => ({ name, scopes: [] }), 'name'],
    [
      'name of a group',
      100,
      'post',
      '/api/v1/admin/user-groups',
      (text) => ({ name: `${text.slice(2)}a`, role: 'member', grant_admin: false }),
      'name',
    ],
    [
      'name of an issue type',
      100,
      'post',
      '/api/v1/admin/issue-types',
      (display_name) => ({ name: `t${display_name.length}`, display_name, color: '112233' }),
      'display_name',
    ],
    [
      'message of a commit',
      65_536,
      'put',
      () => `${code}/contents/m${(paths += 1)}`,
      (message) => ({ message, content }),
      'commit.message',
    ],
    [
      'author of a commit',
      255,
      'put',
      () => `${code}/contents/n${(paths += 1)}`,
      (name) => ({ message: 'x', content, author: { name, email: 'a@b' } }),
      'commit.author.name',
    ],
    [
      'segment of a path',
      60,
      'put',
      (text) => `${code}/contents/${encodeURIComponent(text)}`,
      () => ({ message: 'x', content }),
      'content.name',
    ],
  ];
  for (const [what, most, method, path, body, member] of texts) {
    const send = (text: string) => session[method](typeof path === 'string' ? path : path(text), { body: body(text) });
    const kept = await send(emoji(most));
    t.ok(kept.status === 200 || kept.status === 201, `${what}: ${kept.status} ${kept.text.slice(0, 300)}`);
    const value = member.split('.').reduce<unknown>((of, name) => (of as Record<string, unknown>)[name], kept.body);
    t.equal([...String(value)].length, most, what);
    if (what === 'segment of a path') continue;
    t.match(await send(emoji(most + 1)), { status: 400, body: { error_code: 'validation_failed' } }, what);
  }
});
