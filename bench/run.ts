// Runs the benchmarks (`npm run bench`): each figure against its baseline, measured in the same run on the same
// machine. Prints a table, then JSON. Options: --engine embedded|postgresql (both if DATABASE_URL is set), --only WORD,
// --rounds N; --hostile runs only the load of hostile clients, for --seconds N in total.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Line } from './compare.ts';
import { writeHistory } from './history.ts';
import { issueLines } from './issues.ts';
import { liveLines } from './live.ts';
import { mergeLines } from './merges.ts';
import { hostileLines } from './hostile.ts';
import { meteringLines } from './metering.ts';
import { oauthLines } from './oauth.ts';
import { pluginLines } from './plugins.ts';
import { gitLines, readLines, startLines, type Setting } from './lines.ts';
import { searchLines } from './search.ts';
import { git, Subject } from './subject.ts';
import { table } from './table.ts';
import { webLines } from './web.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    hostile: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '30' },
  },
});
const databaseUrl = process.env.DATABASE_URL;
const engines =
  values.engine !== undefined ? [values.engine] : ['embedded', ...(databaseUrl === undefined ? [] : ['postgresql'])];
const wanted = (group: string): boolean =>
  !values.hostile && (values.only === undefined || group.includes(values.only));

const root = await mkdtemp(join(tmpdir(), 'hexforge-bench-'));
const lines: Line[] = [];
try {
  const history = join(root, 'history.git');
  if (wanted('git') || wanted('read')) {
    await git(['init', '-q', '--bare', '-b', 'main', history]);
    await writeHistory(history, { commits: 12_000, rootFiles: 300, folders: 40, filesPerFolder: 20 });
    await git(['repack', '-adq'], history);
  }
  for (const engine of engines) {
    const setting: Setting = {
      engine,
      root,
      history,
      rounds: Number(values.rounds),
      dataDir: join(root, engine),
      databaseUrl: engine === 'postgresql' ? databaseUrl : undefined,
    };
    await mkdir(setting.dataDir, { mode: 0o700 });
    if (wanted('start')) lines.push(...(await startLines(setting)));
    if (wanted('plugins')) lines.push(...(await pluginLines(setting)));
    if (wanted('metering')) lines.push(...(await meteringLines(setting)));
    const subject = await Subject.start(setting);
    try {
      await subject.signIn();
      if (wanted('git') || wanted('read')) await subject.createRepository('history');
      if (wanted('git') || wanted('read')) await git(['push', '-q', subject.cloneUrl('history'), 'main:main'], history);
      if (wanted('read')) lines.push(...(await readLines(setting, subject)));
      if (wanted('oauth')) lines.push(...(await oauthLines(setting, subject)));
      if (wanted('live')) lines.push(...(await liveLines(setting, subject)));
      if (wanted('issues')) lines.push(...(await issueLines(setting, subject)));
      if (wanted('merges')) lines.push(...(await mergeLines(setting, subject)));
      if (wanted('search')) lines.push(...(await searchLines(setting, subject)));
      if (wanted('web')) lines.push(...(await webLines(setting, subject)));
      if (values.hostile)
        lines.push(
          ...(await hostileLines(setting, subject, { seconds: Number(values.seconds), only: values.only ?? '' })),
        );
      if (wanted('git')) lines.push(...(await gitLines(setting, subject)));
    } finally {
      await subject.stop();
    }
  }
} finally {
  await rm(root, { recursive: true, force: true });
}
process.stdout.write(`${table(lines)}${JSON.stringify(lines)}\n`);
process.exitCode = lines.every(({ held }) => held) ? 0 : 1;
