// Expensive git requests: trees that contain themselves repeatedly, and their effect on other callers.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative, type GitNative } from '#adapters/git-native/index';
import { SingleFlightCache } from '#adapters/git-native/process/single-flight-cache';
import { Limiter } from '#adapters/git-native/process/limiter';
import { CostlyQuestions, TooCostly } from '#adapters/git-native/process/too-costly';
import { currentCaller } from '#adapters/system/current-caller';
import type { CurrentCaller } from '#core/kernel/access/current-caller';
import { serve } from '#test/contracts/git/http-server';
import { commitFile } from '#test/contracts/git/provider';
import { must } from '#test/contracts/git/stock-git';
import { notingGit, quiet } from './provider.ts';

const [bombs, plain] = ['0c000000-0000-4000-8000-000000000000', '0d000000-0000-4000-8000-000000000000'] as const;
const levels = 12;

interface World {
  readonly root: string;
  readonly native: GitNative;
  /** Commits, each with more paths than can be counted. */
  readonly tips: readonly string[];
  readonly tip: string;
  readonly as: CurrentCaller['run'];
  /** The commands that git was started with. */
  started(): Promise<readonly string[]>;
}

async function world(t: Test): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-costly-'));
  const { gitPath, started } = await notingGit(folder);
  const current = currentCaller();
  const native = gitNative({
    root: join(folder, 'root'),
    log: quiet,
    gitPath,
    caller: () => current.key(),
    limits: { computeSeconds: 1, heavy: 2 },
  });
  t.teardown(async () => {
    await native.close();
    await rm(folder, { recursive: true, force: true });
  });
  const server = await serve(native);
  const client = async (id: string): Promise<string> => {
    await native.create(id, { defaultBranch: 'main' });
    await must(folder, ['init', '-q', '-b', 'main', id]);
    return join(folder, id);
  };
  const other = await client(plain);
  const tip = await commitFile(other, 'file', 'one\ntwo\n');
  await must(other, ['push', '-q', server.url(plain), 'main']);
  const hostile = await client(bombs);
  const tips: string[] = [];
  for (let bomb = 0; bomb < 3; bomb += 1) {
    let entry = `100644 blob ${await must(hostile, ['hash-object', '-w', '--stdin'], { input: `${bomb}\n` })}`;
    for (let level = 0; level < levels; level += 1) {
      const lines = Array.from({ length: 10 }, (_, index) => `${entry}\t${index}\n`);
      entry = `040000 tree ${await must(hostile, ['mktree'], { input: lines.join('') })}`;
    }
    const commit = await must(hostile, ['commit-tree', '-m', 'bomb', entry.slice('040000 tree '.length)]);
    await must(hostile, ['push', '-q', server.url(bombs), `${commit}:refs/heads/bomb-${bomb}`]);
    tips.push(commit);
  }
  await server.stop();
  return {
    native,
    tips,
    tip,
    as: (key, work) => current.run(key, work),
    root: join(folder, 'root'),
    started,
  };
}

void t.test('trees with more paths than can be counted', async (t) => {
  const { native, root, tips, tip, as, started } = await world(t);
  const [first = '', ...others] = tips;

  await t.test('a difference that exceeds its limit is rejected, and a repetition is rejected at once', async (t) => {
    const ask = () => as('address:1', () => native.difference(bombs, undefined, first));
    // Of time or of memory, whichever this machine reaches first.
    const refused = { name: /^Too(?:Costly|Slow)$/, message: /^git diff-tree was stopped: / };
    await t.rejects(ask(), refused);
    for (let again = 0; again < 5; again += 1) await t.rejects(ask(), { ...refused, retryAfter: Number });
    t.equal(
      (await started()).filter((command) => command.includes(' diff-tree ')).length,
      1,
      'one process for six requests',
    );
  });

  await t.test(
    'many requests of one caller do not delay a blame of another repository by another caller',
    async (t) => {
      let over = 0;
      const asked = others.map((commit) =>
        as('address:1', () => native.difference(bombs, undefined, commit)).catch((error: unknown) => {
          over += 1;
          return error;
        }),
      );
      t.equal((await as('address:2', () => native.blame(plain, tip, 'file')))?.length, 2);
      t.equal(over, 0, 'none of the differences has ended');
      for (const error of await Promise.all(asked)) t.match(error, { name: /^Too(?:Costly|Slow)$/ });
    },
  );

  await t.test(
    'an archive that cannot be listed in time is rejected, and a repetition is rejected at once',
    async (t) => {
      const message = 'git archive was stopped: it was not done after 1 s';
      const ask = () => native.archive(bombs, first, { format: 'tar.gz', prefix: '' });
      await t.rejects(ask(), { name: 'TooSlow', message });
      await t.rejects(ask(), { name: 'TooCostly', message });
      t.equal(
        (await started()).filter((command) => command.includes(' ls-tree ')).length,
        1,
        'one process for two requests',
      );
    },
  );

  await t.test('only the first files are added to the sizes', async (t) => {
    const patient = gitNative({ root, log: quiet });
    t.teardown(() => patient.close());
    const sizes = await patient.sizes(bombs, first, () => 'all');
    t.ok((sizes.get('all') ?? 0) >= 500_000, String(sizes.get('all')));
  });
});

void t.test('a TooCostly error is remembered for a minute; other errors are not', async (t) => {
  const costly = new CostlyQuestions();
  let asked = 0;
  const ask = (error: Error, key = 'key'): Promise<never> =>
    costly.ask(key, async () => {
      asked += 1;
      throw error;
    });
  await t.rejects(ask(new Error('other')), /other/);
  await t.rejects(ask(new TooCostly('too long')), /too long/);
  await t.rejects(ask(new Error('other')), { message: 'too long', retryAfter: 60 });
  t.equal(asked, 2);
  await t.rejects(ask(new Error('other'), 'another key'), /other/);
});

void t.test(
  'a request for a cached computation does not wait behind an earlier request of another caller',
  async (t) => {
    const current = currentCaller();
    const limiter = new Limiter('computations', { slots: 2, queue: 64, caller: () => current.key() });
    const cache = new SingleFlightCache<string>(10, () => 1);
    const slow = Promise.withResolvers<string>();
    const ask = (caller: string, key: string, compute: () => Promise<string>): Promise<string> =>
      current.run(caller, () => cache.get(key, undefined, compute, limiter));
    let computed = 0;
    const quick = async (): Promise<string> => {
      computed += 1;
      return 'quick';
    };
    const behind = [ask('address:1', 'slow', () => slow.promise), ask('address:1', 'quick', quick)];
    t.equal(await ask('address:2', 'quick', quick), 'quick');
    slow.resolve('slow');
    t.same(await Promise.all(behind), ['slow', 'quick']);
    t.equal(computed, 1);
  },
);
