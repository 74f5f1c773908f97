// Tests that the answer after a push, a deletion or a change of the target shows it, without waiting for its event.
import t from 'tap';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';
import { branch, commit, expect, repos, workshop } from './workshop.ts';

void t.test('what is written can be read at once', async (t) => {
  const { forge, alice, bob, repository, fork, open, fetch } = await workshop(t);
  const code = await repository('code');
  const copy = await fork(code);
  let branches = 0;
  const fresh = async (from: 'fork' | 'own' = 'fork', body: object = {}) => {
    const name = `fresh-${(branches += 1)}`;
    const of = from === 'fork' ? copy : code;
    await branch(from === 'fork' ? bob.client : alice.client, of, name);
    const source = from === 'fork' ? `bob:${name}` : name;
    const request = await open(code, { source_branch: source, ...body }, from === 'fork' ? bob.client : alice.client);
    return { ...request, at: `${code}/merges/${request.number}`, branch: name, of };
  };
  const list = async (state: string): Promise<{ readonly total: number; readonly numbers: readonly number[] }> => {
    const { body } = await alice.client.get(`${code}/merges?state=${state}&per_page=100`);
    const { items, total } = body as { readonly items: readonly { readonly number: number }[]; readonly total: number };
    return { total, numbers: items.map(({ number }) => number) };
  };
  const shas = async (at: string): Promise<readonly string[]> =>
    ((await alice.client.get(`${at}/commits`)).body as { readonly sha: string }[]).map(({ sha }) => sha);
  const url = (of: string): string =>
    of === code ? remote(forge.url, 'alice/code', alice) : remote(forge.url, 'bob/code', bob);

  for (const from of ['fork', 'own'] as const) {
    await t.test(`a push to a branch of the ${from === 'fork' ? 'fork' : 'target'}`, async (t) => {
      const writer = from === 'fork' ? bob.client : alice.client;
      const readers = {
        commits: async (at: string, _file: string, sha: string) => t.equal((await shas(at))[0], sha, 'commits'),
        counts: async (at: string) => t.match((await alice.client.get(at)).body, { commits_count: 2, additions: 2 }),
        diff: async (at: string, file: string) =>
          t.match((await alice.client.get(at)).body, { diff: new RegExp(`^\\+${file}$`, 'm') }),
        files: async (at: string, file: string) => {
          const { body } = await alice.client.get(`${at}/files`);
          const { files } = body as { readonly files: readonly { readonly new_path: string }[] };
          t.ok(
            files.some(({ new_path: path }) => path === file),
            'files',
          );
        },
        file: async (at: string, file: string) => t.equal((await alice.client.get(`${at}/files/${file}`)).status, 200),
        mergeability: async (at: string) =>
          t.match((await alice.client.get(`${at}/mergeability`)).body, { state: /^(clean|checking)$/, rules: [] }),
        comment: async (at: string, _file: string, sha: string) =>
          t.equal((await alice.client.post(`${at}/comments`, { body: { body: 'x', commit_sha: sha } })).status, 201),
        merge: async (at: string, _file: string, sha: string) =>
          t.equal((await alice.client.post(`${at}/merge`, { body: { sha } })).status, 200),
      };
      for (const [name, read] of Object.entries(readers)) {
        const request = await fresh(from);
        const file = `${request.branch}-${name}.txt`;
        await read(request.at, file, await commit(writer, request.of, request.branch, file));
      }
      const request = await fresh(from);
      const work = await workTree(await stockGit(t), 'work');
      await work.git('pull', '--quiet', url(request.of), request.branch);
      await work.commit('By git', { 'by-git.txt': 'x\n' });
      await work.git('push', '--quiet', url(request.of), `HEAD:${request.branch}`);
      const tip = (await work.git('rev-parse', 'HEAD')).trim();
      t.equal((await shas(request.at))[0], tip, 'by git');
      await work.git('reset', '--quiet', '--hard', 'HEAD~1');
      await work.git('push', '--quiet', '--force', url(request.of), `HEAD:${request.branch}`);
      t.equal((await shas(request.at)).length, 1, 'a forced push');
    });

    await t.test(`a push of the target that brings the head of a branch of the ${from}`, async (t) => {
      const work = await workTree(await stockGit(t), 'work');
      for (const which of ['fetched', 'listed', 'merged'] as const) {
        const request = await fresh(from);
        const before = await list('open');
        await work.git('fetch', '--quiet', url(code), 'main');
        await work.git('checkout', '--quiet', '-B', 'main', 'FETCH_HEAD');
        await work.git('fetch', '--quiet', url(request.of), request.branch);
        await work.git('merge', '--quiet', '--no-ff', '-m', 'By hand', 'FETCH_HEAD');
        const made = (await work.git('rev-parse', 'HEAD')).trim();
        await work.git('push', '--quiet', url(code), 'HEAD:main');
        if (which === 'fetched')
          t.match(await fetch(code, request.number), { state: 'merged', merge_commit: made, commits_count: 1 });
        if (which === 'listed') {
          t.ok((await list('merged')).numbers.includes(request.number), 'in the list of merged ones');
          const after = await list('open');
          t.equal(after.total, before.total - 1, 'the total');
          t.notOk(after.numbers.includes(request.number), 'not in the list of open ones');
        }
        if (which === 'merged')
          t.match(await alice.client.post(`${request.at}/merge`, { body: {} }), {
            status: 409,
            body: { error_code: 'already_merged' },
          });
      }
    });
  }

  await t.test('a push of source and target at once', async (t) => {
    const request = await fresh('own');
    const work = await workTree(await stockGit(t), 'work');
    await work.git('pull', '--quiet', url(code), request.branch);
    await work.commit('More', { 'more.txt': 'x\n' });
    await work.git('fetch', '--quiet', url(code), 'main');
    await work.git('merge', '--quiet', '--no-ff', '-m', 'Update', 'FETCH_HEAD');
    await work.git('push', '--quiet', url(code), `HEAD:${request.branch}`, 'HEAD:main');
    t.match(await fetch(code, request.number), { state: 'merged' });
  });

  await t.test('the deletion of the target, by REST and by a push', async (t) => {
    const work = await workTree(await stockGit(t), 'work');
    for (const how of ['REST', 'push']) {
      for (const which of ['fetched', 'listed', 'opened again'] as const) {
        const target = `target-${(branches += 1)}`;
        await branch(alice.client, code, target);
        const request = await fresh('own', { target_branch: target });
        if (how === 'REST') expect(await alice.client.delete(`${code}/branches/${target}`), 204);
        else await work.git('push', '--quiet', url(code), `:${target}`);
        if (which === 'fetched') t.match(await fetch(code, request.number), { state: 'closed' }, how);
        if (which === 'listed') {
          t.notOk((await list('open')).numbers.includes(request.number), how);
          t.ok((await list('closed')).numbers.includes(request.number), how);
        }
        if (which !== 'opened again') continue;
        await branch(alice.client, code, target);
        const again = await open(code, { source_branch: request.branch, target_branch: target });
        t.not(again.number, request.number, 'the same pair, for the first one is closed');
        t.match(await fetch(code, again.number), { state: 'open' });
      }
    }
  });

  await t.test('the deletion of the source, and of its repository', async (t) => {
    const request = await fresh();
    expect(await bob.client.delete(`${copy}/branches/${request.branch}`), 204);
    const blocked = (code: string) => ({ status: 200, body: { rules: [{ code }] } });
    t.match(await alice.client.get(`${request.at}/mergeability`), blocked('source_branch_missing'));
    const other = await repository('other');
    const gone = await fork(other, { name: 'gone' });
    const { number } = await open(other, { source_branch: 'bob:fix' }, bob.client);
    expect(await bob.client.delete(gone, { body: { confirmation: 'bob/gone' } }), 204);
    t.match(await fetch(other, number), { state: 'open', source_repo: null });
    t.match(await alice.client.get(`${other}/merges/${number}/mergeability`), blocked('source_branch_missing'));
  });

  await t.test('a new target', async (t) => {
    await branch(alice.client, code, 'next');
    const request = await fresh('own', { target_branch: 'next' });
    expect(await alice.client.patch(request.at, { body: { target_branch: 'main' } }), 200);
    t.match(await fetch(code, request.number), { target_branch: 'main', commits_count: 1 });
  });

  await t.test('a merge of another request with the same commits', async (t) => {
    const first = await fresh('own');
    await branch(alice.client, code, 'line');
    const second = await open(code, { source_branch: first.branch, target_branch: 'line' });
    expect(await alice.client.post(`${code}/branches`, { body: { name: 'same', base_ref: first.branch } }), 201);
    const same = await open(code, { source_branch: 'same' });
    expect(await alice.client.post(`${first.at}/merge`, { body: {} }), 200);
    t.match(await fetch(code, same.number), { state: 'merged' });
    t.match(await fetch(code, second.number), { state: 'open' });
  });

  await t.test('many pushes and reads at once end at the last tip', async (t) => {
    const request = await fresh();
    const reading = Promise.all(Array.from({ length: 12 }, () => fetch(code, request.number)));
    for (let count = 0; count < 4; count += 1) await commit(bob.client, copy, request.branch, `many-${count}.txt`);
    const tip = await commit(bob.client, copy, request.branch, 'last.txt');
    const seen = await Promise.all(Array.from({ length: 8 }, () => shas(request.at)));
    t.ok(seen.every(([first]) => first === tip));
    t.equal((await reading).length, 12);
    t.equal((await alice.client.get(`${repos}/alice/code`)).status, 200);
  });
});
