// A search back end that is absent or faulty: 200 without hits and with X-Search-Fallback, and never a row that the
// caller may not read. A filter of readable repositories that cannot be resolved: 500.
import t, { type Test } from 'tap';
import type { FileHit } from 'hexforge/search';
import type { Answer, Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge, type TestForge } from '#test/support/forge';
import { faultySearch } from '#test/support/faulty-search';
import { withMethod } from '#test/support/wrapped-store';
import { ask, checkout, empty, expect, filesOf, people, repositoryOf, search, setDocs } from './world.ts';

const names = ['code', 'symbols', 'issues', 'mrs', 'docs'] as const;
const without = Object.fromEntries(names.map((name) => [name, empty]));
const types = names.join();

/** Asserts the answer of a search that cannot be answered. */
async function isDegraded(t: Test, client: Client, why: string): Promise<void> {
  const answers = [
    [await ask(client, 'walrus', { types }), without],
    [await client.get('/api/v1/search/code?q=walrus'), empty],
  ] as const;
  for (const [{ status, headers, body }, expected] of answers) {
    t.strictSame([status, headers.get('x-search-fallback')], [200, 'true'], why);
    t.strictSame(body, expected, why);
  }
  const suggested = await client.get('/api/v1/search/suggest?q=walrus');
  t.strictSame([suggested.status, suggested.headers.get('x-search-fallback')], [200, 'true'], `${why}: suggest`);
}

const logged = ({ output }: TestForge, message: string): number => output.stderr.split(message).length - 1;

/** The list of readable repositories, which a test lets fail. */
async function faultyFilter() {
  const state = { fails: false };
  const failing =
    (readableIds: (...given: never[]) => Promise<unknown>) =>
    async (...given: never[]): Promise<unknown> => {
      if (state.fails) throw new Error('the list of readable repositories is broken');
      return readableIds(...given);
    };
  return Object.assign(state, {
    definition: await withMethod('repositories', 'repositories', 'readableIds', failing),
  });
}

void t.test('faults of the back end', async (t) => {
  const [faults, filter] = [await faultySearch(), await faultyFilter()];
  const forge = await startTestForge(t, { definitions: [faults.definition, filter.definition] });
  const world = await people(t, forge);
  const { alice, bob } = world;
  const { push } = await checkout(t, world, 'shown', { visibility: 'internal' });
  await push({ 'a.ts': 'export const walrus = 1;\n', 'a.md': 'A walrus\n' });
  const hidden = await repositoryOf(alice, 'alice', 'hidden', { 'b.ts': 'const walrus = 2;\n' }, 'private');
  await setDocs(forge, 'alice/shown');
  await filesOf(alice, 'walrus', 'a.md', 'a.ts', 'b.ts');
  const fail = async (): Promise<never> => {
    throw new Error('no route to the index');
  };

  await t.test('a method that throws, at once or later', async (t) => {
    for (const methods of [
      { files: fail },
      {
        files: () => {
          throw new Error('no route to the index');
        },
      },
    ]) {
      faults.methods = methods;
      await isDegraded(t, bob, 'files');
    }
    t.ok(logged(forge, 'the search back end failed') >= 6);
    for (const [method, section] of [
      ['symbols', 'symbols'],
      ['documents', 'issues'],
    ] as const) {
      faults.methods = { [method]: fail };
      const { headers, body } = expect(await ask(bob, 'walrus', { types: `code,${section}` }), 200);
      t.strictSame([headers.get('x-search-fallback'), body], ['true', without], method);
      const other = expect(await ask(bob, 'walrus', { types: 'code' }), 200);
      t.equal(other.headers.get('x-search-fallback'), null, `${method} is not asked`);
    }
  });

  await t.test('parameters and credentials are still checked', async (t) => {
    faults.methods = { files: fail, symbols: fail, documents: fail };
    isError(t, await ask(bob, ''), 400, 'validation_failed', 'an empty text');
    isError(t, await ask(forge.anonymous, 'walrus'), 401, 'unauthorized', 'anonymous');
    isError(t, await ask(await forge.pat(bob, ['ci:read']), 'walrus'), 403, 'insufficient_scope', 'no scope');
  });

  await t.test('hits of a repository that the caller may not read', async (t) => {
    const hit: FileHit = { repositoryId: hidden, path: 'b.ts', oid: 'a'.repeat(40), language: '', score: 1 };
    faults.methods = { files: async () => ({ total: 1, hits: [hit] }) };
    await isDegraded(t, bob, 'a private one');
    t.match(forge.output.stderr, `a hit is in the unreadable repository ${hidden}`);
    faults.methods = {
      symbols: async () => ({
        total: 1,
        hits: [{ ...hit, name: 'walrus', kind: 'constant', line: 1, signature: 'const walrus' }],
      }),
    };
    t.equal((await ask(bob, 'walrus')).headers.get('x-search-fallback'), 'true', 'symbols');
    faults.methods = { documents: async () => ({ total: 1, hits: [{ ...hit, key: '1', source: { number: 1 } }] }) };
    t.equal((await ask(bob, 'walrus')).headers.get('x-search-fallback'), 'true', 'documents');
    faults.methods = {
      files: async () => ({ total: 1, hits: [{ ...hit, repositoryId: '00000000-0000-4000-8000-0000000000ff' }] }),
    };
    await isDegraded(t, alice, 'one that does not exist');
  });

  await t.test('a repository that is hidden during the query is left out, without a fallback', async (t) => {
    let queries = 0;
    faults.methods = {
      async files(query) {
        const found = await faults.backend.files(query);
        queries += 1;
        const visibility = queries === 1 ? 'private' : 'internal';
        if (queries === 1) expect(await alice.patch('/api/v1/repos/alice/shown', { body: { visibility } }), 200);
        return found;
      },
    };
    const { headers, body } = expect(await ask(bob, 'walrus', { types: 'code' }), 200);
    t.strictSame([headers.get('x-search-fallback'), body, queries], [null, without, 2]);
    expect(await alice.patch('/api/v1/repos/alice/shown', { body: { visibility: 'internal' } }), 200);
    faults.methods = {};
    t.equal((await search(bob, 'walrus')).code.total, 2, 'and is found when it is shown again');
  });

  await t.test('a query that is never answered ends after 5 seconds', async (t) => {
    let aborted = false;
    faults.methods = {
      files: async ({ signal }) => {
        signal.addEventListener('abort', () => (aborted = true));
        return new Promise(() => undefined);
      },
    };
    const { status, headers, body } = await ask(bob, 'walrus');
    t.strictSame([status, headers.get('x-search-fallback'), body], [200, 'true', without]);
    t.ok(aborted, 'the back end is told');
    t.equal(logged(forge, 'the search back end did not answer in time'), 1);
  });

  await t.test('readable repositories that cannot be determined: 500 without rows', async (t) => {
    const is500 = async (why: string): Promise<void> => {
      for (const answer of [
        await ask(bob, 'walrus'),
        await bob.get('/api/v1/search/code?q=walrus'),
        await bob.get('/api/v1/search/suggest?q=walrus'),
      ] satisfies Answer[]) {
        isError(t, answer, 500, 'internal', why);
        t.notMatch(answer.text, /walrus|a\.ts|broken/);
      }
    };
    faults.methods = {};
    filter.fails = true;
    await is500('before the query');
    faults.methods = {
      async files(query) {
        filter.fails = true;
        // As a back end that cannot join does.
        await query.readable.ids();
        return faults.backend.files(query);
      },
    };
    filter.fails = false;
    isError(t, await ask(bob, 'walrus', { types: 'code' }), 500, 'internal', 'within the query');
    faults.methods = { files: fail };
    filter.fails = true;
    await is500('and the back end fails as well');
    filter.fails = false;
    faults.methods = {};
    t.equal((await search(bob, 'walrus')).code.total, 2, 'it works again');
  });

  await t.test(
    'an index that cannot be written is written when it works again; the search still answers',
    async (t) => {
      faults.methods = { indexes: fail };
      await push({ 'later.txt': 'a walrus later\n' });
      t.equal((await search(bob, 'walrus')).code.total, 2);
      faults.methods = {};
      await filesOf(bob, 'walrus', 'a.md', 'a.ts', 'later.txt');
    },
  );
});

void t.test('without the plugin search-sql searches are degraded, and the rest works', async (t) => {
  const forge = await startTestForge(t, { environment: { HEXFORGE_PLUGINS: '-search-sql' } });
  const { alice } = await people(t, forge);
  await repositoryOf(alice, 'alice', 'code', { 'a.txt': 'walrus\n' });
  await isDegraded(t, alice, 'no back end');
  isError(t, await ask(alice, ''), 400, 'validation_failed', 'an empty text');
  const suggested = await alice.get('/api/v1/search/suggest?q=alice');
  t.strictSame(
    suggested.body,
    { suggestions: [{ type: 'repository', text: 'alice/code', path: '/alice/code' }] },
    'repositories need no back end',
  );
});
