// Tests of the list of files of a merge request.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { sharedForge } from '#test/support/shared-forge';
import { oddBefore, oddChange, proposal, written, type FileJson } from '../proposal.ts';

interface Page {
  readonly files: readonly FileJson[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
}

const plain = { is_binary: false, is_add: false, is_delete: false, is_rename: false, suppressed: false };
const at = (path: string, additions: number, deletions: number) => ({
  ...plain,
  old_path: path,
  new_path: path,
  additions,
  deletions,
});

void t.test('GET /repos/{owner}/{repo}/merges/{number}/files', async (t) => {
  const forge = await sharedForge(t);
  const alice = await forge.createUser('alice');
  const { path } = await proposal(t, forge, alice, 'odd', oddBefore, oddChange);
  const page = async (query = ''): Promise<Page> => {
    const answer = await forge.anonymous.get(`${path}/files${query}`);
    t.equal(answer.status, 200, answer.text);
    return answer.body as Page;
  };

  await t.test('200 with every file, alphabetically, with the kind of change that git reports', async (t) => {
    t.same(await page(), {
      files: [
        { ...at('added empty', 0, 0), is_add: true },
        { ...at('binary', 0, 0), is_binary: true, suppressed: true, suppressed_reason: 'binary_files_only' },
        at('crlf', 1, 1),
        { ...at('deleted', 0, 1), is_delete: true },
        { ...at('elsewhere', 1, 1), old_path: 'moved', is_rename: true },
        { ...at('executable', 0, 0), old_mode: '100644', new_mode: '100755' },
        at('latin', 1, 1),
        at('long', 2, 1),
        { ...at('module', 1, 0), is_add: true },
        at('no newline', 2, 1),
        { ...at('typed', 1, 1), old_mode: '100644', new_mode: '120000' },
        at('ünï/cödé "quoted"', 1, 1),
      ],
      total: 12,
      page: 1,
      per_page: 50,
    });
  });

  await t.test('pages of 50, clamped to 1 and 200', async (t) => {
    for (const [query, perPage] of [
      ['', 50],
      ['?per_page=', 50],
      ['?per_page=none', 50],
      ['?per_page=0', 1],
      ['?per_page=-4', 1],
      ['?per_page=200', 200],
      ['?per_page=201', 200],
    ] as const)
      t.match(await page(query), { total: 12, page: 1, per_page: perPage }, query);
    const { files } = await page();
    t.same(await page('?per_page=5&page=3'), { files: files.slice(10), total: 12, page: 3, per_page: 5 });
    t.same(await page('?per_page=5&page=4'), { files: [], total: 12, page: 4, per_page: 5 });
  });

  await t.test(
    'for a private repository only its readers; 404 for others and for an unknown request, 400 for a malformed number',
    async (t) => {
      const bob = (await forge.createUser('bob')).client;
      isError(t, await forge.anonymous.get(`${path}9/files`), 404, 'not_found', 'unknown request');
      isError(t, await forge.anonymous.get(`${path}x/files`), 400, 'validation_failed', 'not a number');
      isError(t, await forge.anonymous.get(`${path}/files?algorithm=x`), 400, 'validation_failed', 'unknown algorithm');
      isError(t, await forge.as(`svc_${'x'.repeat(36)}`).get(`${path}/files`), 401, 'unauthorized', 'an invalid token');
      const other = await forge.pat(alice.client, ['issue:read']);
      isError(t, await other.get(`${path}/files`), 403, 'insufficient_scope', 'a token of another scope');
      t.equal((await (await forge.pat(alice.client, ['repo:read'])).get(`${path}/files`)).status, 200);
      const hidden = await proposal(t, forge, alice, 'hidden', { a: '1\n' }, written({ a: '2\n' }));
      await alice.client.patch('/api/v1/repos/alice/hidden', { body: { visibility: 'private' } });
      for (const client of [bob, forge.anonymous])
        isError(t, await client.get(`${hidden.path}/files`), 404, 'not_found', 'private');
      t.equal((await alice.client.get(`${hidden.path}/files`)).status, 200);
    },
  );
});
