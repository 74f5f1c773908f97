// Faults of a real OpenSearch: queries fail in time, nothing that was written is lost, and the back end recovers.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { codeSection, type SearchBackend } from '#core/search/index';
import { openDoor, reply } from './door.ts';
import { onOpenSearch, opened, startedNode } from './node-under-test.ts';
import { file, filesWith, pathsWith, refusal, repositoryId, source, store } from './samples.ts';

void onOpenSearch(t).test('faults of OpenSearch', async (t) => {
  const node = await startedNode(t);
  /** Sends a request to the node itself. */
  const change = async (method: string, path: string, body: object = {}): Promise<void> => {
    const response = await fetch(`${node.url}/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  /** Waits for the complaint of a probe. */
  const until = async (complaint: () => string | undefined, expected: RegExp | undefined): Promise<void> => {
    const matches = (): boolean => expected?.test(complaint() ?? '') ?? complaint() === undefined;
    for (let look = 0; look < 300 && !matches(); look += 1) await sleep(100);
    t.ok(matches(), `"${complaint() ?? ''}" should be ${expected === undefined ? 'nothing' : String(expected)}`);
  };
  const recovered = async (backend: SearchBackend, term: string): Promise<readonly string[]> => {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      try {
        return await pathsWith(backend, term);
      } catch {
        await sleep(200);
      }
    }
    return pathsWith(backend, term);
  };

  for (const [what, away, back, complains] of [
    ['down', () => node.stop(), () => node.start(), /cannot be reached/],
    ['silent', async () => node.freeze(), async () => node.resume(), /did not answer in time/],
  ] as const)
    await t.test(`while OpenSearch is ${what}, queries and writes fail in time, and a complaint says so`, async (t) => {
      const { backend, complaint } = await opened(t, node.url, { prefix: `f-${what}` });
      await store(backend, [file('a.ts', 'written before')]);
      await away();
      for (const ask of [
        () => filesWith(backend, 'written'),
        () => backend.symbolsOf(repositoryId, 'a.ts'),
        () => backend.size(),
      ])
        t.match(await refusal(ask()), /^(unavailable|timed_out)$/);
      await until(complaint, complains);
      t.notMatch(complaint(), /127\.0\.0\.1/);
      t.equal(await refusal(filesWith(backend, 'written')), 'unavailable', 'rejects at once');
      await back();
      t.strictSame(await recovered(backend, 'written'), ['a.ts']);
      await until(complaint, undefined);
      await store(backend, [file('b.ts', 'written after')]);
      t.strictSame(await pathsWith(backend, 'written after'), ['b.ts']);
    });

  await t.test('a write is found as soon as it has resolved', async (t) => {
    const { backend } = await opened(t, node.url, { prefix: 'f-fresh' });
    for (let round = 0; round < 20; round += 1) {
      await store(backend, [file(`${round}.ts`, `round-${round}-`)]);
      t.strictSame(await pathsWith(backend, `round-${round}-`), [`${round}.ts`]);
    }
  });

  await t.test('a hit has the line of the first definition of a term', async (t) => {
    const { backend } = await opened(t, node.url, { prefix: 'f-line' });
    const defined = (name: string, line: number) => ({ name, kind: 'function', line, signature: name }) as const;
    const symbols = [defined('other', 1), defined('Parse', 7), defined('parse', 9)];
    await store(backend, [{ ...file('a.ts', 'parse other'), symbols }, file('b.ts', 'parse')]);
    const { hits } = await filesWith(backend, 'parse');
    t.strictSame(
      hits.map(({ path, definedAt }) => [path, definedAt]),
      [
        ['a.ts', 7],
        ['b.ts', undefined],
      ],
    );
  });

  await t.test('an index that was deleted is made again, and writes to the old one are rejected', async (t) => {
    const { backend, complaint } = await opened(t, node.url, { prefix: 'f-gone' });
    await store(backend, [file('a.ts', 'before')]);
    const [old] = await backend.indexes();
    await change('DELETE', 'f-gone-v1');
    t.equal(await refusal(filesWith(backend, 'before')), 'unavailable');
    t.equal(await refusal(old?.write(source, { files: [file('b.ts', 'stale')] }, 'stale')), 'unavailable');
    t.equal(await refusal(old?.state(source)), 'unavailable', 'a missing index is not an unknown source');
    const [index] = await backend.indexes();
    t.not(index?.id, old?.id);
    t.equal(await index?.state(source), undefined);
    t.equal(await refusal(old?.write(source, { files: [file('b.ts', 'stale')] }, 'stale')), 'unavailable');
    await store(backend, [file('c.ts', 'after')]);
    t.strictSame(await pathsWith(backend, 'after'), ['c.ts']);
    t.strictSame(await pathsWith(backend, 'stale'), []);
    await until(complaint, undefined);
  });

  await t.test('a probe makes a deleted index again', async (t) => {
    const { backend, complaint } = await opened(t, node.url, { prefix: 'f-probed' });
    await change('DELETE', 'f-probed-v1');
    t.equal(await refusal(filesWith(backend, 'before')), 'unavailable');
    t.strictSame(await recovered(backend, 'before'), []);
    await until(complaint, undefined);
  });

  await t.test('aliases that were removed are made again, and the older index answers', async (t) => {
    const { backend } = await opened(t, node.url, { prefix: 'f-alias' });
    await store(backend, [file('a.ts', 'of the first')]);
    await backend.beginRebuild();
    await change('POST', '_aliases', { actions: [{ remove: { index: 'f-alias-v*', aliases: ['f-alias*'] } }] });
    t.equal(await refusal(filesWith(backend, 'of the first')), 'unavailable');
    t.equal((await backend.indexes()).length, 2);
    t.strictSame(await pathsWith(backend, 'of the first'), ['a.ts']);
    await store(backend, [file('b.ts', 'of the first, too')]);
    t.strictSame(await pathsWith(backend, 'too'), ['b.ts']);
  });

  await t.test('an index that is read-only, as when a disk is full, answers and complains', async (t) => {
    const { backend, complaint } = await opened(t, node.url, { prefix: 'f-full' });
    await store(backend, [file('a.ts', 'before')]);
    await change('PUT', 'f-full-v1/_settings', { 'index.blocks.read_only_allow_delete': true });
    t.equal(await refusal(store(backend, [file('b.ts', 'refused')], 'new')), 'insufficient_storage');
    t.equal(await (await backend.indexes())[0]?.state(source), 'stored');
    t.strictSame(await pathsWith(backend, 'before'), ['a.ts']);
    await until(complaint, /read-only/);
    await change('PUT', 'f-full-v1/_settings', { 'index.blocks.read_only_allow_delete': null });
    await store(backend, [file('b.ts', 'accepted')], 'new');
    t.strictSame(await pathsWith(backend, 'accepted'), ['b.ts']);
    await until(complaint, undefined);
  });

  await t.test('an index of another version answers, and asks for a rebuild', async (t) => {
    const { backend, complaint } = await opened(t, node.url, { prefix: 'f-other' });
    await store(backend, [file('a.ts', 'before')]);
    await change('PUT', 'f-other-v1/_mapping', { _meta: { hexforge_schema: 0 } });
    const later = await opened(t, node.url, { prefix: 'f-other' });
    t.match(later.complaint(), /hexforge reindex/);
    t.strictSame(await pathsWith(later.backend, 'before'), ['a.ts']);
    await later.backend.beginRebuild();
    const [, rebuilt] = await later.backend.indexes();
    await rebuilt?.write(source, { files: [file('a.ts', 'again')] }, 'rebuilt');
    await later.backend.finishRebuild();
    t.strictSame(await pathsWith(backend, 'again'), ['a.ts']);
    await until(later.complaint, undefined);
    await until(complaint, undefined);
  });

  await t.test('operations that OpenSearch rejects while it is overloaded are sent again', async (t) => {
    const door = await openDoor(t, node.url);
    const { backend } = await opened(t, door.url, { prefix: 'f-busy' });
    await store(backend, []);
    let left = 3;
    door.intercept((asked, answer) => {
      if (!(asked.url ?? '').includes('_bulk') || left === 0) return false;
      left -= 1;
      const rejected = { error: { type: 'rejected_execution_exception' }, status: 429 };
      if (left === 1) reply(answer, 200, JSON.stringify({ errors: true, items: [{ index: rejected }] }));
      else reply(answer, 429, JSON.stringify(rejected));
      return true;
    });
    await store(backend, [file('a.ts', 'sent again')], 'new');
    t.equal(left, 0);
    t.strictSame(await pathsWith(backend, 'sent again'), ['a.ts']);
  });

  await t.test(
    'an operation that fails within a successful answer fails the write, and the old state stays',
    async (t) => {
      const { backend } = await opened(t, node.url, { prefix: 'f-item' });
      await store(backend, [file('a.ts', 'before')], 'old');
      // The language of a file is a keyword, which has a greatest length.
      const impossible = { ...file('b.ts', 'impossible'), language: 'x'.repeat(40_000) };
      t.equal(await refusal(store(backend, [impossible], 'new')), 'unavailable');
      t.equal(await (await backend.indexes())[0]?.state({ section: codeSection, repositoryId }), 'old');
    },
  );

  await t.test('a first write that was interrupted leaves nothing behind', async (t) => {
    const door = await openDoor(t, node.url);
    const { backend } = await opened(t, door.url, { prefix: 'f-first' });
    let bulks = 0;
    door.intercept((asked, answer) => {
      // The mark, the file, the state: the last is lost.
      if (!(asked.url ?? '').includes('_bulk') || (bulks += 1) < 3) return false;
      answer.destroy();
      return true;
    });
    t.equal(await refusal(store(backend, [file('a.ts', 'of the first attempt')])), 'unavailable');
    door.intercept(() => false);
    const [index] = await backend.indexes();
    t.equal(await index?.state(source), undefined);
    t.strictSame(await index?.sources(undefined, 10), [{ ...source, state: '' }]);
    await store(backend, [file('b.ts', 'of the second attempt')]);
    t.strictSame(await pathsWith(backend, 'attempt'), ['b.ts']);
  });

  await t.test('a removal that was interrupted is finished by the next write', async (t) => {
    const door = await openDoor(t, node.url);
    const { backend } = await opened(t, door.url, { prefix: 'f-removal' });
    await store(backend, [file('a.ts', 'to be removed')]);
    const [index] = await backend.indexes();
    let searches = 0;
    door.intercept((asked, answer) => {
      if (!(asked.url ?? '').includes('_search') || (searches += 1) > 1) return false;
      answer.destroy();
      return true;
    });
    t.equal(await refusal(index?.remove(source)), 'unavailable');
    t.equal(await index?.state(source), undefined);
    await store(backend, [file('b.ts', 'not to be removed')]);
    t.strictSame(await pathsWith(backend, 'removed'), ['b.ts']);
  });
});
