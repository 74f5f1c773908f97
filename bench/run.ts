// `npm run bench`: each figure beside its limit, measured in the same run on the same machine. A table, then JSON.
// Options: --engine embedded|postgresql (both where DATABASE_URL is given), --only WORD, --rounds N.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Line } from './compare.ts';
import { writeHistory } from './history.ts';
import { gitLines, readLines, startLines, type Setting } from './lines.ts';
import { git, Subject } from './subject.ts';

const { values } = parseArgs({ options: { engine: { type: 'string' }, only: { type: 'string' }, rounds: { type: 'string', default: '5' } } });
const databaseUrl = process.env.DATABASE_URL;
const engines = values.engine !== undefined ? [values.engine] : ['embedded', ...databaseUrl === undefined ? [] : ['postgresql']];
const wanted = (group: string): boolean => values.only === undefined || group.includes(values.only);

const root = await mkdtemp(join(tmpdir(), 'hexforge-bench-'));
const lines: Line[] = [];
try {
  const history = join(root, 'history.git');
  await git(['init', '-q', '--bare', '-b', 'main', history]);
  await writeHistory(history, { commits: 12_000, rootFiles: 300, folders: 40, filesPerFolder: 20 });
  await git(['repack', '-adq'], history);
  for (const engine of engines) {
    const setting: Setting = {
      engine, root, history, rounds: Number(values.rounds), dataDir: join(root, engine),
      databaseUrl: engine === 'postgresql' ? databaseUrl : undefined,
    };
    await mkdir(setting.dataDir, { mode: 0o700 });
    if (wanted('start')) lines.push(...await startLines(setting));
    const subject = await Subject.start(setting);
    try {
      await subject.signIn();
      if (wanted('git') || wanted('read')) await subject.createRepository('history');
      if (wanted('git') || wanted('read')) await git(['push', '-q', subject.cloneUrl('history'), 'main:main'], history);
      if (wanted('read')) lines.push(...await readLines(setting, subject));
      if (wanted('git')) lines.push(...await gitLines(setting, subject));
    } finally {
      await subject.stop();
    }
  }
} finally {
  await rm(root, { recursive: true, force: true });
}
print(lines);
process.exitCode = lines.every(({ held }) => held) ? 0 : 1;

function print(rows: readonly Line[]): void {
  const number = (value: number): string => value >= 100 ? value.toFixed(0) : value.toFixed(2);
  const cells = rows.map((row) => [row.name, row.engine, `${number(row.ours)} ${row.unit}`, `${number(row.limit)} ${row.unit}`, row.ratio.toFixed(2), `${row.spread[0].toFixed(2)}–${row.spread[1].toFixed(2)}`, row.target, row.held ? 'held' : 'MISSED']);
  const table = [['what', 'database', 'ours', 'limit', 'ratio', 'spread', 'target', ''], ...cells];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of table) process.stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()}\n`);
  process.stdout.write(`${JSON.stringify(rows)}\n`);
}
