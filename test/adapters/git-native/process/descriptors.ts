// Exhausts the file descriptors of this process (EMFILE) while a function runs.
import { execFile } from 'node:child_process';
import { open, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';

const few = 256;

/** This process can open no file while `work` runs; open files stay open. */
export async function withoutDescriptors(work: () => Promise<unknown>): Promise<void> {
  const limit = async (files: string): Promise<unknown> =>
    promisify(execFile)('prlimit', ['--pid', String(process.pid), `--nofile=${files}`]);
  const { stdout } = await promisify(execFile)('prlimit', [
    '--pid',
    String(process.pid),
    '--nofile',
    '--output=SOFT',
    '--noheadings',
  ]);
  const held: FileHandle[] = [];
  await limit(`${few}:`);
  try {
    for (;;) held.push(await open('/dev/null'));
  } catch {
    await work();
  } finally {
    for (const handle of held) await handle.close();
    await limit(`${stdout.trim()}:`);
  }
}
