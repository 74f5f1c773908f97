// Access walk of the routes of merge requests: every credential, every visibility and every kind of token, compared
// with a hand-written table.
import t, { type Test } from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import type { TestForge } from '#test/support/forge';
import { toWalk } from '#test/support/marks';
import { sharedForge } from '#test/support/shared-forge';
import { everybody, type Everybody } from '../issues/everybody.ts';
import { branch, commit, expect, nobody, type MergeJson } from './workshop.ts';

const visibilities = ['public', 'internal', 'private'] as const;
type Visibility = (typeof visibilities)[number];
type Lines = Readonly<Record<Visibility, string>>;

// One status per caller, in the order of `standings` (../issues/everybody.ts): none other read triage write maintain
// admin owner instance. `+` means success.
/** Reading public repositories needs no credential; 404 for a caller who may not read. */
const reading: Lines = {
  public: '+ + + + + + + + +',
  internal: '404 + + + + + + + +',
  private: '404 404 + + + + + + +',
};
/** prepare-url, comments and reviews need write access. */
const writing: Lines = {
  public: '401 403 403 403 + + + + +',
  internal: '401 403 403 403 + + + + +',
  private: '401 404 403 403 + + + + +',
};
/** Opening, updating and merging are 403 for a non-member of a private repository. */
const merging: Lines = {
  public: '401 403 403 403 + + + + +',
  internal: '401 403 403 403 + + + + +',
  private: '401 403 403 403 + + + + +',
};
/** The comment's author, who is the owner here, or a repository administrator. */
const authoring: Lines = {
  public: '401 403 403 403 403 403 + + +',
  internal: '401 403 403 403 403 403 + + +',
  private: '401 404 403 403 403 403 + + +',
};
/** The deprecated paths answer 308 whether or not the target exists. */
const everybodys = '+ + + + + + + + +';
const moved: Lines = { public: everybodys, internal: everybodys, private: everybodys };

/** The OAuth2 scope, and the scopes with which a personal access token of the owner is enough. */
const scopes = {
  read: { oauth: 'read:repo', good: ['repo:read', 'repo:write', 'repo:admin'] },
  write: { oauth: 'write:repo', good: ['repo:write', 'repo:admin'] },
  none: { oauth: undefined, good: ['repo:read', 'repo:write', 'repo:admin', 'issue:read', 'issue:write'] },
} as const;
const tokens = ['repo:read', 'repo:write', 'repo:admin', 'issue:read', 'issue:write'] as const;

interface Row {
  readonly access: Lines;
  readonly scope: keyof typeof scopes;
  readonly body?: object;
  /** The thing that the path names in addition to the open request. */
  readonly needs?: 'comment' | 'request' | 'branch';
}

const comment = { body: 'x' };

const table: Readonly<Record<string, Row>> = {
  'GET /merges': { access: reading, scope: 'read' },
  'POST /merges': { access: merging, scope: 'write', needs: 'branch' },
  'POST /merges/prepare-url': {
    access: writing,
    scope: 'write',
    body: { source_branch: 'topic', target_branch: 'main' },
  },
  'GET /merges/{number}': { access: reading, scope: 'read' },
  'PATCH /merges/{number}': { access: merging, scope: 'write', body: { description: 'x' } },
  'POST /merges/{number}/merge': { access: merging, scope: 'write', needs: 'request' },
  'GET /merges/{number}/mergeability': { access: reading, scope: 'read' },
  'GET /merges/{number}/commits': { access: reading, scope: 'read' },
  'GET /merges/{number}/files': { access: reading, scope: 'read' },
  'GET /merges/{number}/files/{path}': { access: reading, scope: 'read' },
  'GET /merges/{number}/comments': { access: reading, scope: 'read' },
  'POST /merges/{number}/comments': { access: writing, scope: 'write', body: comment },
  'PATCH /merges/{number}/comments/{cid}': {
    access: authoring,
    scope: 'write',
    body: { resolved: true },
    needs: 'comment',
  },
  'DELETE /merges/{number}/comments/{cid}': { access: authoring, scope: 'write', needs: 'comment' },
  'POST /merges/{number}/reviews': { access: writing, scope: 'write', body: { state: 'approved' } },
  ...Object.fromEntries(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [
      `${method} /pulls/{rest}`,
      { access: moved, scope: 'none' } as const,
    ]),
  ),
};

interface Stage {
  readonly forge: TestForge;
  readonly people: Everybody;
  /**
   * Sends the request of the row as the client, to the repository with this path.
   * @param how `bare` skips creating what the path names, because the request is refused before it is looked up.
   */
  readonly ask: (route: string, client: Client, base: string, how?: 'bare') => Promise<Answer>;
}

/** Repositories in which merge request 1, of the branch `topic`, is open and was opened by the owner. */
async function stage(t: Test): Promise<Stage> {
  const forge = await sharedForge(t);
  const people = await everybody(forge);
  const { owner } = people.callers;
  let made = 0;
  const fresh = (): string => `fresh-${(made += 1)}`;
  const open = async (base: string, source: string): Promise<number> => {
    const body = { title: 'x', source_branch: source, target_branch: 'main' };
    return (expect(await owner.post(`${base}/merges`, { body }), 201).body as MergeJson).number;
  };
  for (const visibility of visibilities) {
    const base = people.path(visibility);
    await commit(owner, base, 'main', 'README.md');
    await branch(owner, base, 'topic');
    await open(base, 'topic');
  }
  return {
    forge,
    people,
    async ask(route, client, base, how) {
      const { body = {}, needs } = table[route] ?? {};
      const [method = '', template = ''] = route.split(' ');
      let [number, cid, more] = [1, nobody, body];
      if (how !== 'bare' && needs === 'request') {
        const source = fresh();
        await branch(owner, base, source);
        number = await open(base, source);
      }
      if (how !== 'bare' && needs === 'branch') {
        const source = fresh();
        expect(await owner.post(`${base}/branches`, { body: { name: source, base_ref: 'topic' } }), 201);
        more = { title: 'x', source_branch: source, target_branch: 'main' };
      }
      if (how !== 'bare' && needs === 'comment') {
        const said = await owner.post(`${base}/merges/1/comments`, { body: comment });
        ({ id: cid } = expect(said, 201).body as { readonly id: string });
      }
      const values: Readonly<Record<string, string>> = { number: `${number}`, cid, path: 'topic.txt', rest: '1' };
      const path = `${base}${template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')}`;
      return client.request(method, path, method === 'GET' ? {} : { body: more });
    },
  };
}

void t.test('every route of merge requests', async (t) => {
  const { forge, people, ask } = await stage(t);
  const { callers, path, statuses } = people;
  const begin = '/api/v1/repos/{owner}/{repo}';
  const served = forge.contract.operations.filter(({ tag, path }) => tag === 'merges' && path.startsWith(begin));
  const routeOf = (one: (typeof served)[number]): string => `${one.method} ${one.path.slice(begin.length)}`;

  t.strictSame(served.map(routeOf).sort(), Object.keys(table).sort(), 'the served routes are those of the table');

  const entryOf = (route: string) => served.find((one) => routeOf(one) === route)?.entry;
  const walked = toWalk(Object.entries(table), ([route, { access, scope }]) => [
    access,
    scope,
    entryOf(route)?.['x-access'],
    entryOf(route)?.['x-scope'],
  ]);
  for (const visibility of visibilities)
    await t.test(visibility, async (t) => {
      for (const [route, { access }] of walked) {
        const answers = await statuses(visibility, (client, base) => ask(route, client, base));
        t.equal(answers.replaceAll(/\b(20[014]|308)\b/g, '+'), access[visibility], route);
      }
    });

  await t.test('tokens', async (t) => {
    const clients = new Map<string, Client>();
    for (const token of tokens) clients.set(token, await forge.pat(callers.owner, [token]));
    for (const [route, { scope }] of Object.entries(table)) {
      const { oauth } = scopes[scope];
      t.equal(
        (entryOf(route)?.['x-scope'] as { readonly oauth?: string } | undefined)?.oauth,
        oauth,
        `${route}: OAuth2`,
      );
    }
    for (const [route, { scope }] of walked) {
      const { good } = scopes[scope];
      const passed: string[] = [];
      for (const [token, client] of clients) {
        const { status, body } = await ask(route, client, path('public'));
        if (status < 400) passed.push(token);
        else t.match({ status, body }, { status: 403, body: { error_code: 'insufficient_scope' } }, route);
      }
      t.strictSame(passed, [...good], route);
    }
  });

  await t.test('a credential that is invalid or has ended is 401, also on public data', async (t) => {
    const writer = async (name: string) => {
      const user = await forge.createUser(name);
      expect(await callers.owner.put(`${path('public')}/collaborators/${name}`, { body: { role: 'write' } }), 204);
      return { ...user, token: await forge.pat(user.client, ['repo:admin']) };
    };
    const [suspended, revoked, ended] = [await writer('suspended'), await writer('revoked'), await writer('ended')];
    const off = { body: { status: 'suspended' } };
    expect(await callers.instance.patch(`/api/v1/admin/users/${suspended.id}`, off), 200);
    const { items } = (await revoked.client.get('/api/v1/user/tokens')).body as {
      readonly items: readonly { readonly id: string }[];
    };
    for (const { id } of items) expect(await revoked.client.delete(`/api/v1/user/tokens/${id}`), 204);
    expect(await ended.client.post('/api/v1/auth/logout'), 204);
    const bad: Readonly<Record<string, Client>> = {
      'a session of a suspended account': suspended.client,
      'a token of a suspended account': suspended.token,
      'a token that was revoked': revoked.token,
      'a session that has ended': ended.client,
      'a token of nobody': forge.as(`svc_${'x'.repeat(36)}`),
    };
    for (const [route] of walked)
      for (const [what, client] of Object.entries(bad))
        t.equal((await ask(route, client, path('public'), 'bare')).status, 401, `${route}: ${what}`);
  });

  await t.test(
    'users without access to a private repository get the same 403 for an existing and a missing request',
    async (t) => {
      const { other } = callers;
      const base = `${path('private')}/merges`;
      for (const [method, tail, body] of [
        ['PATCH', '', { title: 'x' }],
        ['PATCH', '', {}],
        ['PATCH', '', { nonsense: 1 }],
        ['POST', '/merge', {}],
        ['POST', '/merge', { strategy: 'nonsense' }],
      ] as const) {
        const answers: object[] = [];
        for (const number of [1, 2, 9999, 0, 2 ** 40]) {
          const { status, body: answer } = await other.request(method, `${base}/${number}${tail}`, { body });
          const { request_id: _, ...told } = answer as { readonly request_id?: string };
          answers.push({ status, ...told });
        }
        t.match(answers[0], { status: 403, error_code: 'forbidden' }, `${method}${tail}`);
        for (const answer of answers) t.strictSame(answer, answers[0], `${method}${tail} ${JSON.stringify(body)}`);
      }
      for (const body of [{}, { title: 'x', source_branch: 'none', target_branch: 'main' }, { nonsense: 1 }])
        t.match(await other.post(base, { body }), { status: 403, body: { error_code: 'forbidden' } }, 'opening');
      for (const [method, tail] of [
        ['GET', ''],
        ['GET', '/comments'],
        ['POST', '/comments'],
        ['POST', '/reviews'],
        ['GET', '/mergeability'],
      ] as const) {
        const ask = (number: number) =>
          other.request(method, `${base}/${number}${tail}`, method === 'GET' ? {} : { body: {} });
        const [here, missing] = [await ask(1), await ask(9999)];
        t.match([here.status, missing.status], [404, 404], `${method}${tail}`);
      }
    },
  );

  await t.test('a custom role has exactly the permissions it was given', async (t) => {
    const base = path('private');
    const { client: odd } = await forge.createUser('odd');
    const give = async (...permissions: readonly string[]): Promise<void> => {
      const body = { role: 'odd', permissions: ['repo.read', ...permissions] };
      expect(await callers.owner.put(`${base}/collaborators/odd`, { body }), 204);
    };
    const may = async (): Promise<readonly string[]> => {
      const routes: string[] = [];
      for (const [route, { access }] of Object.entries(table))
        if (access === writing || access === merging || access === authoring)
          if ((await ask(route, odd, base)).status < 400) routes.push(route);
      return routes;
    };
    await give();
    t.strictSame(await may(), []);
    await give('repo.write');
    t.strictSame(
      await may(),
      ['POST /merges/{number}/comments', 'POST /merges/{number}/reviews'],
      'prepare-url is for users who may open a request',
    );
    for (const [permission, route] of [
      ['merge.open', 'POST /merges'],
      ['merge.update', 'PATCH /merges/{number}'],
      ['merge.merge', 'POST /merges/{number}/merge'],
    ] as const) {
      await give(permission);
      t.strictSame(await may(), [route], permission);
    }
    await give('repo.admin');
    t.strictSame(await may(), ['PATCH /merges/{number}/comments/{cid}', 'DELETE /merges/{number}/comments/{cid}']);
  });
});
