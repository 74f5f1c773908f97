// The documented in-memory store of a simple resource: it is short, works, and equals the one in the documentation.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import { Conflict, Duplicate } from '#core/kernel/errors';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { memoryLabelStore, type Label } from './label-store.ts';

const label = (id: string, name: string, repositoryId = 'forge'): Label => ({ id, repositoryId, name, color: '#fff' });

function setUp() {
  const { database } = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const repositories = database.table<{ readonly id: string }>('repositories_repository', { key: 'id' });
  for (const id of ['forge', 'other']) repositories.insert({ id });
  return { repositories, labels: memoryLabelStore(database) };
}

void t.test('the example in the documentation is this store, and takes at most 20 lines', async (t) => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const source = /^export function memoryLabelStore[^]*?^}$/m.exec(read('label-store.ts'))?.[0] ?? '';
  const documented = /^ \* @example\n((?: \* {3}.*\n)+?) \*\/\nexport interface MemoryDatabase/m.exec(
    read('../../../adapters/memory/database.ts'),
  );
  t.equal(documented?.[1]?.replaceAll(/^ \* {3}/gm, '').trimEnd(), source);
  t.ok(source.split('\n').length <= 20);
});

void t.test('labels are listed by name in pages, per repository', async (t) => {
  const { labels } = setUp();
  for (const [id, name] of Object.entries({ 1: 'wontfix', 2: 'Bug', 3: 'docs' })) await labels.insert(label(id, name));
  await labels.insert(label('4', 'bug', 'other'));
  t.strictSame(await labels.list('forge', { limit: 2, offset: 0 }), {
    labels: [label('2', 'Bug'), label('3', 'docs')],
    total: 3,
  });
  t.strictSame(await labels.list('forge', { limit: 2, offset: 2 }), { labels: [label('1', 'wontfix')], total: 3 });
});

void t.test('a label can be updated, and is deleted with its repository', async (t) => {
  const { labels, repositories } = setUp();
  await labels.insert(label('1', 'bug'));
  await labels.insert(label('2', 'docs'));
  t.equal(await labels.update('1', { name: 'defect' }), true);
  t.equal(await labels.update('3', { name: 'none' }), false);
  t.strictSame(await labels.byId('1'), label('1', 'defect'));
  await t.rejects(labels.insert(label('3', 'DEFECT')), new Duplicate('issues_label_name_key'));
  await t.rejects(labels.insert(label('3', 'bug', 'absent')), Conflict);
  t.equal(await labels.delete('1'), true);
  t.equal(await labels.delete('1'), false);
  repositories.delete('forge');
  t.equal(await labels.byId('2'), undefined);
});
