// Diffs between two commits, by one `git diff-tree`: changed files, line counts, and patches up to a size cap.
import { Buffer } from 'node:buffer';
import { Internal, Unavailable } from '#core/kernel/errors';
import { longest } from '#core/repositories/clipping';
import type { Oid } from '#core/repositories/git-backend';
import type { Difference, FileChange } from '#core/repositories/git-history';
import type { GitProcesses } from '../process/git-process.ts';
import type { Limiter } from '../process/limiter.ts';
import { RecordReader } from '../process/records.ts';
import { refuseTooCostly } from '../process/too-costly.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { SingleFlightCache } from './single-flight-cache.ts';

const mostFiles = 3000;
/** Characters of one file's patch, bytes of all: about what GitLab shows before one asks for more. */
const longestPatch = 128 * 1024;
const mostPatchBytes = 512 * 1024;
/** Bytes: more than the longest path that is told, whatever its characters take. */
const longestToken = 4 * longest.path;
/** The tree of nothing, which git knows without its being stored. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export class Diffs {
  readonly #processes: GitProcesses;
  readonly #heavy: Limiter;
  readonly #deadlineMs: number;
  /** Weighed by characters. */
  readonly #known = new SingleFlightCache<Difference>(16_000_000, ({ files }) =>
    files.reduce((weight, { path, patch }) => weight + 200 + path.length + (patch?.length ?? 0), 200),
  );

  constructor(parts: { readonly processes: GitProcesses; readonly heavy: Limiter; readonly deadlineMs: number }) {
    this.#processes = parts.processes;
    this.#heavy = parts.heavy;
    this.#deadlineMs = parts.deadlineMs;
  }

  async between(
    location: RepositoryLocation,
    from: Oid | undefined,
    to: Oid,
    signal?: AbortSignal,
  ): Promise<Difference> {
    const start = from ?? emptyTree;
    return await this.#known.get(
      `${location.id}:${start}:${to}`,
      signal,
      (inner) => this.#compute(location, start, to, inner),
      this.#heavy,
    );
  }

  forget(location: RepositoryLocation): void {
    this.#known.forget(`${location.id}:`);
  }

  async #compute(location: RepositoryLocation, from: Oid, to: Oid, signal: AbortSignal): Promise<Difference> {
    const args = [
      'diff-tree',
      '-r',
      '-M',
      '--raw',
      '--numstat',
      '-z',
      '-p',
      '--full-index',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      from,
      to,
      '--',
    ];
    const process = await this.#processes.start([`--git-dir=${location.directory}`, ...args], {
      directory: location.directory,
      deadlineMs: this.#deadlineMs,
      signal,
    });
    process.stdin.end();
    const output = new DiffOutputParser();
    for await (const chunk of process.output()) {
      if (output.take(chunk)) continue;
      await process.stop('its caps are reached');
      return output.difference(false);
    }
    const { code } = await process.ended;
    signal.throwIfAborted();
    refuseTooCostly(process, 'diff-tree');
    if (code === null)
      throw new Unavailable(`git diff-tree was stopped: ${process.stopped ?? 'by a signal'}`, {
        detail: 'Try again later, or compare commits that are closer',
      });
    if (code !== 0)
      throw new Internal(`git diff-tree failed in repository "${location.id}"`, { detail: process.stderr });
    return output.difference(true);
  }
}

type Listed = Omit<FileChange, 'additions' | 'deletions' | 'isBinary' | 'patch'> & {
  additions: number;
  deletions: number;
  isBinary: boolean;
  /** A file that became a link, or the like, is shown as one removed and one added. */
  readonly blocks: 1 | 2;
  /** Whether its path is too long to be told. */
  readonly nameless: boolean;
};

const statuses: Readonly<Record<string, FileChange['status']>> = { A: 'added', C: 'added', D: 'removed', R: 'renamed' };

/**
 * git-diff-tree(1), "RAW OUTPUT FORMAT" and "OTHER DIFF FORMATS", with -z: raw lines, counts in the same order, an
 * empty name, patches.
 */
export class DiffOutputParser {
  readonly #files: Listed[] = [];
  readonly #patches: Buffer[] = [];
  readonly #tokens = new RecordReader(longestToken);
  /** The line whose names are still to come, and those that came. */
  #open: { readonly line: string; readonly names: string[]; readonly awaited: number } | undefined;
  #inPatches = false;
  #patchBytes = 0;
  #listed = 0;
  #counted = 0;
  #additions = 0;
  #deletions = 0;

  /** Whether more is wanted. */
  take(chunk: Buffer): boolean {
    if (this.#inPatches) return this.#takePatch(chunk);
    this.#tokens.push(chunk);
    for (let token = this.#tokens.next(0); token !== undefined; token = this.#tokens.next(0)) {
      if (token.length === 0 && this.#open === undefined) {
        this.#inPatches = true;
        return this.#takePatch(this.#tokens.rest());
      }
      this.#token(token.toString('utf8'));
    }
    return true;
  }

  /** @param whole whether git came to its end. */
  difference(whole: boolean): Difference {
    const patches = this.#hunks(whole);
    const files = this.#files.flatMap(({ blocks: _blocks, nameless, ...file }, index) => {
      const patch = patches[index];
      return nameless ? [] : [patch === undefined ? file : { ...file, patch }];
    });
    return {
      files,
      truncated: files.length < this.#listed,
      additions: this.#additions,
      deletions: this.#deletions,
    };
  }

  #token(token: string): void {
    if (this.#open === undefined) {
      if (token.startsWith(':')) this.#open = { line: token, names: [], awaited: /[RC]\d*$/.test(token) ? 2 : 1 };
      else if (token.endsWith('\t')) this.#open = { line: token, names: [], awaited: 2 };
      else this.#count(token);
      return;
    }
    const { line, names, awaited } = this.#open;
    names.push(token);
    if (names.length < awaited) return;
    this.#open = undefined;
    if (line.startsWith(':')) this.#list(line, names);
    else this.#count(line);
  }

  #list(line: string, names: readonly string[]): void {
    this.#listed += 1;
    if (this.#files.length >= mostFiles) return;
    const nameless = names.some((name) => name.length > longest.path);
    const letter = /([A-Z])\d*$/.exec(line)?.[1] ?? 'M';
    this.#files.push({
      path: nameless ? '' : (names.at(-1) ?? ''),
      nameless,
      status: statuses[letter] ?? 'modified',
      ...(letter === 'R' && names[0] !== undefined && !nameless && { previousPath: names[0] }),
      additions: 0,
      deletions: 0,
      isBinary: false,
      blocks: letter === 'T' ? 2 : 1,
    });
  }

  #count(line: string): void {
    const [added = '', removed = ''] = line.split('\t', 2);
    const file = this.#files[this.#counted];
    this.#counted += 1;
    const additions = Number.parseInt(added, 10) || 0;
    const deletions = Number.parseInt(removed, 10) || 0;
    this.#additions += additions;
    this.#deletions += deletions;
    if (file !== undefined) Object.assign(file, { additions, deletions, isBinary: added === '-' });
  }

  #takePatch(chunk: Buffer): boolean {
    this.#patches.push(chunk);
    this.#patchBytes += chunk.length;
    return this.#patchBytes <= mostPatchBytes;
  }

  /** Patches by the index of their file. The last of an output that was cut is left out. */
  #hunks(whole: boolean): readonly (string | undefined)[] {
    const blocks = blocksOf(Buffer.concat(this.#patches).toString('utf8'));
    if (!whole) blocks.pop();
    let next = 0;
    return this.#files.map((file) => {
      const own = blocks.slice(next, next + file.blocks);
      next += file.blocks;
      if (file.isBinary || own.length < file.blocks) return undefined;
      const patch = own
        .flatMap((block) => {
          const from = block.indexOf('\n@@ ');
          return from < 0 ? [] : [block.slice(from + 1).replace(/\n$/, '')];
        })
        .join('\n');
      return patch === '' || patch.length > longestPatch ? undefined : patch;
    });
  }
}

/** Every line of content has a mark before it, so this one begins a file. */
const beginning = 'diff --git ';

function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  for (let from = text.startsWith(beginning) ? 0 : -1; from >= 0;) {
    const end = text.indexOf(`\n${beginning}`, from);
    blocks.push(text.slice(from, end < 0 ? text.length : end + 1));
    from = end < 0 ? -1 : end + 1;
  }
  return blocks;
}
