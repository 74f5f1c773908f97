// Tests of merges on several server processes with one database: two with PostgreSQL, one with the embedded database.
// Of many merges into one branch during pushes none is lost or made twice; of many merges of one request one is made.
import t, { type Test } from 'tap';
import type { Answer } from '#test/support/clients/client';
import { startTestForge } from '#test/support/forge';
import { sharedServers } from '#test/support/servers/shared-servers';
import { remote, stockGit, type StockGit } from '#test/support/servers/stock-git';

const repos = '/api/v1/repos';
const patient = { timeout: 600_000 };
const strategies = ['merge', 'squash', 'rebase'] as const;
const [requests, pushers, contenders] = [8, 4, 30];

interface Merged {
  readonly number: number;
  readonly state: string;
  readonly merge_commit: string;
}

/** Pushes commits on top of the current `main` until `isOver`. @returns the commits that were accepted. */
async function push(git: StockGit, url: string, name: string, isOver: () => boolean): Promise<readonly string[]> {
  await git.git('clone', '--quiet', url, name);
  const work = git.at(name);
  const taken: string[] = [];
  for (let count = 0; !isOver() || taken.length === 0; count += 1) {
    await work.git('fetch', '--quiet', 'origin', 'main');
    await work.git('reset', '--quiet', '--hard', 'FETCH_HEAD');
    const made = await work.commit(`push ${name} ${count}`, { [`${name}-${count}`]: 'x\n' });
    // Often the push is rejected, because another client has pushed meanwhile.
    if ((await work.ran('push', '--quiet', 'origin', 'HEAD:main')).code === 0) taken.push(made);
  }
  return taken;
}

void t.test('merges through all servers of one database', patient, async (t: Test) => {
  const seed = await startTestForge(t);
  await seed.createUser('alice');
  const { token } = await seed.signIn('alice', 'password of alice');
  await seed.stop();
  const { servers, as, stop } = await sharedServers(t, seed);
  const alice = as(token);
  const url = (turn: number): string =>
    remote(servers[turn % servers.length]?.url ?? '', 'alice/code', {
      username: 'alice',
      password: 'password of alice',
    });
  const git = await stockGit(t);
  const must = async (asked: Promise<Answer>, status: number): Promise<Answer> => {
    const answer = await asked;
    if (answer.status !== status) throw new Error(`answered ${answer.status}: ${answer.text}`);
    return answer;
  };

  const code = `${repos}/alice/code`;
  await must(alice(0).post(repos, { body: { name: 'code' } }), 201);
  await git.git('init', '--quiet', '--initial-branch=main', 'first');
  const first = git.at('first');
  const root = await first.commit('root', { readme: 'x\n' });
  const branches = ['contended', ...Array.from({ length: requests }, (_, index) => `topic-${index}`)];
  for (const branch of branches) {
    await first.git('checkout', '--quiet', '-B', branch, root);
    await first.commit(`work of ${branch}`, { [branch]: 'x\n' });
  }
  await first.git('push', '--quiet', url(0), '--all');
  for (const [turn, source_branch] of branches.entries())
    await must(
      alice(turn).post(`${code}/merges`, { body: { title: source_branch, source_branch, target_branch: 'main' } }),
      201,
    );

  await t.test(
    `${requests} requests during pushes of ${pushers} clients: each acknowledged change exists once`,
    patient,
    async (t) => {
      let isOver = false;
      const pushing = Promise.all(
        Array.from({ length: pushers }, (_, index) => push(git, url(index), `pusher-${index}`, () => isOver)),
      );
      const answers = await Promise.all(
        Array.from({ length: requests }, (_, index) =>
          alice(index).post(`${code}/merges/${index + 2}/merge`, {
            body: { strategy: strategies[index % strategies.length] },
          }),
        ),
      ).finally(() => {
        isOver = true;
      });
      const pushed = (await pushing).flat();
      t.strictSame(
        answers.filter(({ status }) => status !== 200).map(({ status, text }) => [status, text]),
        [],
        'every merge is made',
      );
      await git.git('clone', '--quiet', url(1), 'after');
      const after = git.at('after');
      const history = new Set((await after.git('log', '--format=%H', 'origin/main')).split('\n'));
      t.strictSame(
        pushed.filter((commit) => !history.has(commit)),
        [],
        `${pushed.length} pushes`,
      );
      const merged = answers.map(({ body }) => body as Merged);
      t.strictSame(
        merged.filter((one) => one.state !== 'merged' || !history.has(one.merge_commit)),
        [],
        'merge commits',
      );
      const subjects = (await after.git('log', '--format=%s%n%b', 'origin/main')).split('\n');
      for (const [index, { number }] of merged.entries()) {
        const strategy = strategies[index % strategies.length];
        const line = strategy === 'rebase' ? `work of topic-${index}` : `See merge request alice/code!${number}`;
        t.equal(subjects.filter((subject) => subject === line).length, 1, `${line}, once`);
        t.match((await alice(index + 1).get(`${code}/merges/${number}`)).body, merged[index] ?? {}, 'on every server');
      }
      t.equal(await after.git('fsck', '--strict', '--no-dangling', '--no-progress'), '');
    },
  );

  await t.test(`of ${contenders} merges of one request exactly one succeeds`, patient, async (t) => {
    const answers = await Promise.all(
      Array.from({ length: contenders }, (_, turn) =>
        alice(turn).post(`${code}/merges/1/merge`, { body: { strategy: strategies[turn % strategies.length] } }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    t.equal(won.length, 1);
    const lost = answers.filter((answer) => answer !== won[0]);
    t.strictSame(
      lost
        .filter(
          ({ status, body }) => status !== 409 || (body as { error_code?: string }).error_code !== 'already_merged',
        )
        .map(({ status, text }) => [status, text]),
      [],
    );
    const after = git.at('after');
    await after.git('fetch', '--quiet', 'origin');
    const firsts = await after.git('log', '--first-parent', '--format=%H', 'origin/main', '--', 'contended');
    t.strictSame(
      firsts.split('\n').filter((line) => line !== ''),
      [(won[0]?.body as Merged | undefined)?.merge_commit],
    );
    t.match((await alice(0).get(`${code}/merges/1`)).body, { state: 'merged' });
  });

  await stop();
  for (const { log } of servers) t.notMatch(log, /"status":500|unhandled/);
});
