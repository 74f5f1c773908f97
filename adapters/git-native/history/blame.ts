// Blame, the commit that last changed each line: parses `git blame --porcelain` as it streams. Authors are those of the
// commits' records.
import { Unprocessable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import type { BlamedLine } from '#core/repositories/git/git-history';
import type { Foundation } from '../foundation.ts';
import type { GitProcess } from '../process/git-process.ts';
import { RecordReader } from '../process/records.ts';
import { pathSegments } from '#adapters/git-common/names';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Located } from '../storage/visits.ts';
import type { Commits } from './commits.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';

/** Bytes of one output line, which is a line of the file or a field of a commit. Longer lines are cut. */
const longestLine = 2 * 1024 ** 2;
/** Bytes of output. The fields of a commit can be as long as its message, so the output may far exceed the file. */
const mostOutput = 256 * 1024 ** 2;

type Line = Pick<BlamedLine, 'content' | 'oid'>;

export function blame({ processes, heavy, deadlineMs }: Foundation, commits: Commits): Located<'blame'> {
  /** Weighed by characters. */
  const known = new SingleFlightCache<{ readonly lines: readonly BlamedLine[] | undefined }>(
    8_000_000,
    ({ lines = [] }) => lines.reduce((weight, { content }) => weight + 60 + content.length, 100),
  );
  return async (location, commit, path, signal) => {
    if (path === '' || pathSegments(path) === undefined) return undefined;
    // `blame` does not support --end-of-options, so its revision is always an oid.
    const args = ['blame', '--porcelain', commit, '--', path];
    const start = (inner: AbortSignal) => processes.startIn(location, args, { input: '', deadlineMs, signal: inner });
    const blamed = async (inner: AbortSignal): Promise<readonly BlamedLine[] | undefined> => {
      const lines = await linesIn(await start(inner));
      return lines && (await withAuthors(commits, location, lines));
    };
    const key = `${location.cacheKey}:${commit}:${path}`;
    return (await known.get(key, signal, async (inner) => ({ lines: await blamed(inner) }), heavy)).lines;
  };
}

async function withAuthors(
  commits: Commits,
  location: RepositoryLocation,
  lines: readonly Line[],
): Promise<readonly BlamedLine[]> {
  const records = await commits.all(location, [...new Set(lines.map(({ oid }) => oid))]);
  const authors = new Map(records.map(({ oid, author }) => [oid, author]));
  const unknown = { name: '', email: '', date: new Date(0) };
  return lines.map((line) => ({ ...line, author: authors.get(line.oid) ?? unknown }));
}

/** Undefined if the file does not exist. */
async function linesIn(process: GitProcess): Promise<readonly Line[] | undefined> {
  const output = new BlameOutputParser();
  let bytes = 0;
  for await (const chunk of process.output()) {
    output.take(chunk);
    bytes += chunk.length;
    if (bytes <= mostOutput) continue;
    await process.stop('its answer is too long');
    throw new Unprocessable('The file is too large to be blamed', {
      detail: 'The commits it comes from say too much. Clone the repository and use git blame',
    });
  }
  const code = await process.exit();
  if (code === 128 && process.stderr.startsWith('fatal: no such path')) return undefined;
  if (code !== 0) throw process.failure();
  return output.lines;
}

/**
 * Parser of git-blame(1), "THE PORCELAIN FORMAT". The fields of a commit are not used: git takes them from the
 * `.mailmap` of the default branch.
 */
class BlameOutputParser {
  readonly lines: Line[] = [];
  readonly #records = new RecordReader(longestLine);
  #oid: Oid = '';

  take(chunk: Buffer): void {
    this.#records.push(chunk);
    for (let line = this.#records.next(0x0a); line !== undefined; line = this.#records.next(0x0a))
      this.#line(line.toString('utf8'));
  }

  #line(line: string): void {
    if (line.startsWith('\t')) this.lines.push({ content: line.slice(1), oid: this.#oid });
    else if (/^[0-9a-f]{40} \d/.test(line)) this.#oid = line.slice(0, 40);
  }
}
