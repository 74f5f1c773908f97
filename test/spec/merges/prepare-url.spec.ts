// Tests of prepare-url: the URL of the form that opens a merge request.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { branch, expect, repos, workshop } from './workshop.ts';

void t.test('prepare-url', async (t) => {
  const { forge, alice, bob, repository } = await workshop(t);
  const code = await repository('code');
  const path = `${code}/merges/prepare-url`;
  const branches = { source_branch: 'topic', target_branch: 'main' };
  const prepared = async (body: object): Promise<unknown> => expect(await alice.client.post(path, { body }), 200).body;

  await t.test('returns a relative path with the given values as query parameters, and creates nothing', async (t) => {
    const url = '/alice/code/-/merges/new?source_branch=topic&target_branch=main';
    t.strictSame(await prepared(branches), { url, expires_at: null });
    t.strictSame(await prepared({ ...branches, title: '', description: '' }), { url, expires_at: null });
    const { url: whole } = (await prepared({
      ...branches,
      title: 'Größer & besser?',
      description: 'a\nb#c',
      draft: true,
    })) as { readonly url: string };
    t.strictSame(Object.fromEntries(new URL(whole, forge.url).searchParams), {
      ...branches,
      title: 'Größer & besser?',
      description: 'a\nb#c',
      draft: 'true',
    });
    t.match((await alice.client.get(`${code}/merges?state=all`)).body, { total: 0 });
  });

  await t.test('422 for an unknown branch, 400 for missing or malformed members', async (t) => {
    for (const member of ['source_branch', 'target_branch']) {
      const none = await alice.client.post(path, { body: { ...branches, [member]: 'none' } });
      isError(t, none, 422, 'unprocessable', member);
      const absent = await alice.client.post(path, { body: { ...branches, [member]: undefined } });
      isError(t, absent, 400, 'validation_failed', member);
    }
    const same = await alice.client.post(path, { body: { ...branches, source_branch: 'main' } });
    isError(t, same, 400, 'validation_failed', 'the same branch twice');
    isError(t, await alice.client.post(path, { body: { ...branches, draft: 1 } }), 400, 'validation_failed', 'draft');
    isError(t, await alice.client.post(path, { body: { ...branches, x: 1 } }), 400, 'unknown_field', 'x');
  });

  await t.test('needs write access: 403 for readers, 404 if the repository is hidden or missing', async (t) => {
    isError(t, await bob.client.post(path, { body: branches }), 403, 'forbidden', 'a reader');
    isError(t, await forge.anonymous.post(path, { body: branches }), 401, 'unauthorized', 'anonymous');
    const hidden = await repository('hidden', 'private');
    for (const other of [hidden, `${repos}/alice/none`])
      isError(t, await bob.client.post(`${other}/merges/prepare-url`, { body: branches }), 404, 'not_found', other);
    const reading = await forge.pat(alice.client, ['repo:read']);
    isError(t, await reading.post(path, { body: branches }), 403, 'insufficient_scope', 'a token with a read scope');
  });

  await t.test('branches with a slash', async (t) => {
    await branch(alice.client, code, 'feature/one');
    t.match(await prepared({ ...branches, source_branch: 'feature/one' }), { url: /source_branch=feature%2Fone/ });
  });
});
