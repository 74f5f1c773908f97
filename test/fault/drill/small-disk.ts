// A small disk that can be filled completely and freed again: a tmpfs.
import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const mib = 1024 ** 2;

export class SmallDisk {
  readonly folder: string;
  readonly #ballast: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#ballast = join(folder, 'ballast');
  }

  /** @throws {Error} if it cannot be mounted: a drill of a full disk would test nothing. */
  static mount(folder: string, megabytes: number): SmallDisk {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    must('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder]);
    return new SmallDisk(folder);
  }

  /** Fills the disk until at most `free` bytes are free. */
  fill(free = 0): void {
    const file = openSync(this.#ballast, 'a');
    let size = 0;
    try {
      for (let step = mib; step >= 4096;) {
        try {
          size += writeSync(file, Buffer.alloc(step));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          step /= 2;
        }
      }
      ftruncateSync(file, Math.max(0, size - free));
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  unmount(): void {
    must('umount', ['-l', this.folder]);
  }
}

function must(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`"${command}" failed, and a full disk needs a small one: ${error?.message ?? stderr.trim()}`);
}
