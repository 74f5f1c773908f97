// Tests of the access to the source: a request from another repository follows it only while its author, or a user who
// reopened it, can push there.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { branch, commit, expect, workshop, type MergeJson } from '../workshop.ts';

void t.test('the access of a merge request to its source', async (t) => {
  const { forge, alice, bob, repository, fork, open, fetch, settled } = await workshop(t);
  const carol = await forge.createUser('carol');
  const dave = await forge.createUser('dave');
  const admin = await forge.administrator();
  const put = async (path: string, username: string, role = 'write'): Promise<void> => {
    expect(await bob.client.put(`${path}/collaborators/${username}`, { body: { role } }), 204);
  };
  const remove = async (path: string, username: string): Promise<void> => {
    expect(await bob.client.delete(`${path}/collaborators/${username}`), 204);
  };
  const shas = async (path: string, number: number): Promise<readonly string[]> =>
    ((await alice.client.get(`${path}/merges/${number}/commits`)).body as { readonly sha: string }[]).map(
      ({ sha }) => sha,
    );
  const merge = (path: string, { number }: MergeJson, body: object = {}) =>
    alice.client.post(`${path}/merges/${number}/merge`, { body });
  const change = (client: Client, path: string, { number }: MergeJson, body: object) =>
    client.patch(`${path}/merges/${number}`, { body });
  const rules = async (path: string, { number }: MergeJson): Promise<readonly string[]> => {
    const { body } = await alice.client.get(`${path}/merges/${number}/mergeability`);
    return (body as { readonly rules: readonly { readonly code: string }[] }).rules.map(({ code }) => code);
  };
  /** Alice's public repository, bob's fork of it, and a request of carol's, who is a collaborator of the fork. */
  const given = async (name: string, author = carol) => {
    const code = await repository(name);
    const copy = await fork(code);
    await put(copy, author.username);
    const request = await open(code, { source_branch: 'bob:fix' }, author.client);
    const [head = ''] = await shas(code, request.number);
    return { code, copy, request, head };
  };

  await t.test('a push after the author was removed from the source is not followed', async (t) => {
    const { code, copy, request, head } = await given('removed');
    await remove(copy, 'carol');
    const later = await commit(bob.client, copy, 'fix', 'later.txt');
    await settled();
    t.strictSame(await shas(code, request.number), [head]);
    t.equal((await alice.client.get(`${code}/contents/later.txt?ref=${later}`)).status, 404);
    t.match(await fetch(code, request.number), { state: 'open', source_access_lost: true });
    t.strictSame(await rules(code, request), ['source_access_lost']);
    const refused = await merge(code, request);
    isError(t, refused, 409, 'source_access_lost', 'merging');
    t.match(refused.body, { reason: 'source_access_lost' });
    await put(copy, 'carol');
    isError(t, await merge(code, request), 409, 'source_access_lost', 'access that was given back is not enough');
    t.match(await change(carol.client, code, request, { state: 'open' }), { status: 200, body: { state: 'open' } });
    t.strictSame(await shas(code, request.number), [later, head]);
    t.notOk(Object.hasOwn(await fetch(code, request.number), 'source_access_lost'));
    t.match(await merge(code, request, { sha: later }), { status: 200, body: { state: 'merged' } });
  });

  await t.test('merging is refused although nothing was pushed since the author was removed', async (t) => {
    const { code, copy, request } = await given('idle');
    await remove(copy, 'carol');
    isError(t, await merge(code, request), 409, 'source_access_lost', 'removed');
    await put(copy, 'carol', 'read');
    isError(t, await merge(code, request), 409, 'source_access_lost', 'a reader');
  });

  await t.test('a push that was not followed yet when the author was removed is not merged', async (t) => {
    const { code, copy, request, head } = await given('late');
    await commit(bob.client, copy, 'fix', 'later.txt');
    await remove(copy, 'carol');
    isError(t, await merge(code, request), 409, 'source_access_lost', 'merging');
    t.ok((await shas(code, request.number)).includes(head));
  });

  await t.test('a role without repo.write ends it too, and so does a custom role', async (t) => {
    const { code, copy, request } = await given('demoted');
    const body = { role: 'looker', permissions: ['repo.read'] };
    expect(await bob.client.put(`${copy}/collaborators/carol`, { body }), 204);
    await settled();
    t.match(await fetch(code, request.number), { source_access_lost: true });
    await put(copy, 'carol');
    t.match(await fetch(code, request.number), { source_access_lost: true }, 'until it is reopened');
  });

  await t.test('a reopening without permission to push brings nothing', async (t) => {
    const { code, copy, request, head } = await given('reopened');
    expect(await change(carol.client, code, request, { state: 'closed' }), 200);
    await remove(copy, 'carol');
    const later = await commit(bob.client, copy, 'fix', 'later.txt');
    for (const client of [carol.client, alice.client]) {
      t.match(await change(client, code, request, { state: 'open' }), { status: 200 });
      await settled();
      t.strictSame(await shas(code, request.number), [head]);
    }
    isError(t, await merge(code, request), 409, 'source_access_lost', 'merging');
    t.match(await change(bob.client, code, request, { state: 'open' }), { status: 200, body: { state: 'open' } });
    t.strictSame(await shas(code, request.number), [later, head], 'reopened by the owner of the source');
    const next = await commit(bob.client, copy, 'fix', 'next.txt');
    t.strictSame(await shas(code, request.number), [next, later, head], 'whose permission counts from now on');
  });

  await t.test('a user who can push to the source may close a request, and change nothing else', async (t) => {
    const { code, request } = await given('closing');
    for (const body of [{ title: 'Mine' }, { state: 'closed', title: 'Mine' }, { draft: true }, { reviewer_ids: [] }])
      t.equal((await change(bob.client, code, request, body)).status, 403, JSON.stringify(body));
    t.equal((await change(dave.client, code, request, { state: 'closed' })).status, 403);
    t.match(await change(bob.client, code, request, { state: 'closed' }), { status: 200, body: { state: 'closed' } });
    t.equal((await change(dave.client, code, request, { state: 'open' })).status, 403);
  });

  await t.test('a token without write scope does not close it', async (t) => {
    const { code, request } = await given('scoped');
    const token = await forge.pat(bob.client, ['repo:read']);
    t.equal((await change(token, code, request, { state: 'closed' })).status, 403);
  });

  await t.test('suspending the author ends it, and reactivating does not bring it back', async (t) => {
    const erin = await forge.createUser('erin');
    const { code, copy, request, head } = await given('suspended', erin);
    const suspend = async (status: string): Promise<void> => {
      expect(await admin.patch(`/api/v1/admin/users/${erin.id}`, { body: { status } }), 200);
    };
    await suspend('suspended');
    await commit(bob.client, copy, 'fix', 'later.txt');
    await settled();
    t.strictSame(await shas(code, request.number), [head]);
    isError(t, await merge(code, request), 409, 'source_access_lost', 'suspended');
    await suspend('active');
    isError(t, await merge(code, request), 409, 'source_access_lost', 'reactivated');
  });

  await t.test('a source that becomes less visible than the target is not followed', async (t) => {
    const code = await repository('visible');
    const copy = await fork(code);
    const request = await open(code, { source_branch: 'bob:fix' }, bob.client);
    const [head] = await shas(code, request.number);
    expect(await bob.client.patch(copy, { body: { visibility: 'private' } }), 200);
    const secret = await commit(bob.client, copy, 'fix', 'secret.txt');
    await settled();
    t.strictSame(await shas(code, request.number), [head]);
    t.equal((await forge.anonymous.get(`${code}/contents/secret.txt?ref=${secret}`)).status, 404);
    isError(t, await merge(code, request), 409, 'source_access_lost', 'less visible');
    expect(await change(bob.client, code, request, { state: 'open' }), 200);
    t.strictSame(await shas(code, request.number), [secret, head], 'reopened knowingly');
    const next = await commit(bob.client, copy, 'fix', 'next.txt');
    await settled();
    t.strictSame(await shas(code, request.number), [next, secret, head]);
  });

  await t.test('a target that becomes more visible than the source is not followed', async (t) => {
    const code = await repository('opened', 'internal');
    const copy = await fork(code, { visibility: 'private' });
    const request = await open(code, { source_branch: 'bob:fix' }, bob.client);
    const [head = ''] = await shas(code, request.number);
    const second = await commit(bob.client, copy, 'fix', 'second.txt');
    await settled();
    t.strictSame(await shas(code, request.number), [second, head], 'opened from a less visible fork knowingly');
    expect(await alice.client.patch(code, { body: { visibility: 'public' } }), 200);
    await commit(bob.client, copy, 'fix', 'third.txt');
    await settled();
    t.strictSame(await shas(code, request.number), [second, head]);
    isError(t, await merge(code, request), 409, 'source_access_lost', 'more visible');
  });

  await t.test('a source that was deleted and forked again under its name is another repository', async (t) => {
    const { code, copy, request, head } = await given('again');
    expect(await bob.client.delete(copy, { body: { confirmation: 'bob/again' } }), 204);
    await fork(code);
    await commit(bob.client, copy, 'fix', 'later.txt');
    await settled();
    t.strictSame(await shas(code, request.number), [head]);
    isError(t, await merge(code, request), 409, 'source_branch_missing', 'nothing to follow');
    t.equal((await change(bob.client, code, request, { state: 'closed' })).status, 403, 'not its owner');
  });

  await t.test('a request from a branch of the target needs no access of its author', async (t) => {
    const code = await repository('own');
    expect(await alice.client.put(`${code}/collaborators/carol`, { body: { role: 'write' } }), 204);
    const request = await open(code, {}, carol.client);
    expect(await alice.client.delete(`${code}/collaborators/carol`), 204);
    const later = await commit(alice.client, code, 'topic', 'later.txt');
    await settled();
    t.equal((await shas(code, request.number))[0], later);
    t.match(await merge(code, request), { status: 200 });
  });

  await t.test('a demoted instance administrator who was no collaborator ends it', async (t) => {
    const code = await repository('boss');
    await fork(code);
    const boss = await forge.createUser('boss', { isAdmin: true });
    const request = await open(code, { source_branch: 'bob:fix' }, boss.client);
    expect(await admin.patch(`/api/v1/admin/users/${boss.id}`, { body: { is_admin: false } }), 200);
    isError(t, await merge(code, request), 409, 'source_access_lost', 'demoted');
  });

  await t.test('pushes, reads, merges and the removal of the author at the same time', async (t) => {
    for (let round = 0; round < 3; round += 1) {
      const { code, copy, request } = await given(`race-${round}`);
      let isOver = false;
      const secret = (async () => {
        await remove(copy, 'carol');
        const sha = await commit(bob.client, copy, 'fix', 'secret.txt');
        await settled();
        isOver = true;
        return sha;
      })();
      const reading = (async () => {
        while (!isOver) await fetch(code, request.number);
      })();
      const merging = (async () => {
        const statuses = new Set<number>();
        while (!isOver) statuses.add((await merge(code, request)).status);
        return [...statuses];
      })();
      const pushing = commit(bob.client, copy, 'fix', 'before.txt').catch(() => undefined);
      const [sha, statuses] = await Promise.all([secret, merging, reading, pushing]);
      t.strictSame(
        statuses.filter((status) => status !== 200 && status !== 409),
        [],
        'merged or refused',
      );
      t.equal((await alice.client.get(`${code}/contents/secret.txt?ref=${sha}`)).status, 404, 'never copied');
      const state = (await fetch(code, request.number)).state;
      if (state === 'open') isError(t, await merge(code, request), 409, 'source_access_lost', 'afterwards');
      else t.equal((await alice.client.get(`${code}/contents/secret.txt`)).status, 404);
    }
  });

  await t.test('branches of the source that are not in the request are never copied', async (t) => {
    const { code, copy, request } = await given('others');
    const other = await branch(bob.client, copy, 'other', 'fix');
    await settled();
    t.equal((await shas(code, request.number)).includes(other), false);
  });
});
