// A process that is killed in the middle of a write or of a rebuild leaves an index that answers and can be written.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { mostCounted, type SearchBackend } from '#core/search/index';
import { generation, wholeOf, wordOf } from './generations.ts';
import { onOpenSearch, opened, startedNode } from './node-under-test.ts';
import { filesWith, source } from './samples.ts';

const rounds = 3;

/** Runs a writer, and kills it a while after its second state. @returns the last state that it began to write. */
async function killed(url: string, prefix: string, what: 'write' | 'rebuild'): Promise<number> {
  const program = join(import.meta.dirname, 'writer-child.ts');
  const child = spawn(process.execPath, [program, url, prefix, what], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const states: number[] = [];
  createInterface(child.stdout).on('line', (line) => {
    states.push(Number(line));
    if (states.length === 2) void sleep(Math.random() * 400).then(() => child.kill('SIGKILL'));
  });
  await gone;
  return states.at(-1) ?? 0;
}

/** The number of files that contain the word of a generation. */
const found = async (backend: SearchBackend, number: number): Promise<number> =>
  (await filesWith(backend, wordOf(number))).total;

void onOpenSearch(t).test('a writer that is killed', async (t) => {
  const node = await startedNode(t);

  await t.test('in a write: the state is the old or the new one, and the next write is complete', async (t) => {
    const { backend } = await opened(t, node.url, { prefix: 'k-write' });
    for (let round = 0; round < rounds; round += 1) {
      const begun = await killed(node.url, 'k-write', 'write');
      const [index] = await backend.indexes();
      const state = Number(await index?.state(source));
      t.ok(state === begun || state === begun - 1, `state ${state} of ${begun}`);
      // All entries are removed, as the indexing does after a failure.
      const entries = (await index?.entries(source, undefined, mostCounted)) ?? [];
      const next = generation(begun + 2);
      await index?.write(source, { ...next, removed: entries.map(({ key }) => key) }, String(begun + 2));
      const stored = await index?.entries(source, undefined, mostCounted);
      t.strictSame(
        stored?.map(({ key }) => key),
        wholeOf(begun + 2),
      );
      t.equal(await found(backend, begun + 2), wholeOf(begun + 2).length);
      t.equal(await found(backend, begun), 0);
    }
  });

  await t.test('in a rebuild: exactly one whole generation answers', async (t) => {
    const { backend } = await opened(t, node.url, { prefix: 'k-rebuild' });
    for (let round = 0; round < rounds; round += 1) {
      const begun = await killed(node.url, 'k-rebuild', 'rebuild');
      const shown = [begun - 2, begun - 1, begun];
      let [answering, rebuilding, ...more] = await backend.indexes();
      for (let id: string | undefined; id !== answering?.id;) {
        id = answering?.id;
        const state = Number(await answering?.state(source));
        const counts = await Promise.all(shown.map((number) => found(backend, number)));
        // The last request of the writer may be answered meanwhile.
        [answering, rebuilding, ...more] = await backend.indexes();
        if (id !== answering?.id) continue;
        t.ok(state === begun || state === begun - 1, `state ${state} of ${begun}`);
        t.strictSame(
          counts,
          shown.map((number) => (number === state ? wholeOf(number).length : 0)),
        );
      }
      t.equal(more.length, 0);
      // The next writer continues the rebuild.
      if (rebuilding !== undefined) {
        const entries = await rebuilding.entries(source, undefined, mostCounted);
        await rebuilding.write(source, { removed: entries.map(({ key }) => key) }, '');
        await rebuilding.remove(source);
      }
    }
  });
});
