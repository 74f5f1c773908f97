// Measures the search: the speed of indexing and what others notice of it, queries beside `git grep` on the same files,
// and the time from a push until its file is found. The corpus is the source of the project itself, several times.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bounded, compare, median, timed, type Line } from './compare.ts';
import type { Setting } from './lines.ts';
import { git, type Subject } from './subject.ts';

const project = join(import.meta.dirname, '..');
const sources = '{core,adapters,plugins,host,test,docs}/**/*.{ts,md,css,js}';
/** Copies of the sources. Fewer on the embedded database, which is about three times as slow. */
const copies = { embedded: 2, server: 8 } as const;

/** Rare and common words, names, three letters, phrases, and filters. */
const queries = [
  'siteSearch',
  'grantedById',
  'return',
  'const',
  'repository',
  'the',
  'uuid',
  '"export const"',
  '"as readonly"',
  '"of the same"',
  'path:plugins/issues store',
  'lang:css color',
  'sqlRows where',
  'throw new ValidationFailed',
  'zqxjkv',
  'README',
] as const;

async function writeCorpus(directory: string, count: number): Promise<number> {
  await git(['init', '-q', '--bare', '-b', 'main', directory]);
  const files = globSync(sources, { cwd: project }).map((path) => [path, readFileSync(join(project, path))] as const);
  const importing = spawn('git', ['-C', directory, 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  importing.stdin.write('commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n');
  let bytes = 0;
  for (let copy = 0; copy < count; copy += 1)
    for (const [path, content] of files) {
      bytes += content.length;
      // One more line, so that the copies are different blobs.
      const marked = Buffer.concat([content, Buffer.from(`// copy ${copy}\n`)]);
      importing.stdin.write(`M 100644 inline copy-${copy}/${path}\ndata ${marked.length}\n`);
      importing.stdin.write(marked);
      importing.stdin.write('\n');
    }
  importing.stdin.end();
  await once(importing, 'close');
  return bytes;
}

const found = async (subject: Subject, q: string): Promise<number> => {
  const path = `/api/v1/search?${new URLSearchParams({ q, types: 'code', limit: '20' })}`;
  return ((await subject.json('GET', path)) as { readonly code: { readonly total: number } }).code.total;
};

/** Waits until the index has followed. */
async function settled(subject: Subject): Promise<void> {
  for (;;) {
    const { details } = (await (await fetch(`${subject.url}/readyz`)).json()) as {
      readonly details: { readonly search: { readonly waiting: number } };
    };
    if (details.search.waiting === 0) return;
    await pause(200);
  }
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

async function times(subject: Subject, clients: number): Promise<readonly number[]> {
  const all: number[] = [];
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (const [place] of queries.entries()) {
        const q = queries[(place + client) % queries.length] ?? '';
        all.push(await timed(() => found(subject, q)));
      }
    }),
  );
  return all;
}

export async function searchLines({ engine, root, rounds, databaseUrl }: Setting, subject: Subject): Promise<Line[]> {
  const corpus = join(root, `corpus-${engine}.git`);
  const bytes = await writeCorpus(corpus, databaseUrl === undefined ? copies.embedded : copies.server);
  await subject.createRepository('corpus');
  await settled(subject);
  await git(['push', '-q', subject.cloneUrl('corpus'), 'main:main'], corpus);
  const others: number[] = [];
  let indexing = true;
  const reading = (async () => {
    while (indexing) others.push(await timed(() => subject.json('GET', '/api/v1/repos/admin/corpus')));
  })();
  const took = await timed(() => settled(subject));
  indexing = false;
  await reading;
  const alone = await times(subject, 1);
  const together = await times(subject, 8);
  const pushed: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const word = `fresh${round}${Date.now()}`;
    const content = Buffer.from(`${word}\n`).toString('base64');
    await subject.json('PUT', `/api/v1/repos/admin/corpus/contents/${word}.txt`, { message: 'x', content });
    pushed.push(
      await timed(async () => {
        while ((await found(subject, word)) === 0) await pause(50);
      }),
    );
  }
  const common = { engine, rounds };
  return [
    bounded({
      name: 'indexing, milliseconds for a MB',
      engine,
      unit: 'ms',
      values: [took / (bytes / 1e6)],
      most: 1000,
    }),
    bounded({
      name: 'other reads while indexing, p99',
      engine,
      unit: 'ms',
      values: [percentile(others, 0.99)],
      most: 50,
    }),
    bounded({ name: 'queries, one client, p95', engine, unit: 'ms', values: [percentile(alone, 0.95)], most: 200 }),
    bounded({
      name: 'queries, eight clients, p95',
      engine,
      unit: 'ms',
      values: [percentile(together, 0.95)],
      most: 200,
    }),
    bounded({ name: 'from a push until its file is found', engine, unit: 'ms', values: pushed, most: 5000 }),
    await compare({
      ...common,
      name: 'queries for a name, to git grep',
      unit: 'ms',
      target: { most: 1 },
      ours: async () =>
        median([await timed(() => found(subject, 'grantedById')), await timed(() => found(subject, 'siteSearch'))]),
      limit: async () =>
        median([
          await timed(() => git(['grep', '-Fil', 'grantedById', 'main'], corpus)),
          await timed(() => git(['grep', '-Fil', 'siteSearch', 'main'], corpus)),
        ]),
    }),
  ];
}
