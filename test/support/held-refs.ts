// Blocks a push just before git moves one of its refs.
import { existsSync, globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

async function until(met: () => boolean, what: string): Promise<void> {
  for (let tried = 0; tried < 1000; tried += 1) {
    if (met()) return;
    await pause(20);
  }
  throw new Error(`never came about: ${what}`);
}

/**
 * Makes git block, for longer than a test waits, when it is about to move the ref. To be called while a push is running
 * and no ref has moved.
 * @param root the folder of the repositories. @param held a file that is created when git blocks.
 */
export async function holdRefs(root: string, ref: string, held: string): Promise<void> {
  const script = `#!/bin/sh\n[ "$1" = prepared ] && grep -q ' ${ref}$' && { : > '${held}'; sleep 30; }\nexit 0\n`;
  const hooks = (): readonly string[] => globSync('.processes/*/*/pre-receive', { cwd: root });
  await until(() => hooks().length > 0, 'hooks of a push');
  for (const hook of hooks())
    await writeFile(join(root, dirname(hook), 'reference-transaction'), script, { mode: 0o755 });
}

/** Resolves when git is blocked. */
export const refsHeld = (held: string): Promise<void> => until(() => existsSync(held), held);
