// Run by hand: `node test/fault/hostile/large-push.ts [megabytes]` pushes and clones one repository of that size, and
// fails if this process grows by 64 MB or leaves files or processes.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeNative } from '#test/adapters/git-native/provider';
import { serve } from '#test/contracts/git/http-server';
import { must } from '#test/contracts/git/stock-git';

const megabytes = Number(process.argv[2] ?? 300);
const allowed = 64;
const id = '0a000000-0000-4000-8000-000000000000';

const folder = await mkdtemp(join(tmpdir(), 'hexforge-large-'));
const native = await makeNative(join(folder, 'root'));
try {
  await native.backend.sweep();
  await native.backend.create(id, { defaultBranch: 'main' });
  const server = await serve(native.backend);
  const work = join(folder, 'work');
  await must(folder, ['init', '-q', '-b', 'main', work]);
  // Runs in another process, because the memory of this one is measured.
  await promisify(execFile)(
    process.execPath,
    [
      '-e',
      `for (let part = 0; part < ${megabytes / 10}; part += 1) fs.writeFileSync('part' + part, crypto.randomBytes(10 * 1024 * 1024));`,
    ],
    { cwd: work },
  );
  await must(work, ['add', '.']);
  await must(work, ['commit', '-q', '-m', `${megabytes} MB`]);
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  await must(work, ['push', '-q', server.url(id), 'main']);
  await must(folder, ['clone', '-q', '--bare', server.url(id), 'clone.git']);
  clearInterval(watch);
  await server.stop();
  const growth = Math.round((peak - before) / 1024 ** 2);
  const traces = await native.traces();
  const same =
    (await must(work, ['rev-parse', 'main'])) === (await must(join(folder, 'clone.git'), ['rev-parse', 'main']));
  console.log(
    `${megabytes} MB pushed and cloned: memory grew by ${growth} MB of ${allowed} allowed, ${traces.length} traces left, refs ${same ? 'alike' : 'DIFFER'}`,
  );
  if (growth > allowed || traces.length > 0 || !same) process.exitCode = 1;
} finally {
  await native.close();
  await rm(folder, { recursive: true, force: true });
}
