// Tests of a server that is killed during a merge, in every other round between the move of the branch and its record:
// after the restart row, branch and event agree, and a merge that was not made succeeds when it is requested again.
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Client } from '#test/support/clients/client';
import { databaseDoor } from '#test/support/servers/database-door';
import { temporaryFolder } from '#test/support/folder';
import { startTestForge } from '#test/support/forge';
import { freePort, ServerProcess } from '#test/support/servers/server-process';
import { remote, stockGit } from '#test/support/servers/stock-git';

const rounds = Number(process.env['HEXFORGE_TEST_CRASHES'] ?? 2);
const strategies = ['merge', 'squash', 'rebase'] as const;
const repos = '/api/v1/repos';
const code = `${repos}/alice/code`;

interface RequestJson {
  readonly state: string;
  readonly merge_commit?: string;
}

/**
 * The git of the machine; while the file `armed` exists, a push kills the process named in it after its refs have
 * moved.
 */
const wrapper = (armed: string): string => `#!/bin/sh
if [ "$1" = receive-pack ] && [ -f '${armed}' ]; then
  git "$@" >/dev/null
  kill -9 "$(cat '${armed}')"
  exit 0
fi
exec git "$@"
`;

void t.test(`${rounds} interrupted merges`, { timeout: 60_000 * rounds }, async (t: Test) => {
  const folder = await temporaryFolder(t);
  const [program, armed] = [join(folder, 'git'), join(folder, 'armed')];
  await writeFile(program, wrapper(armed));
  await chmod(program, 0o700);
  const seed = await startTestForge(t);
  await seed.createUser('alice');
  const { token } = await seed.signIn('alice', 'password of alice');
  await seed.stop();
  const port = await freePort();
  const start = (): Promise<ServerProcess> =>
    ServerProcess.start({
      dataDir: seed.dataDir,
      databaseUrl: seed.databaseUrl,
      port,
      environment: { HEXFORGE_GIT_PATH: program },
    });
  let server = await start();
  t.teardown(async () => {
    server.signal('SIGKILL');
    await server.ended();
  });
  const alice = new Client(server.url, seed.contract, { authorization: `Bearer ${token}` });
  const url = remote(server.url, 'alice/code', { username: 'alice', password: 'password of alice' });
  const git = await stockGit(t);
  await git.git('init', '--quiet', '--initial-branch=main', 'work');
  const work = git.at('work');
  const root = await work.commit('root', { readme: 'x\n' });
  t.equal((await alice.post(repos, { body: { name: 'code' } })).status, 201);
  await work.git('push', '--quiet', url, 'main');

  const outcomes: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    const branch = `topic-${round}`;
    const number = round + 1;
    const strategy = strategies[((round >> 1) + 1) % strategies.length];
    await work.git('checkout', '--quiet', '-B', branch, root);
    await work.commit(`work of ${branch}`, { [branch]: 'x\n' });
    await work.git('push', '--quiet', url, branch);
    const opened = await alice.post(`${code}/merges`, {
      body: { title: branch, source_branch: branch, target_branch: 'main' },
    });
    t.equal(opened.status, 201, opened.text);
    const merge = () => alice.post(`${code}/merges/${number}/merge`, { body: { strategy } });

    const between = round % 2 === 0;
    if (between) await writeFile(armed, `${server.pid}`);
    const answered = merge().then(
      ({ status }) => status,
      () => undefined,
    );
    if (!between) {
      await pause((round * 53) % 400);
      server.signal('SIGKILL');
    }
    await server.ended();
    const status = await answered;
    await rm(armed, { force: true });
    server = await start();

    const state = async (): Promise<RequestJson> => (await alice.get(`${code}/merges/${number}`)).body as RequestJson;
    /** The commits on the first-parent line of `main` that added the file of the merge request. */
    const brought = async (): Promise<readonly string[]> => {
      await work.git('fetch', '--quiet', url, '+main:refs/remotes/origin/main');
      const log = await work.git('log', '--first-parent', '--format=%H', 'origin/main', '--', branch);
      return log.split('\n').filter((line) => line !== '');
    };
    const [found, commits] = [await state(), await brought()];
    t.match(
      [found.state, commits],
      found.state === 'merged' ? ['merged', [found.merge_commit]] : ['open', []],
      `round ${round}: the row and the branch agree`,
    );
    t.equal(commits.length, found.state === 'merged' ? 1 : 0);
    if (between) t.equal(found.state, 'merged', 'the branch had moved');
    if (status === 200) t.equal(found.state, 'merged', 'it was acknowledged');
    const key = `${between ? 'between' : 'anywhere'}: ${found.state}`;
    outcomes[key] = (outcomes[key] ?? 0) + 1;
    const again = await merge();
    t.equal(again.status, found.state === 'merged' ? 409 : 200, again.text);
    t.strictSame(await brought(), [(await state()).merge_commit], 'merged exactly once');
  }
  t.comment(outcomes);

  server.signal('SIGTERM');
  await server.ended();
  const door = databaseDoor();
  const last = await startTestForge(t, { after: seed, definitions: [door.definition] });
  const client = last.as(token);
  const events = await door.run(`select payload from hexforge_event where type = 'merge.merged' order by position`);
  const told = events.map(({ payload }) => JSON.parse(String(payload)) as { number: number; merge_commit: string });
  const merged: object[] = [];
  for (let number = 1; number <= rounds; number += 1) {
    const { merge_commit } = (await client.get(`${code}/merges/${number}`)).body as RequestJson;
    merged.push({ number, merge_commit });
  }
  t.strictSame(
    told.map(({ number, merge_commit }) => ({ number, merge_commit })).toSorted((a, b) => a.number - b.number),
    merged,
    'each merge has one event, with the same commit',
  );
  t.strictSame(await door.run('select kind from hexforge_intent'), [], 'no intent is open');
  await last.stop();
});
