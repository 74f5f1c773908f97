// Tests of closed merge requests from forks whose commits were pruned: what is still returned, and how they are
// reopened.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge, type TestUser } from '#test/support/forge';
import { stockGit } from '#test/support/servers/stock-git';
import { commit, expect, workshop } from '../workshop.ts';

void t.test('a closed merge request whose commits were pruned', async (t) => {
  const first = await startTestForge(t);
  const given = await workshop(t, first);
  const code = await given.repository('code');
  const copy = await given.fork(code);
  const request = await given.open(code, { source_branch: 'bob:fix' }, given.bob.client);
  const path = `${code}/merges/${request.number}`;
  const { body } = await given.bob.client.get(`${path}/commits`);
  const [{ sha: head }] = body as [{ readonly sha: string }];
  const comment = { body: 'Before', file_path: 'fix.txt', line_number: 1 };
  expect(await given.alice.client.post(`${path}/comments`, { body: comment }), 201);
  expect(await given.bob.client.patch(path, { body: { state: 'closed' } }), 200);
  await given.settled();
  const { id } = (await given.alice.client.get(code)).body as { readonly id: string };
  await first.stop();
  const [directory = ''] = globSync(`**/${id}.git`, { cwd: first.dataDir, exclude: (name) => name === 'trash' });
  const git = await stockGit(t);
  const inTarget = (...args: readonly string[]) => git.ran(`--git-dir=${join(first.dataDir, directory)}`, ...args);
  t.equal((await inTarget('cat-file', '-e', head)).code, 0);
  await inTarget('repack', '-q', '-A', '-d', '--unpack-unreachable=now');
  await inTarget('prune', '--expire=now');
  t.not((await inTarget('cat-file', '-e', head)).code, 0, 'its commits are gone');

  const forge = await startTestForge(t, { after: first });
  const again = ({ username, password }: Pick<TestUser, 'username' | 'password'>) => forge.signIn(username, password);
  const [alice, bob, admin] = [await again(given.alice), await again(given.bob), await again(forge.admin)];

  await t.test('the request is returned with its head, without a diff', async (t) => {
    t.match(expect(await alice.get(path), 200).body, {
      state: 'closed',
      commits_count: 0,
      diff: '',
      diff_suppressed: true,
      diff_suppressed_reason: 'compare_branches_failed',
    });
    expect(await alice.get(`${code}/merges?state=closed`), 200);
  });

  await t.test('its commits and files are 409 commits_pruned', async (t) => {
    for (const what of ['commits', 'files', 'files/fix.txt'])
      isError(t, await alice.get(`${path}/${what}`), 409, 'commits_pruned', what);
  });

  await t.test('its comments and mergeability are returned', async (t) => {
    t.match(expect(await alice.get(`${path}/comments`), 200).body, [{ body: 'Before', line_number: 1 }]);
    t.match((await alice.get(`${path}/mergeability`)).body, { state: 'blocked' });
    expect(await alice.post(`${path}/comments`, { body: { body: 'After' } }), 201);
    t.equal((await alice.post(`${path}/comments`, { body: comment })).status, 400, 'an anchor in a missing commit');
  });

  await t.test('nothing of it is an error in the log', (t) => {
    t.equal(forge.output.stderr, '');
    t.end();
  });

  await t.test('it is reopened with the tip of its source, and stays closed without it', async (t) => {
    expect(await bob.post(`${copy}/branches`, { body: { name: 'saved', base_ref: 'fix' } }), 201);
    expect(await bob.delete(`${copy}/branches/fix`), 204);
    isError(t, await bob.patch(path, { body: { state: 'open' } }), 409, 'source_branch_missing', 'without its source');
    t.match((await alice.get(path)).body, { state: 'closed' });
    expect(await alice.post(`${code}/branches`, { body: { name: 'other', base_ref: 'main' } }), 201);
    await commit(alice, code, 'other', 'other.txt');
    const own = { title: 'Own', source_branch: 'other', target_branch: 'main' };
    const { number } = expect(await alice.post(`${code}/merges`, { body: own }), 201).body as { number: number };
    expect(await alice.post(`${code}/merges/${number}/merge`), 200);
    await forge.forge.drained();
    expect(await bob.post(`${copy}/branches`, { body: { name: 'fix', base_ref: 'saved' } }), 201);
    const tip = await commit(bob, copy, 'fix', 'more.txt');
    const setting = '/api/v1/admin/settings/repositories.max_bytes_per_user';
    expect(await admin.put(setting, { body: { value: '1' } }), 200);
    isError(t, await bob.patch(path, { body: { state: 'open' } }), 422, 'quota_exceeded', 'without room');
    t.match((await alice.get(path)).body, { state: 'closed' });
    expect(await admin.put(setting, { body: { value: '0' } }), 200);
    t.match(expect(await bob.patch(path, { body: { state: 'open' } }), 200).body, { state: 'open', diff: /more\.txt/ });
    t.match((await alice.get(`${path}/commits`)).body, [{ sha: tip }, { sha: head }]);
    expect(await alice.post(`${path}/merge`), 200);
  });
});
