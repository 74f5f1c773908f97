// Access walk of the routes of issues: every credential, every visibility and every kind of token, compared with a
// hand-written table.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { toWalk } from '#test/support/marks';
import { sharedForge } from '#test/support/shared-forge';
import { everybody } from './everybody.ts';
import { expect, types, type IssueJson } from './tracker.ts';

const visibilities = ['public', 'internal', 'private'] as const;
type Lines = Readonly<Record<(typeof visibilities)[number], string>>;

// One status per caller, in the order of `standings` (everybody.ts): none other read triage write maintain admin owner
// instance. `+` means success.
/** Reading public repositories needs no credential; 404 for a caller who may not read. */
const reading: Lines = {
  public: '+ + + + + + + + +',
  internal: '404 + + + + + + + +',
  private: '404 404 + + + + + + +',
};
/** Any signed-in user who can read a repository may open issues. */
const opening: Lines = {
  public: '401 + + + + + + + +',
  internal: '401 + + + + + + + +',
  private: '401 404 + + + + + + +',
};
/** Changing issues of others needs issue.write, which triage and higher roles have. */
const writing: Lines = {
  public: '401 403 403 + + + + + +',
  internal: '401 403 403 + + + + + +',
  private: '401 404 403 + + + + + +',
};
/** A repository administrator or an instance administrator. */
const administering: Lines = {
  public: '401 403 403 403 403 403 + + +',
  internal: '401 403 403 403 403 403 + + +',
  private: '401 404 403 403 403 403 + + +',
};
/** The owner or an instance administrator; for the parent also the author. */
const owning: Lines = {
  public: '401 403 403 403 403 403 403 + +',
  internal: '401 403 403 403 403 403 403 + +',
  private: '401 404 403 403 403 403 403 + +',
};

/** Only the author, who is the owner here. */
const authoring: Lines = {
  public: '401 403 403 403 403 403 403 + 403',
  internal: '401 403 403 403 403 403 403 + 403',
  private: '401 404 403 403 403 403 403 + 403',
};

/** The OAuth2 scope, and the scopes with which a personal access token of the owner is enough. */
const scopes = {
  read: { oauth: 'read:issue', good: ['issue:read', 'issue:write'] },
  write: { oauth: 'write:issue', good: ['issue:write'] },
  admin: { oauth: 'admin:repo', good: ['repo:admin'] },
} as const;
const tokens = ['issue:read', 'issue:write', 'repo:read', 'repo:write', 'repo:admin'] as const;

interface Row {
  readonly access: Lines;
  readonly scope: keyof typeof scopes;
  readonly body?: object;
  readonly query?: string;
  /**
   * The body with which the owner creates the thing that `{id}` of the path names, or a function that returns its id.
   */
  readonly before?: object | ((owner: Client, collection: string) => Promise<string>);
}

/** Changes a description. @returns the id of the entry in its history. */
async function edited(owner: Client, history: string): Promise<string> {
  const issue = history.slice(0, history.lastIndexOf('/'));
  expect(await owner.patch(issue, { body: { description: 'Changed' } }), 200);
  const [entry] = expect(await owner.get(history), 200).body as readonly { readonly id: string }[];
  return entry?.id ?? '';
}

let names = 0;
/** A body with a new name each time it is sent. */
const fresh = {
  get name(): string {
    return `made ${(names += 1)}`;
  },
};

/** A link to the first issue of the repository. */
const linked = { type: 'relates_to', target_number: 1 };

/** `{number}` is an issue that the owner has just opened. */
const table: Readonly<Record<string, Row>> = {
  'GET /issues': { access: reading, scope: 'read' },
  'GET /issues/search': { access: reading, scope: 'read', query: '?q=issue' },
  'POST /issues': { access: opening, scope: 'write', body: { title: 'x', issue_type_id: types.bug } },
  'GET /issues/{number}': { access: reading, scope: 'read' },
  'PATCH /issues/{number}': { access: writing, scope: 'write', body: { priority: 'low' } },
  'POST /issues/{number}/close': { access: writing, scope: 'write' },
  'POST /issues/{number}/reopen': { access: writing, scope: 'write' },
  'DELETE /issues/{number}': { access: owning, scope: 'admin' },
  'GET /issues/{number}/children': { access: reading, scope: 'read' },
  'PUT /issues/{number}/parent': { access: owning, scope: 'write', body: { parent_number: 1 } },
  'DELETE /issues/{number}/parent': { access: owning, scope: 'write' },
  // Any signed-in user who can read a repository may comment.
  'GET /issues/{number}/comments': { access: reading, scope: 'read' },
  'POST /issues/{number}/comments': { access: opening, scope: 'write', body: { body: 'x' } },
  'PATCH /issues/{number}/comments/{cid}': {
    access: authoring,
    scope: 'write',
    body: { body: 'y' },
    before: { body: 'x' },
  },
  // The author or an instance administrator.
  'DELETE /issues/{number}/comments/{cid}': { access: owning, scope: 'write', before: { body: 'x' } },
  'GET /issues/{number}/description-history': { access: reading, scope: 'read' },
  'DELETE /issues/{number}/description-history/{id}': { access: administering, scope: 'admin', before: edited },
  // Writing links needs issue.write; watching needs permission to read and the scope to read issues.
  'GET /issues/{number}/links': { access: reading, scope: 'read' },
  'POST /issues/{number}/links': { access: writing, scope: 'write', body: linked },
  'DELETE /issues/{number}/links/{id}': { access: writing, scope: 'write', before: linked },
  'PUT /issues/{number}/subscription': { access: opening, scope: 'read' },
  'DELETE /issues/{number}/subscription': { access: opening, scope: 'read' },
  'GET /issue-type-scheme': { access: reading, scope: 'read' },
  'PUT /issue-type-scheme': { access: administering, scope: 'admin', body: { type_ids: [] } },
  // Writing components and versions needs issue.write and the scope to write issues.
  'GET /components': { access: reading, scope: 'read' },
  'POST /components': { access: writing, scope: 'write', body: fresh },
  'PATCH /components/{id}': { access: writing, scope: 'write', body: { description: 'x' }, before: fresh },
  'DELETE /components/{id}': { access: writing, scope: 'write', before: fresh },
  'GET /versions': { access: reading, scope: 'read' },
  'POST /versions': { access: writing, scope: 'write', body: fresh },
  'PATCH /versions/{id}': { access: writing, scope: 'write', body: { released: true }, before: fresh },
  'DELETE /versions/{id}': { access: writing, scope: 'write', before: fresh },
};

void t.test('every route of issues', async (t) => {
  const forge = await sharedForge(t);
  const { callers, path, statuses } = await everybody(forge);
  const begin = '/api/v1/repos/{owner}/{repo}';
  const served = forge.contract.operations.filter(({ tag, path }) => tag === 'issues' && path.startsWith(begin));

  t.strictSame(
    served.map((one) => `${one.method} ${one.path.slice(begin.length)}`).sort(),
    Object.keys(table).sort(),
    'the served routes are those of the table',
  );

  const entryOf = (route: string) =>
    served.find((one) => `${one.method} ${one.path.slice(begin.length)}` === route)?.entry;
  const walked = toWalk(Object.entries(table), ([route, { access, scope }]) => [
    access,
    scope,
    entryOf(route)?.['x-access'],
    entryOf(route)?.['x-scope'],
  ]);
  const open = async (base: string): Promise<number> =>
    (
      expect(
        await callers.owner.post(`${base}/issues`, { body: { title: 'An issue', issue_type_id: types.task } }),
        201,
      ).body as IssueJson
    ).number;
  for (const visibility of visibilities) await open(path(visibility));
  const ask = async (route: string, { body, query = '', before }: Row, client: Client, base: string) => {
    const [method = '', tail = ''] = route.split(' ');
    const number = tail.includes('{number}') ? String(await open(base)) : '';
    const at = `${base}${tail.replace('{number}', number)}`;
    if (before === undefined) return client.request(method, `${at}${query}`, { body });
    const collection = at.slice(0, at.lastIndexOf('/'));
    const { owner } = callers;
    const id =
      typeof before === 'function'
        ? await before(owner, collection)
        : (expect(await owner.post(collection, { body: before }), 201).body as { readonly id: string }).id;
    return client.request(method, `${collection}/${id}`, { body });
  };

  for (const visibility of visibilities)
    await t.test(visibility, async (t) => {
      for (const [route, row] of walked)
        t.equal(
          (await statuses(visibility, (client, base) => ask(route, row, client, base))).replaceAll(/\b20[014]\b/g, '+'),
          row.access[visibility],
          route,
        );
    });

  await t.test('tokens', async (t) => {
    const clients = new Map<string, Client>();
    for (const token of tokens) clients.set(token, await forge.pat(callers.owner, [token]));
    for (const [route, row] of Object.entries(table)) {
      const { oauth } = scopes[row.scope];
      t.equal(
        (entryOf(route)?.['x-scope'] as { readonly oauth?: string } | undefined)?.oauth,
        oauth,
        `${route}: OAuth2`,
      );
    }
    for (const [route, row] of walked) {
      const { good } = scopes[row.scope];
      const passed: string[] = [];
      for (const [token, client] of clients) {
        const { status, body: answer } = await ask(route, row, client, path('public'));
        if (status < 300) passed.push(token);
        else t.match({ status, answer }, { status: 403, answer: { error_code: 'insufficient_scope' } }, route);
      }
      t.strictSame(passed, [...good], route);
      const bad = await ask(route, row, forge.as(`svc_${'x'.repeat(36)}`), path('public'));
      t.equal(bad.status, 401, `${route}: an invalid token, also on public data`);
    }
  });
});
