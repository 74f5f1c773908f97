// The git hooks of a push: `pre-receive` requests a decision about all refs from this process over inherited pipes, and
// `update` rejects single refs.
import { isUtf8 } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Internal } from '#core/kernel/errors';
import type { RefUpdate, RefVerdict } from '#core/repositories/git/git-backend';
import type { GitProcess } from '../process/git-process.ts';
import { fewFiles } from '#adapters/git-common/files/few-files';
import { keepFiles } from '../files/kept-files.ts';
import type { Removals } from '../files/removals.ts';
import { refUpdateIn } from '#adapters/git-common/push/commands';

/**
 * The environment variable with the folder that contains a verdict file per ref (`verdictFile`). It is inside the
 * folder of the push and is removed with it.
 */
export const verdictsVariable = 'HEXFORGE_VERDICTS';
/** The name of a verdict file, in a folder with the name of the ref. No component of a ref can have this name. */
const verdictFile = '.verdict';
const scripts: Readonly<Record<string, string>> = {
  'pre-receive': `#!/bin/sh
{ printf 'Q %s\\n' "$GIT_QUARANTINE_PATH" && cat && printf 'END\\n'; } >&3 || exit 1
IFS= read -r verdict <&4 || exit 1
[ "$verdict" = ok ] && exit 0
cat <&4 >&2
exit 1
`,
  // Runs once per ref, so it reads only the file of this ref. Rejects if the file is missing or belongs to another ref.
  update: `#!/bin/sh
exec 5<"$${verdictsVariable}/$1/${verdictFile}" || exit 1
IFS= read -r ref <&5 && [ "$ref" = "$1" ] && IFS= read -r verdict <&5 || exit 1
[ "$verdict" = ok ] && exit 0
printf '%s\\n' "\${verdict#no }" >&2
exit 1
`,
};

/** The scripts, in a folder named by a hash of their content, so that two versions of the server can share a root. */
export class Hooks {
  readonly folder: string;
  readonly #removals: Removals;

  constructor(root: string, removals: Removals) {
    this.#removals = removals;
    this.folder = join(root, '.hooks', createHash('sha256').update(JSON.stringify(scripts)).digest('hex').slice(0, 16));
  }

  /**
   * Writes missing or changed scripts. git ignores a hook that it cannot execute, which would accept every push, so
   * this is called before each push.
   * @throws {Internal} if the hooks cannot be executed.
   */
  async ready(): Promise<void> {
    await keepFiles(this.folder, scripts, 0o700);
    await Promise.all(Object.keys(scripts).map((name) => access(join(this.folder, name), constants.X_OK))).catch(
      (cause: unknown) => {
        throw new Internal(
          `The git hooks in "${this.folder}" cannot be executed: is the data directory mounted with noexec?`,
          { cause },
        );
      },
    );
  }

  /**
   * Makes the folder of one push, for `core.hooksPath`.
   * @param parent a folder that only this process removes.
   */
  async open(parent: string) {
    await this.ready();
    const folder = join(parent, randomUUID());
    const verdicts = join(folder, 'verdicts');
    /** Never rejects. */
    const close = (): Promise<void> => this.#removals.remove(folder);
    try {
      await mkdir(folder, { mode: 0o700 });
      await symlink(join(this.folder, 'pre-receive'), join(folder, 'pre-receive'));
    } catch (error) {
      await close();
      throw error;
    }
    /** `update` costs a process per ref, so it is installed only if some refs are rejected and others accepted. */
    const refuseSome = async (all: readonly RefVerdict[]): Promise<void> => {
      await fewFiles(all, async (verdict) => {
        const place = join(verdicts, verdict.ref);
        await mkdir(place, { recursive: true, mode: 0o700 });
        await writeFile(join(place, verdictFile), verdictText(verdict), { mode: 0o600 });
      });
      await symlink(join(this.folder, 'update'), join(folder, 'update'));
    };
    return { folder, verdicts, refuseSome, close };
  }
}

/** The hooks of one push. */
export type PushHooks = Awaited<ReturnType<Hooks['open']>>;

export interface PreReceiveQuestion {
  /** The directory of the new objects; undefined if the push contains no objects. */
  readonly quarantine: string | undefined;
  readonly updates: readonly RefUpdate[];
}

/**
 * Reads the request of `pre-receive` from descriptor 3. Undefined if the push ended before it.
 * @throws {Internal} for a malformed request.
 */
export async function readPreReceive(process: GitProcess, limit: number): Promise<PreReceiveQuestion | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of process.pipe(3) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > limit) throw new Internal('A git hook said too much');
    tail = Buffer.concat([tail, chunk]).subarray(-end.length);
    if (tail.equals(end)) return parsed(Buffer.concat(chunks));
  }
  return undefined;
}

/** A separate line, because the name of a ref may end in the same letters. */
const end = Buffer.from('\nEND\n');

function parsed(bytes: Buffer): PreReceiveQuestion {
  const firstEnd = bytes.indexOf('\n');
  const asked = bytes.subarray(firstEnd + 1, 1 - end.length);
  // Decoded as text, it would be another name than that of the ref that git moves.
  if (!isUtf8(asked)) throw new Internal('A git hook asked about a ref that is no UTF-8');
  const first = bytes.toString('utf8', 0, firstEnd);
  const lines = asked.toString('utf8').split('\n').slice(0, -1);
  const updates = lines.map((line) => {
    const update = refUpdateIn(line);
    if (update?.ref.startsWith('refs/') !== true)
      throw new Internal('A git hook asked something that is no ref update');
    return update;
  });
  const quarantine = first.slice(2);
  return { quarantine: quarantine === '' ? undefined : quarantine, updates };
}

/** Answers over descriptor 4: undefined lets the push continue, sentences reject all of it. */
export function answerPreReceive(process: GitProcess, refusals: readonly string[] | undefined): void {
  process.pipe(4).end(refusals === undefined ? 'ok\n' : `no\n${refusals.map((sentence) => `${sentence}\n`).join('')}`);
}

/** The content of a verdict file: the ref, because a file system may fold two names into one, and its verdict. */
const verdictText = ({ ref, refusal }: RefVerdict): string =>
  `${ref}\n${refusal === undefined ? 'ok' : `no ${oneLine(refusal)}`}\n`;

/** Replaces characters of a sentence that a terminal would interpret. */
export function oneLine(sentence: string): string {
  return sentence.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim() || 'refused';
}
