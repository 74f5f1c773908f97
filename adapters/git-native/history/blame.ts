// Blame, the commit that last changed each line: `git blame --porcelain`, parsed as it streams.
import { Buffer } from 'node:buffer';
import { Internal, Unavailable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git-backend';
import type { BlamedLine, Signature } from '#core/repositories/git-history';
import type { GitProcesses } from '../process/git-process.ts';
import type { Limiter } from '../process/limiter.ts';
import { refuseTooCostly } from '../process/too-costly.ts';
import { pathSegments } from '../refs/names.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { dateOf } from './commits.ts';
import { SingleFlightCache } from './single-flight-cache.ts';

type Answer = { readonly lines: readonly BlamedLine[] | undefined };

export class Blames {
  readonly #processes: GitProcesses;
  readonly #heavy: Limiter;
  readonly #deadlineMs: number;
  /** Weighed by characters. */
  readonly #known = new SingleFlightCache<Answer>(16_000_000, ({ lines = [] }) =>
    lines.reduce((weight, { content }) => weight + 60 + content.length, 100),
  );

  constructor(parts: { readonly processes: GitProcesses; readonly heavy: Limiter; readonly deadlineMs: number }) {
    this.#processes = parts.processes;
    this.#heavy = parts.heavy;
    this.#deadlineMs = parts.deadlineMs;
  }

  async of(
    location: RepositoryLocation,
    commit: Oid,
    path: string,
    signal?: AbortSignal,
  ): Promise<readonly BlamedLine[] | undefined> {
    if (path === '' || pathSegments(path) === undefined) return undefined;
    return (
      await this.#known.get(
        `${location.id}:${commit}:${path}`,
        signal,
        (inner) => this.#compute(location, commit, path, inner),
        this.#heavy,
      )
    ).lines;
  }

  forget(location: RepositoryLocation): void {
    this.#known.forget(`${location.id}:`);
  }

  async #compute(location: RepositoryLocation, commit: Oid, path: string, signal: AbortSignal): Promise<Answer> {
    // `blame` knows no --end-of-options: it is given an oid alone.
    const process = await this.#processes.start(
      [`--git-dir=${location.directory}`, 'blame', '--porcelain', commit, '--', path],
      { directory: location.directory, deadlineMs: this.#deadlineMs, signal },
    );
    process.stdin.end();
    const output = new BlameOutputParser();
    for await (const chunk of process.output()) output.take(chunk);
    const { code } = await process.ended;
    signal.throwIfAborted();
    refuseTooCostly(process, 'blame');
    if (code === null)
      throw new Unavailable(`git blame was stopped: ${process.stopped ?? 'by a signal'}`, {
        detail: 'Try again later',
      });
    if (code === 128 && process.stderr.startsWith('fatal: no such path')) return { lines: undefined };
    if (code !== 0) throw new Internal(`git blame failed in repository "${location.id}"`, { detail: process.stderr });
    return { lines: output.lines };
  }
}

/** git-blame(1), "THE PORCELAIN FORMAT": a commit is described before the first of its lines alone. */
class BlameOutputParser {
  readonly lines: BlamedLine[] = [];
  readonly #authors = new Map<Oid, { name: string; email: string; date: Date }>();
  #rest: Buffer = Buffer.alloc(0);
  #oid: Oid = '';

  take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
      this.#line(bytes.toString('utf8', from, end));
      from = end + 1;
    }
    this.#rest = bytes.subarray(from);
  }

  #line(line: string): void {
    if (line.startsWith('\t')) {
      const author: Signature = this.#author();
      this.lines.push({ content: line.slice(1), oid: this.#oid, author });
    } else if (/^[0-9a-f]{40} \d/.test(line)) {
      this.#oid = line.slice(0, 40);
    } else if (line.startsWith('author ')) {
      this.#author().name = line.slice('author '.length);
    } else if (line.startsWith('author-mail ')) {
      this.#author().email = line.slice('author-mail '.length).replace(/^<|>$/g, '');
    } else if (line.startsWith('author-time ')) {
      this.#author().date = dateOf(line.slice('author-time '.length));
    }
  }

  #author(): { name: string; email: string; date: Date } {
    const author = this.#authors.get(this.#oid) ?? { name: '', email: '', date: new Date(0) };
    this.#authors.set(this.#oid, author);
    return author;
  }
}
