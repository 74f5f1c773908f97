// The access walk: every page × visibility of the repository × caller. The expected status follows from the access rule
// of the page.
import t from 'tap';
import type { AccessRule } from '#core/kernel/access/access';
import { testHost } from '#host/sdk/testing';
import { fillInstance, fillRepository, pathOf, type Values } from '#test/support/clients/filled';

const visibilities = ['public', 'internal', 'private'] as const;
type Visibility = (typeof visibilities)[number];
const callers = ['anonymous', 'stranger', 'owner', 'admin'] as const;
type Caller = (typeof callers)[number];

/** Permissions of everybody who may read a repository. */
const ofReaders = ['repo.read', 'issue.read', 'ci.read', 'environment:read'];

const signsIn = 303;

function expected(rule: AccessRule, caller: Caller, visibility: Visibility): number {
  switch (rule.who) {
    case 'anyone':
      return 200;
    case 'signed-in':
    case 'session':
      return caller === 'anonymous' ? signsIn : 200;
    case 'admin':
    case 'super-admin':
      return caller === 'admin' ? 200 : caller === 'anonymous' ? signsIn : 403;
    case 'permitted': {
      if (caller === 'owner' || caller === 'admin') return 200;
      if (caller === 'anonymous' && rule.needsUser) return signsIn;
      const reads = visibility === 'public' || (visibility === 'internal' && caller === 'stranger');
      if (!reads) return caller === 'anonymous' && rule.anonymous === 401 ? signsIn : rule.hidden;
      return ofReaders.includes(rule.permission) ? 200 : rule.lacking;
    }
  }
}

/** Pages that lead elsewhere, or that need what only a journey makes. */
const others: Readonly<Record<string, string>> = {
  repositoryCloneAddress: 'leads to the front page',
  mergeCommentPage: 'is for the author of the comment',
  mergeEditPage: 'is for the author of the merge request',
  settingsStart: 'leads to the profile',
  applicationPage: 'only its owner finds an application',
};

void t.test('every page answers as its access rule says', async (t) => {
  await using forge = await testHost([], {
    repositories: visibilities.map((visibility) => ({ path: `owner/${visibility}`, visibility })),
  });
  await forge.user('stranger');
  await forge.user('reader');
  const instance = await fillInstance(forge.as('admin'), 'A text');
  const filled: Record<string, Values> = {};
  for (const visibility of visibilities)
    filled[visibility] = await fillRepository(forge.as('owner'), `owner/${visibility}`, 'A text');
  const browsers = Object.fromEntries(
    callers.map((caller) => [caller, forge.browser(caller === 'anonymous' ? undefined : caller)]),
  );
  await Promise.all(Object.values(browsers).map((browser) => browser.open('/-/keys')));
  const pages = forge
    .port('PageRegistry')
    .pages()
    .map(({ one }) => one)
    .filter(({ id }) => others[id] === undefined);
  t.ok(pages.length >= 12, `${String(pages.length)} pages`);
  for (const { id, path: pattern, access } of pages) {
    for (const visibility of pattern.includes('{repo}') ? visibilities : visibilities.slice(0, 1)) {
      const path = pathOf(pattern, {
        ...instance,
        ...filled[visibility],
        owner: 'owner',
        user: 'owner',
        repo: visibility,
      });
      if (path === undefined) {
        t.fail(`no values for ${pattern}`);
        continue;
      }
      const statuses = await Promise.all(
        callers.map(async (caller) => {
          const answer = await browsers[caller]?.request('GET', new URL(path, forge.url));
          return [caller, answer?.status] as const;
        }),
      );
      t.strictSame(
        Object.fromEntries(statuses),
        Object.fromEntries(callers.map((caller) => [caller, expected(access, caller, visibility)])),
        `${id} (${visibility}) ${path}`,
      );
    }
  }
});

void t.test('a token needs the scope of the page', async (t) => {
  await using forge = await testHost([], { repositories: ['owner/private'] });
  await forge.user('reader');
  const values = await fillRepository(forge.as('owner'), 'owner/private', 'A text');
  const token = forge.as('owner', { scopes: ['ci:write'] });
  for (const { one } of forge.port('PageRegistry').pages()) {
    if (one.scope === null || !one.path.includes('{repo}')) continue;
    const path = pathOf(one.path, { ...values, owner: 'owner', repo: 'private' }) ?? '';
    const { status } = await token.request('GET', new URL(path, forge.url));
    t.equal(status, 403, `${one.id} ${path}`);
  }
});
