// Tests that each refused form of a repository shows its message, on the page that has the form.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { submitTo } from '#test/support/page-forms';

void t.test('refused forms of repositories show the reason', async (t) => {
  await using forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'public' }, 'bob/site'],
    users: ['bob', 'cleo'],
  });
  const alice = forge.as('alice');
  const content = Buffer.from('one').toString('base64');
  await alice.put('/repos/alice/site/contents/a', { json: { message: 'A', content } });
  for (const name of ['topic', 'moving'])
    await alice.post('/repos/alice/site/branches', { json: { name, base_ref: 'main' } });
  await alice.post('/repos/alice/site/tags', { json: { name: 'v1', ref: 'main' } });
  await alice.put('/repos/alice/site/branches/main/protection', { json: {} });
  await alice.put('/repos/alice/site/collaborators/cleo', { json: { role: 'read' } });
  const browser = forge.browser('alice');
  const site = '/alice/site/-';

  const front = await browser.open('/alice/site');
  for (const mark of ['star', 'watch'])
    t.match(await submitTo(browser, front, `${site}/${mark}`, { on: 'perhaps' }), {
      status: 422,
      html: /role="alert">[^]*The request is not valid/,
    });

  const branch = await browser.open(`${site}/delete-branch/topic`);
  const moving = await browser.open(`${site}/delete-branch/moving`);
  await alice.put('/repos/alice/site/branches/topic/protection', { json: {} });
  await alice.put('/repos/alice/site/contents/b', { json: { message: 'B', content, branch: 'moving' } });
  t.match(await submitTo(browser, branch, `${site}/delete-branch`), {
    status: 422,
    html: /<h1>Delete the branch[^]*role="alert">[^]*The branch is protected/,
  });
  t.match(await submitTo(browser, moving, `${site}/delete-branch`), { status: 422, html: /The branch has moved/ });

  for (const [page, remove, message] of [
    [`${site}/delete-tag/v1`, '/repos/alice/site/tags/v1', /<h1>Delete the tag[^]*There is no such tag/],
    [
      `${site}/settings/protection/remove/main`,
      '/repos/alice/site/branches/main/protection',
      /The branch is not protected/,
    ],
    [
      `${site}/settings/access/remove/cleo`,
      '/repos/alice/site/collaborators/cleo',
      /<h1>Remove[^]*role="alert">[^]*"?cleo/,
    ],
  ] as const) {
    const question = await browser.open(page);
    t.equal((await alice.delete(remove)).status, 204, page);
    t.match(await submitTo(browser, question, page), { html: message }, page);
  }

  const bob = forge.browser('bob');
  const fork = await bob.open(`${site}/fork`);
  t.match(await submitTo(bob, fork, `${site}/fork`, { name: 'SITE' }), { status: 422, html: /id="name-error"/ });
  const settings = await browser.open(`${site}/settings`);
  await alice.post('/repos', { json: { name: 'page', visibility: 'private' } });
  t.match(await submitTo(browser, settings, `${site}/settings/rename`, { name: 'page' }), {
    status: 422,
    html: /id="name-error">&quot;page&quot; is in use/,
  });
});
