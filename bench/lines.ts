// Measures start and memory, reads over REST, and clone and push with stock git.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bounded, compare, timed, type Line } from './compare.ts';
import { latency, load } from './load.ts';
import { git, Subject } from './subject.ts';

export interface Setting {
  readonly engine: string;
  readonly root: string;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** The path of a bare repository of 12,000 commits. */
  readonly history: string;
  readonly rounds: number;
}

const embedded = (setting: Setting): boolean => setting.databaseUrl === undefined;

export async function startLines(setting: Setting): Promise<Line[]> {
  const user = { ...setting, metering: 'on' } as const;
  const first = await Subject.start(user);
  await first.stop();
  const ready: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < setting.rounds; round++) {
    const subject = await Subject.start(user);
    ready.push(subject.readyAfter);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    memory.push(await subject.memory());
    await subject.stop();
  }
  const { engine } = setting;
  return [
    bounded({ name: 'start to ready, first time', engine, unit: 'ms', values: [first.readyAfter], most: 10_000 }),
    bounded({
      name: 'start to ready, existing data',
      engine,
      unit: 'ms',
      values: ready,
      most: embedded(setting) ? 2000 : 1000,
    }),
    bounded({ name: 'resident memory, idle', engine, unit: 'MB', values: memory, most: embedded(setting) ? 300 : 150 }),
  ];
}

export async function readLines(setting: Setting, subject: Subject): Promise<Line[]> {
  const { engine, rounds } = setting;
  const { id } = (await subject.json('GET', '/api/v1/repos/admin/history')) as { id: string };
  const { headers } = subject;
  const bareUrl = `${subject.bare}/repository/${id}`;
  const repositoryUrl = `${subject.url}/api/v1/repos/admin/history`;
  const rate = async (url: string): Promise<number> =>
    (await load({ url, headers, connections: 16, seconds: 3 })).requestsPerSecond;
  await rate(bareUrl);
  await rate(repositoryUrl);

  const bare = await latency(bareUrl, headers, 200);
  const beyond = async (path: string): Promise<number> => (await latency(`${subject.url}${path}`, headers, 200)) - bare;
  const root = '/api/v1/repos/admin/history/contents';
  // After the push the forge computes the last commits of the root folder. This request waits for that, so that the
  // cold measurements do not.
  await subject.json('GET', root);
  let folder = 0;
  const listing = (): Promise<number> => timed(() => subject.json('GET', `${root}/folder-${folder++}?ref=main`));
  const streamedLog = (): Promise<number> =>
    timed(() => git(['log', '-c', '--name-only', '--format=%H', 'main', '--', `folder-${folder}/`], setting.history));
  const over = async (name: string, path: string): Promise<Line> => {
    const values: number[] = [];
    for (let round = 0; round < rounds; round++) values.push(Math.max(0, await beyond(path)));
    return bounded({ name: `${name}, over the bare route`, engine, unit: 'ms', values, most: 3 });
  };
  return [
    await compare({
      name: 'GET one repository',
      engine,
      unit: 'req/s',
      rounds,
      target: { least: embedded(setting) ? 0.4 : 0.6 },
      ours: () => rate(repositoryUrl),
      limit: () => rate(bareUrl),
    }),
    await over('folder of 340 entries, warm', root),
    await compare({
      name: 'folder of 20 entries, cold, to one streamed git log',
      engine,
      unit: 'ms',
      rounds,
      target: { most: 1.5 },
      ours: listing,
      limit: streamedLog,
    }),
    await over('file', `${root}/file-7.txt`),
  ];
}

export async function gitLines(setting: Setting, subject: Subject): Promise<Line[]> {
  const { engine, rounds, root, history } = setting;
  const { id } = (await subject.json('GET', '/api/v1/repos/admin/history')) as { id: string };
  const stored = join(setting.dataDir, 'repositories', id.slice(0, 2), `${id}.git`);
  let counter = 0;
  const clone = (url: string) => async (): Promise<number> => {
    const target = join(root, `clone-${counter++}`);
    const time = await timed(() => git(['clone', '-q', '--bare', url, target]));
    await rm(target, { recursive: true, force: true });
    return time;
  };
  const pushLocal = async (): Promise<number> => {
    const target = join(root, `push-${counter++}.git`);
    await git(['init', '-q', '--bare', target]);
    for (const [key, value] of [
      ['transfer.fsckObjects', 'true'],
      ['core.fsync', 'committed,loose-object,reference'],
      ['receive.autogc', 'false'],
    ] as const)
      await git(['config', key, value], target);
    const time = await timed(() => git(['push', '-q', `file://${target}`, 'main:main'], history));
    await rm(target, { recursive: true, force: true });
    return time;
  };
  const pushForge = async (): Promise<number> => {
    const name = `pushed-${counter++}`;
    await subject.createRepository(name);
    return timed(() => git(['push', '-q', subject.cloneUrl(name), 'main:main'], history));
  };
  return [
    await compare({
      name: 'clone, 12,000 commits',
      engine,
      unit: 'ms',
      rounds,
      target: { most: 1.15 },
      ours: clone(subject.cloneUrl('history')),
      limit: clone(`file://${stored}`),
    }),
    await compare({
      name: 'push, 12,000 commits',
      engine,
      unit: 'ms',
      rounds,
      target: { most: 1.15 },
      ours: pushForge,
      limit: pushLocal,
    }),
  ];
}
