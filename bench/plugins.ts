// Measures the cost of unused plugins: fifty trivial external plugins, at start-up and per request to other routes.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bounded, compare, type Line } from './compare.ts';
import type { Setting } from './lines.ts';
import { load } from './load.ts';
import { Subject } from './subject.ts';

const count = 50;

/** The source of an external plugin with one route. */
const trivial = (name: string): string => `import { anyone, api, definePlugin, shape, text } from 'hexforge/plugin';
export default definePlugin({
  name: '${name}', version: '1.0.0', api: '*', build: () => ({ greet: () => ({ text: 'hello' }) }),
  routes: ({ greet }) => [
    api({
      id: '${name}Read', summary: 'Greets', method: 'GET', path: '/', access: anyone, scope: null,
      result: shape({ text: text() }), run: () => greet(),
    }),
  ],
});
`;

/** Writes the plugins to disk. @returns their lines of the configuration. */
async function lay(root: string): Promise<string> {
  const lines: string[] = [];
  for (let index = 0; index < count; index++) {
    const name = `trivial-${index}`;
    const folder = join(root, 'plugins', name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'plugin.mjs'), trivial(name));
    lines.push(`  ${name}: { path: ${join(folder, 'plugin.mjs')} }\n`);
  }
  return lines.join('');
}

export async function pluginLines(setting: Setting): Promise<Line[]> {
  const plugins = await lay(setting.root);
  const start = (among: boolean): Promise<Subject> => Subject.start(among ? { ...setting, plugins } : setting);
  return [await startLine(setting, start), ...(await requestLines(setting, start))];
}

type Start = (among: boolean) => Promise<Subject>;

async function startLine({ engine, rounds }: Setting, start: Start): Promise<Line> {
  const readyAfter = async (among: boolean): Promise<number> => {
    const subject = await start(among);
    await subject.stop();
    return subject.readyAfter;
  };
  const more: number[] = [];
  await readyAfter(true);
  for (let round = 0; round < rounds; round++) {
    const first = await readyAfter(round % 2 === 0);
    const second = await readyAfter(round % 2 !== 0);
    more.push(round % 2 === 0 ? first - second : second - first);
  }
  return bounded({ name: `start with ${count} plugins more`, engine, unit: 'ms', values: more, most: 250 });
}

/** Measures alternately, each time on a new server, because two servers cannot share one data directory. */
async function requestLines({ engine, rounds }: Setting, start: Start): Promise<Line[]> {
  const measured = { with: [] as Cost[], without: [] as Cost[] };
  for (let round = 0; round < rounds; round++)
    for (const among of round % 2 === 0 ? [true, false] : [false, true]) {
      const subject = await start(among);
      try {
        measured[among ? 'with' : 'without'].push(await costOf(subject));
      } finally {
        await subject.stop();
      }
    }
  const turns = (of: readonly Cost[], what: keyof Cost) => {
    const values = of.map((cost) => cost[what])[Symbol.iterator]();
    return async (): Promise<number> => values.next().value ?? Number.NaN;
  };
  const compared = (name: string, what: keyof Cost, unit: string, target: { most: number } | { least: number }) =>
    compare({
      name: `${name} among ${count} plugins, to without`,
      engine,
      unit,
      rounds,
      target,
      ours: turns(measured.with, what),
      limit: turns(measured.without, what),
    });
  return [
    await compared('GET the repositories', 'requestsPerSecond', 'req/s', { least: 0.95 }),
    await compared('CPU of a request', 'microseconds', 'µs', { most: 1.05 }),
  ];
}

interface Cost {
  readonly requestsPerSecond: number;
  /** CPU time of the server per request. */
  readonly microseconds: number;
}

async function costOf(subject: Subject): Promise<Cost> {
  await subject.signIn();
  const ask = { url: `${subject.url}/api/v1/repos`, headers: subject.headers, connections: 16 };
  await load({ ...ask, seconds: 2 });
  const before = await cpu(subject.pid);
  const seconds = 3;
  const { requestsPerSecond } = await load({ ...ask, seconds });
  return { requestsPerSecond, microseconds: ((await cpu(subject.pid)) - before) / (requestsPerSecond * seconds) };
}

/** Microseconds of CPU time of a process, from its 100 Hz clock (proc(5), `utime` and `stime`). */
async function cpu(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
