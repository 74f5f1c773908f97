// Block-loss simulation: `node test/fault/block-loss.ts [rounds] [durable|default]`. The power fails at a random write,
// half of the unsynced blocks are lost, and every acknowledged row must be found afterwards. With PGlite's default
// flags it is expected to fail.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layCluster } from '#test/support/servers/cluster';

export interface BlockLoss {
  readonly rounds: number;
  readonly acknowledged: number;
  /** Sentences; empty if every acknowledged row was found in every round. */
  readonly faults: readonly string[];
}

export async function blockLoss(rounds: number, flags: 'durable' | 'default' = 'durable'): Promise<BlockLoss> {
  const parent = mkdtempSync(join(tmpdir(), 'hexforge-block-loss-'));
  const directory = join(parent, 'database');
  const acknowledged = new Set<number>();
  const faults: string[] = [];
  try {
    await layCluster(parent);
    for (let round = 1; round <= rounds + 1 && faults.length === 0; round += 1) {
      // The last run only checks.
      const { found, saved } = await life(directory, flags, round > rounds ? 0 : randomInt(50, 400));
      if (found === undefined) faults.push(`round ${round}: the database does not open`);
      else {
        const lost = [...acknowledged].filter((id) => !found.has(id));
        if (lost.length > 0)
          faults.push(`round ${round}: ${lost.length} of ${acknowledged.size} acknowledged rows are lost`);
      }
      for (const id of saved) acknowledged.add(id);
    }
    return { rounds, acknowledged: acknowledged.size, faults };
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Runs one child, from opening to the power failure. `found` is undefined if the database could not be opened. */
async function life(
  directory: string,
  flags: string,
  moment: number,
): Promise<{ readonly found: ReadonlySet<number> | undefined; readonly saved: readonly number[] }> {
  const child = spawn(
    process.execPath,
    [
      '--no-wasm-code-gc',
      '--wasm-tiering-budget=130000000',
      join(import.meta.dirname, 'block-loss-child.ts'),
      directory,
      flags,
      String(moment),
    ],
    { stdio: ['ignore', 'pipe', 'ignore'], env: {} },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await new Promise((resolve) => {
    child.once('close', resolve);
  });
  // The last line may be cut off: it was not acknowledged.
  const lines = output.split('\n').slice(0, -1);
  const found = lines.find((line) => line.startsWith('found'));
  return {
    found:
      found === undefined
        ? undefined
        : new Set(
            found
              .slice(6)
              .split(',')
              .filter((id) => id !== '')
              .map(Number),
          ),
    saved: lines.filter((line) => line.startsWith('acknowledged')).map((line) => Number(line.split(' ')[1])),
  };
}

if (import.meta.main) {
  const [rounds = '6', flags = 'durable'] = process.argv.slice(2);
  const result = await blockLoss(Number(rounds), flags === 'default' ? 'default' : 'durable');
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exitCode = result.faults.length === 0 ? 0 : 1;
}
