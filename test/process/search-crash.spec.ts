// Tests of a server that is killed while it indexes pushes: after the restart the index is complete, and equal to one
// that is built from nothing.
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Client } from '#test/support/clients/client';
import { startTestForge, type TestForge } from '#test/support/forge';
import { databaseDoor } from '#test/support/servers/database-door';
import { freePort, ServerProcess } from '#test/support/servers/server-process';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';
import { eventually, expect, issue, repos } from '../spec/search/world.ts';

const rounds = Number(process.env['HEXFORGE_TEST_CRASHES'] ?? 1);
const names = ['one', 'two', 'three'] as const;

type Run = ReturnType<typeof databaseDoor>['run'];

/** The index that answers, without ids of rows and times of documents. */
async function contents(run: Run): Promise<Readonly<Record<string, readonly string[]>>> {
  const serving = '(select id from search_sql_index where serving)';
  const lines = async (query: string): Promise<readonly string[]> =>
    (await run(query)).map(({ line }) => String(line)).toSorted();
  return {
    files: await lines(
      `select concat_ws(' ', f.repository_id, f.path, f.path_key, f.stem, f.oid, f.language, f.weight,
        (select md5(string_agg(p.text, '|' order by p.text)) from search_sql_piece p where p.file_id = f.id)) as line
      from search_sql_file f where f.index_id = ${serving}`,
    ),
    symbols: await lines(
      `select concat_ws(' ', f.repository_id, f.path, s.position, s.name, s.name_key, s.kind, s.line, s.signature) as line
      from search_sql_symbol s join search_sql_file f on f.id = s.file_id where f.index_id = ${serving}`,
    ),
    documents: await lines(
      `select concat_ws(' ', repository_id, section, key, source, plain, words) as line
      from search_sql_document where index_id = ${serving}`,
    ),
    sources: await lines(
      `select concat_ws(' ', repository_id, section, case when section <> 'docs' then state end) as line
      from search_sql_source where index_id = ${serving} and section <> 'docs'`,
    ),
  };
}

/** Resolves when nothing waits to be indexed and no rebuild runs. */
async function settled({ forge }: TestForge): Promise<void> {
  await forge.drained();
  await eventually(
    async () => forge.port('SearchIndexing')?.state(),
    (state) => state?.waiting === 0 && !state.rebuilding,
    300,
  );
}

/** Queued work; 0 if the server is too busy to count it. */
async function waiting({ url }: ServerProcess): Promise<number> {
  const { details } = (await fetch(`${url}/readyz`).then((answer) => answer.json())) as {
    readonly details?: { readonly search?: { readonly waiting: number } };
  };
  return details?.search?.waiting ?? 0;
}

/** Changes, moves and removes files, and rewrites the history in every third round. */
async function change(work: StockGit, round: number): Promise<void> {
  const files: Record<string, string> = {};
  for (let at = 0; at < 60; at += 1)
    files[`src/${round % 3}/file-${at}.ts`] =
      `export function round${round}of${at}() {}\n${`const value = ${round};\n`.repeat(200)}`;
  files[`docs/page-${round}.md`] = `# Page ${round}\n\nText of the page\n`;
  if (round % 3 === 2) {
    await work.git('checkout', '--quiet', '--orphan', `history-${round}`);
    await work.git('commit', '--quiet', '--message', 'Rewritten');
    await work.git('branch', '--force', 'main');
    await work.git('checkout', '--quiet', 'main');
  }
  await work.commit(`round ${round}`, files);
  await work.git('mv', `src/${round % 3}`, `src/moved-${round}`);
  if (round > 1) await work.git('rm', '-r', '--quiet', `src/moved-${round - 2}`);
  await work.git('commit', '--quiet', '--message', `moves of round ${round}`);
}

void t.test(`${rounds} interrupted indexings`, { timeout: 60_000 * rounds + 600_000 }, async (t: Test) => {
  const seed = await startTestForge(t);
  await seed.createUser('alice');
  const { token } = await seed.signIn('alice', 'password of alice');
  await seed.stop();
  const port = await freePort();
  const start = (): Promise<ServerProcess> =>
    ServerProcess.start({ dataDir: seed.dataDir, databaseUrl: seed.databaseUrl, port });
  let server = await start();
  t.teardown(async () => {
    server.signal('SIGKILL');
    await server.ended();
  });
  const alice = new Client(server.url, seed.contract, { authorization: `Bearer ${token}` });
  const git = await stockGit(t);
  const works: StockGit[] = [];
  for (const name of names) {
    expect(await alice.post(repos, { body: { name } }), 201);
    works.push(await workTree(git, name));
  }
  const credentials = { username: 'alice', password: 'password of alice' };
  const push = (at: number): Promise<unknown> =>
    works[at]?.ran('push', '--quiet', '--force', remote(server.url, `alice/${names[at]}`, credentials), 'main') ??
    Promise.resolve();

  let interrupted = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const work of works) await change(work, round);
    const pushes = Promise.all(names.map((_, at) => push(at)));
    const reported = issue(alice, 'alice/one', `Round ${round}`).catch(() => undefined);
    // A pause after the pushes, because the indexing follows them within a second.
    await Promise.race([pushes, pause(8000)]);
    await pause((round * 397) % 1900);
    if ((await waiting(server)) > 0) interrupted += 1;
    server.signal('SIGKILL');
    await server.ended();
    await Promise.all([pushes, reported]);
    server = await start();
  }
  t.comment(`${interrupted} of ${rounds} while work was queued`);
  await Promise.all(names.map((_, at) => push(at)));
  server.signal('SIGTERM');
  await server.ended();

  const door = databaseDoor();
  const last = await startTestForge(t, { after: seed, definitions: [door.definition] });
  await settled(last);
  const grown = await contents(door.run);
  t.ok((grown['files']?.length ?? 0) > 100, `${grown['files']?.length} files`);
  t.ok((grown['symbols']?.length ?? 0) > 100 && (grown['documents']?.length ?? 0) >= names.length);
  await last.forge.port('SearchIndexing')?.reindex(undefined);
  t.equal((await last.forge.port('SearchIndexing')?.state())?.rebuilding, true);
  await settled(last);
  const built = await contents(door.run);
  for (const part of Object.keys(grown)) t.strictSame(grown[part], built[part], part);
  const left = await eventually(
    () => door.run('select id from search_sql_index'),
    ({ length }) => length === 1,
    60,
  );
  t.strictSame(left, await door.run('select id from search_sql_index where serving'), 'the replaced index is gone');
  await last.stop();
});
