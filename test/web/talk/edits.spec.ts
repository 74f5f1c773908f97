// Tests that two people who change different members of one thing do not undo each other's changes.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { body, open, send, write } from '../merge-pages.ts';

const task = '00000000-0000-4000-8000-000000000003';
const api = '/repos/alice/site';
const base = '/alice/site/-';

void t.test('forms send only what was changed', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const alice = forge.as('alice');
  const [one, other] = [forge.browser('alice'), forge.browser('alice')];

  await t.test('the texts of an issue', async (t) => {
    body(
      await alice.post(`${api}/issues`, {
        json: { title: 'First', issue_type_id: task, description: 'one\ntwo', assumptions: 'a' },
      }),
    );
    const [mine, theirs] = [await one.open(`${base}/issues/1/edit`), await other.open(`${base}/issues/1/edit`)];
    await send(other, theirs, '/1/edit', { title: 'Second', acceptance_criteria: 'c' });
    const refused = await send(one, mine, '/1/edit', { title: 'x'.repeat(300), description: 'one\r\nthree' });
    t.equal(refused.status, 422);
    t.match(await send(one, refused, '/1/edit', { title: 'First' }), { status: 200, path: `${base}/issues/1` });
    t.match(body(await alice.get(`${api}/issues/1`)), {
      title: 'Second',
      description: 'one\nthree',
      assumptions: 'a',
      acceptance_criteria: 'c',
    });
    t.match(await send(one, await one.open(`${base}/issues/1/edit`), '/1/edit', { assumptions: '' }), { status: 200 });
    t.match(body(await alice.get(`${api}/issues/1`)), { description: 'one\nthree', assumptions: null });
  });

  await t.test('the side column of an issue', async (t) => {
    const part = (page: Awaited<ReturnType<typeof one.open>>, name: string) => ({
      ...page,
      forms: page.forms.filter(({ fields }) => fields['part'] === name),
    });
    const page = await other.open(`${base}/issues/1`);
    await send(one, part(page, 'status'), '/1/fields', { issue_status: 'in_progress' });
    await send(other, part(page, 'status'), '/1/fields', { priority: 'high' });
    await send(one, part(page, 'estimate'), '/1/fields', { story_points: '3' });
    await send(other, part(page, 'estimate'), '/1/fields', { input_tokens: '70' });
    t.match(body(await alice.get(`${api}/issues/1`)), {
      issue_status: 'in_progress',
      priority: 'high',
      story_points: 3,
      input_tokens: 70,
    });
  });

  await t.test('a merge request', async (t) => {
    await write(forge, { branch: 'main', path: 'README.md', content: 'one\n' });
    await write(forge, { branch: 'topic', path: 'a.txt', content: 'a\n' });
    await write(forge, { branch: 'next', path: 'b.txt', content: 'b\n' });
    await open(forge, { source_branch: 'topic', title: 'First', description: 'one\ntwo' });
    const [mine, theirs] = [await one.open(`${base}/merges/1/edit`), await other.open(`${base}/merges/1/edit`)];
    await send(other, theirs, '/1/edit', { target_branch: 'next' });
    await send(one, mine, '/1/edit', { title: 'Second' });
    t.match(body(await alice.get(`${api}/merges/1`)), {
      title: 'Second',
      description: 'one\ntwo',
      target_branch: 'next',
    });
  });
});
