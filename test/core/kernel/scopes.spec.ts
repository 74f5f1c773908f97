// The scope catalogue: which token scope satisfies which row.
import t from 'tap';
import { scopeCatalogue, type ScopeName } from '#core/kernel/access/scopes';

const row = (name: string) => name as ScopeName;
const catalogue = scopeCatalogue([
  { name: row('repo.read'), pat: 'repo:read', oauth: 'read:repo' },
  { name: row('repo.write'), pat: 'repo:write', oauth: 'write:repo', includes: [row('repo.read')] },
  { name: row('repo.admin'), pat: 'repo:admin', oauth: 'admin:repo', includes: [row('repo.write')] },
  { name: row('issue.read'), pat: 'read:issue', oauth: 'read:issue' },
  { name: row('profile'), oauth: 'read:user' },
]);

void t.test('a wider scope includes the narrower ones of its family, transitively', async (t) => {
  const ok = (name: string, kind: 'pat' | 'oauth', ...held: string[]) => catalogue.satisfied(row(name), kind, held).ok;
  for (const [wide, narrow] of [
    ['admin', 'write'],
    ['admin', 'read'],
    ['write', 'read'],
  ] as const) {
    t.equal(ok(`repo.${narrow}`, 'pat', `repo:${wide}`), true, `repo:${wide} for repo.${narrow}`);
    t.equal(ok(`repo.${wide}`, 'pat', `repo:${narrow}`), false, `repo:${narrow} for repo.${wide}`);
    t.equal(ok(`repo.${narrow}`, 'oauth', `${wide}:repo`), true);
  }
  t.equal(ok('issue.read', 'pat', 'repo:admin'), false, 'never outside the family');
  t.equal(ok('repo.read', 'oauth', 'repo:read'), false, 'a PAT scope is not an OAuth2 scope');
  t.equal(ok('repo.read', 'pat'), false);
  t.equal(ok('repo.read', 'pat', 'read:issue', 'repo:write'), true, 'one of several is enough');
});

void t.test('the required scope is named for the kind of token, or undefined', async (t) => {
  t.strictSame(catalogue.satisfied(row('repo.write'), 'pat', []), { ok: false, required: 'repo:write' });
  t.strictSame(catalogue.satisfied(row('repo.write'), 'oauth', []), { ok: false, required: 'write:repo' });
  t.strictSame(catalogue.satisfied(row('profile'), 'pat', ['read:user']), { ok: false, required: undefined });
});

void t.test('token scopes are listed once, in the order of contribution', async (t) => {
  t.strictSame(catalogue.tokenScopes('pat'), ['repo:read', 'repo:write', 'repo:admin', 'read:issue']);
  t.strictSame(catalogue.tokenScopes('oauth'), ['read:repo', 'write:repo', 'admin:repo', 'read:issue', 'read:user']);
});

void t.test('an unknown row is a fault, a cycle of rows is not', async (t) => {
  t.throws(() => catalogue.row(row('nothing')), { message: 'scope row "nothing" is in no enabled plugin' });
  const cyclic = scopeCatalogue([
    { name: row('a'), pat: 'a', includes: [row('b')] },
    { name: row('b'), pat: 'b', includes: [row('a')] },
  ]);
  t.equal(cyclic.satisfied(row('a'), 'pat', ['b']).ok, true);
});
