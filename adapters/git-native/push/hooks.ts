// The git hooks of a push: `pre-receive` asks this process about all refs at once over inherited pipes, `update`
// refuses single refs.
import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Internal } from '#core/kernel/errors';
import type { RefUpdate, RefVerdict } from '#core/repositories/git-backend';
import type { GitProcess } from '../process/git-process.ts';

/** Names the file with a line per refused ref; it lies in the folder of the push and lives as long. */
export const verdictsVariable = 'HEXFORGE_VERDICTS';
const scripts: Readonly<Record<string, string>> = {
  'pre-receive': `#!/bin/sh
{ printf 'Q %s\\n' "$GIT_QUARANTINE_PATH"; cat; printf 'END\\n'; } >&3 || exit 1
IFS= read -r verdict <&4 || exit 1
[ "$verdict" = ok ] && exit 0
cat <&4 >&2
exit 1
`,
  // Fails where the file is gone: then the server that judged is gone too.
  update: `#!/bin/sh
exec 5<"$${verdictsVariable}" || exit 1
while IFS='\t' read -r ref sentence <&5; do
  if [ "$ref" = "$1" ]; then printf '%s\\n' "$sentence" >&2; exit 1; fi
done
exit 0
`,
};

/** The scripts, in a folder named by what is in it, so that two versions of the server can share a root. */
export class Hooks {
  readonly folder: string;

  constructor(root: string) {
    this.folder = join(root, '.hooks', createHash('sha256').update(JSON.stringify(scripts)).digest('hex').slice(0, 16));
  }

  /**
   * Writes what is missing. git runs no hook that it cannot execute, which would let every push through: so this is
   * checked before each.
   * @throws {Internal} where the hooks cannot be executed.
   */
  async ready(): Promise<void> {
    const whole = await Promise.all(
      Object.entries(scripts).map(
        async ([name, script]) => (await readFile(join(this.folder, name), 'utf8').catch(() => undefined)) === script,
      ),
    );
    if (whole.includes(false)) await this.#write();
    await Promise.all(Object.keys(scripts).map((name) => access(join(this.folder, name), constants.X_OK))).catch(
      (cause: unknown) => {
        throw new Internal(
          `The git hooks in "${this.folder}" cannot be executed: is the data directory mounted with noexec?`,
          { cause },
        );
      },
    );
  }

  /** Makes the folder of one push, for `core.hooksPath`, below a folder that only this process removes. */
  async open(parent: string): Promise<PushHooks> {
    await this.ready();
    const folder = join(parent, randomUUID());
    await mkdir(folder, { mode: 0o700 });
    await symlink(join(this.folder, 'pre-receive'), join(folder, 'pre-receive'));
    return new PushHooks(folder, join(this.folder, 'update'));
  }

  async #write(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await Promise.all(
      Object.entries(scripts).map(async ([name, script]) => {
        const path = join(this.folder, name);
        const draft = `${path}.${process.pid}.${performance.now()}`;
        await writeFile(draft, script, { mode: 0o700 });
        await chmod(draft, 0o700);
        await rename(draft, path);
      }),
    );
  }
}

/**
 * The hooks of one push. `update` costs a process for each ref, so it is there only where some refs are refused and
 * others land.
 */
export class PushHooks {
  readonly folder: string;
  readonly verdicts: string;
  readonly #update: string;

  constructor(folder: string, update: string) {
    this.folder = folder;
    this.verdicts = join(folder, 'verdicts');
    this.#update = update;
  }

  async refuseSome(verdicts: readonly RefVerdict[]): Promise<void> {
    await writeFile(this.verdicts, verdictLines(verdicts), { mode: 0o600 });
    await symlink(this.#update, join(this.folder, 'update'));
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

export interface PreReceiveQuestion {
  /** Where the new objects are; undefined where the push brought none. */
  readonly quarantine: string | undefined;
  readonly updates: readonly RefUpdate[];
}

/**
 * What `pre-receive` asks over descriptor 3. Undefined where the push never came to it. @throws {Internal} for a
 * question that is none.
 */
export async function readPreReceive(process: GitProcess, limit: number): Promise<PreReceiveQuestion | undefined> {
  let text = '';
  for await (const chunk of process.pipe(3).setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    if (text.length > limit) throw new Internal('A git hook said too much');
    if (text.endsWith('END\n')) return parsed(text);
  }
  return undefined;
}

function parsed(text: string): PreReceiveQuestion {
  const [first = '', ...lines] = text.split('\n').slice(0, -2);
  const updates = lines.map((line) => {
    const [, before, after, ref] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (refs\/.+)$/.exec(line) ?? [];
    if (before === undefined || after === undefined || ref === undefined)
      throw new Internal('A git hook asked something that is no ref update');
    return { ref, old: before, new: after };
  });
  const quarantine = first.slice(2);
  return { quarantine: quarantine === '' ? undefined : quarantine, updates };
}

/** Answers over descriptor 4: undefined lets the push go on to its refs, sentences refuse it whole. */
export function answerPreReceive(process: GitProcess, refusals: readonly string[] | undefined): void {
  process.pipe(4).end(refusals === undefined ? 'ok\n' : `no\n${refusals.map((sentence) => `${sentence}\n`).join('')}`);
}

/** The lines of the file that `update` reads. */
function verdictLines(verdicts: readonly RefVerdict[]): string {
  return verdicts
    .flatMap(({ ref, refusal }) => (refusal === undefined ? [] : [`${ref}\t${oneLine(refusal)}\n`]))
    .join('');
}

/** A sentence without what a terminal would obey. */
export function oneLine(sentence: string): string {
  return sentence.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim() || 'refused';
}
