// Runs the type checker, the linter, the formatter and the search for unused code in parallel (`npm run check`), and
// prints the results as one table.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './project-files.ts';
import { table } from './table.ts';

interface Tool {
  readonly name: string;
  readonly checks: string;
  readonly arguments: readonly string[];
}

const bin = (name: string): string => join(root, 'node_modules', ...name.split('/'));

const tools: readonly Tool[] = [
  { name: 'tsc', checks: 'types', arguments: [bin('typescript/bin/tsc'), '-p', '.'] },
  {
    name: 'tsc (browser)',
    checks: 'types of scripts of pages',
    arguments: [bin('typescript/bin/tsc'), '-p', 'plugins/web/assets'],
  },
  {
    name: 'oxlint',
    checks: 'layers, promises, habits',
    arguments: [bin('oxlint/bin/oxlint'), '--deny-warnings', '--report-unused-disable-directives'],
  },
  { name: 'oxfmt', checks: 'format', arguments: [bin('oxfmt/bin/oxfmt'), '--check'] },
  {
    name: 'knip',
    checks: 'unused files, exports, dependencies',
    arguments: [bin('knip/bin/knip.js'), '--no-progress'],
  },
];

interface Outcome {
  readonly tool: Tool;
  readonly ok: boolean;
  readonly seconds: number;
  readonly output: string;
}

async function run(tool: Tool): Promise<Outcome> {
  const start = performance.now();
  const child = spawn(process.execPath, tool.arguments, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      chunks.push(Buffer.from(`${tool.name} could not be started: ${error.message}\n`));
      resolve(1);
    });
    child.once('close', resolve);
  });
  return {
    tool,
    ok: code === 0,
    seconds: (performance.now() - start) / 1000,
    output: Buffer.concat(chunks).toString(),
  };
}

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const unknown = values.only?.find((name) => !tools.some((tool) => tool.name === name));
if (unknown !== undefined) {
  process.stderr.write(`There is no tool "${unknown}"; there are ${tools.map(({ name }) => name).join(', ')}\n`);
  process.exit(64);
}

const outcomes = await Promise.all(tools.filter(({ name }) => values.only?.includes(name) ?? true).map(run));
for (const { tool, ok, output } of outcomes) if (!ok) process.stdout.write(`${tool.name}\n${output.trimEnd()}\n\n`);
process.stdout.write(
  table(
    ['tool', 'checks', 'result', 'seconds'],
    outcomes.map(({ tool, ok, seconds }) => [tool.name, tool.checks, ok ? 'good' : 'FAILED', seconds.toFixed(1)]),
  ),
);
process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1;
