// Removals of files that fail without descriptors, on a full disk or by an I/O error are retried.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative } from '#adapters/git-native/index';
import { Removals } from '#adapters/git-native/files/removals';
import { Repositories } from '#adapters/git-native/storage/repositories';
import type { Log } from '#core/kernel/services/log';
import { eventually } from '#test/contracts/git/provider';
import { withoutDescriptors } from './process/descriptors.ts';
import { quiet } from './provider.ts';

const id = '0a000000-0000-4000-8000-000000000000';

async function folder(t: Test): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'hexforge-removals-'));
  t.teardown(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** A removal that fails with `code` the given number of times. */
function refused(times: number, code = 'EMFILE') {
  const removal = {
    attempts: 0,
    work: async (): Promise<void> => {
      removal.attempts += 1;
      if (removal.attempts <= times) throw Object.assign(new Error(code), { code });
    },
  };
  return removal;
}

function said(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const note = (_: unknown, text?: string): void => void lines.push(text ?? '');
  return { log: { debug: note, info: note, warn: note, error: note }, lines };
}

void t.test('a removal is retried while the server runs until it succeeds, and is logged once', async (t) => {
  const { log, lines } = said();
  const removals = new Removals(log, 1);
  for (const code of ['EMFILE', 'ENOSPC', 'EIO']) {
    const removal = refused(4, code);
    await removals.remove(code, removal.work);
    t.equal(removal.attempts, 1, 'the caller does not wait for the retries');
    await eventually(
      async () => removal.attempts >= 5,
      async () => String(removal.attempts),
    );
  }
  await removals.close();
  t.strictSame(
    lines,
    Array.from({ length: 3 }, () => 'something could not be removed yet: it is tried again'),
  );
});

void t.test('the delay between retries grows', async (t) => {
  const removals = new Removals(quiet, 20);
  const removal = refused(Number.POSITIVE_INFINITY);
  const from = performance.now();
  await removals.remove('path', removal.work);
  await eventually(
    async () => removal.attempts >= 5,
    async () => String(removal.attempts),
  );
  t.ok(performance.now() - from >= 20 + 40 + 80 + 160 - 4, 'each delay is twice as long as the one before');
  await removals.close();
});

void t.test('pending removals are retried when the server stops, and failing ones are logged', async (t) => {
  const { log, lines } = said();
  const removals = new Removals(log, 3600_000);
  const [late, never] = [refused(3), refused(Number.POSITIVE_INFINITY)];
  await removals.remove('late', late.work);
  await removals.remove('never', never.work);
  await removals.close();
  t.equal(late.attempts, 4);
  t.ok(never.attempts > 1);
  t.equal(lines.at(-1), 'left for the next start to remove');
});

void t.test('the files of a repository removed without a free descriptor are deleted later', async (t) => {
  const root = await folder(t);
  const removals = new Removals(quiet, 1);
  const repositories = new Repositories(root, removals, join(root, 'staging'));
  await repositories.create(id, 'main');
  await withoutDescriptors(async () => {
    await t.rejects(repositories.discard(id), { code: 'EMFILE' }, 'the removal could not be synced to disk');
    await repositories.discard(id);
  });
  const left = (): Promise<string[]> => readdir(repositories.trash);
  await eventually(
    async () => (await left()).length === 0,
    async () => (await left()).join(', '),
  );
  t.strictSame(await readdir(join(root, '0a')), []);
  await removals.close();
});

void t.test('a repository that cannot be created without descriptors leaves no files', async (t) => {
  const root = await folder(t);
  const { log, lines } = said();
  const removals = new Removals(log, 1);
  const repositories = new Repositories(root, removals, join(root, 'staging'));
  await withoutDescriptors(() => t.rejects(repositories.create(id, 'main'), { code: 'EMFILE' }));
  t.strictSame(lines, ['something could not be removed yet: it is tried again']);
  const left = (): Promise<string[]> => readdir(repositories.staging);
  await eventually(
    async () => (await left()).length === 0,
    async () => (await left()).join(', '),
  );
  await removals.close();
});

void t.test('files that could not be deleted before a stop are deleted by the next start', async (t) => {
  const root = await folder(t);
  const native = gitNative({ root, log: quiet });
  t.teardown(() => native.close());
  await mkdir(join(root, '.trash/one'), { recursive: true });
  await writeFile(join(root, '.trash/one/HEAD'), '');
  await native.sweep();
  await native.close();
  t.strictSame(await readdir(join(root, '.trash')), []);
});
