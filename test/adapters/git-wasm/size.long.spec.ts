// A repository of 50 MB and 20,000 objects: pushed and cloned by stock git within bounds of memory, and without holding
// up the event loop.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import t from 'tap';
import { gitWasm } from '#adapters/git-wasm/index';
import { serve } from '#test/contracts/git/http-server';
import { data, line } from '#test/contracts/git/history';
import { newId } from '#test/contracts/git/provider';
import { git, must } from '#test/contracts/git/stock-git';
import { quiet } from './provider.ts';

const [commits, blobBytes] = [5000, 10_000];
const mostGrowth = 300 * 1024 ** 2;
const longestBlockMs = 50;

/** Each commit has a file in a folder: four objects. */
function* history(): Generator<Buffer> {
  for (let at = 1; at <= commits; at += 1) {
    yield line('commit refs/heads/main');
    yield line(`mark :${at}`);
    yield line(`committer Ada <ada@example.org> ${1_700_000_000 + at} +0000`);
    yield data(`Commit ${at}`);
    if (at > 1) yield line(`from :${at - 1}`);
    yield line(`M 100644 inline folder-${at % 50}/file-${at % 7}`);
    yield data(Buffer.concat([randomBytes(blobBytes), Buffer.from('\n')]));
  }
}

void t.test('a repository of 50 MB is pushed, cloned and walked', { timeout: 200_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-wasm-size-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const client = join(folder, 'client.git');
  await must(folder, ['init', '-q', '--bare', '-b', 'main', client]);
  const { code, stderr } = await git(client, ['fast-import', '--quiet', '--date-format=raw'], {
    input: Buffer.concat([...history()]),
  });
  t.equal(code, 0, stderr);
  const backend = gitWasm({ root: join(folder, 'root'), log: quiet });
  t.teardown(() => backend.close());
  const server = await serve(backend);
  t.teardown(() => server.stop());
  const id = newId();
  await backend.create(id, { defaultBranch: 'main' });
  const before = process.memoryUsage().rss;
  let highest = before;
  const sampler = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 20);
  t.teardown(() => clearInterval(sampler));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await work();
    t.comment(`${what}: ${Math.round(performance.now() - begun)} ms`);
    return result;
  };
  await timed('push', () => must(client, ['push', '-q', server.url(id), 'main']));
  const clone = join(folder, 'clone.git');
  await timed('clone', () => must(folder, ['clone', '-q', '--mirror', server.url(id), clone]));
  delay.disable();
  const growth = highest - before;
  const longest = delay.max / 1e6;
  t.comment(
    `memory: ${Math.round(growth / 1024 ** 2)} MB more, longest block of the event loop: ${Math.round(longest)} ms`,
  );
  t.ok(growth < mostGrowth, `resident memory grew by ${growth}`);
  t.ok(longest < longestBlockMs, `the event loop was blocked for ${longest} ms`);
  t.equal((await git(clone, ['fsck', '--full', '--strict'])).code, 0);
  const tip = await must(client, ['rev-parse', 'main']);
  t.equal(await must(clone, ['rev-parse', 'main']), tip);
  const found = await timed('history of a path', () =>
    backend.history(id, { tip, path: 'folder-3', skip: 0, limit: 50 }),
  );
  t.strictSame(
    found.map(({ oid }) => oid),
    (await must(client, ['rev-list', '-50', 'main', '--', 'folder-3'])).split('\n'),
  );
  const last = await timed('last commits of the root', () => backend.lastCommits(id, tip, ''));
  t.equal(last.size, 50);
  await timed('blame', () => backend.blame(id, tip, 'folder-3/file-3'));
});
