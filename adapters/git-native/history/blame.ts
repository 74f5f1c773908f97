// Who wrote which line: `git blame --porcelain` read as it comes.
import { Buffer } from 'node:buffer';
import { Internal, Unavailable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git-backend';
import type { BlamedLine, Signature } from '#core/repositories/git-history';
import { dateOf } from './commits.ts';
import type { Lane } from '../process/limiter.ts';
import { Memo } from './single-flight-cache.ts';
import { segments } from '../refs/names.ts';
import type { Place } from '../objects/objects.ts';
import type { GitProcesses } from '../process/git-process.ts';

type Answer = { readonly lines: readonly BlamedLine[] | undefined };

export class Blames {
  readonly #processes: GitProcesses;
  readonly #heavy: Lane;
  readonly #deadlineMs: number;
  /** Weighed by characters. */
  readonly #known = new Memo<Answer>(16_000_000, ({ lines = [] }) =>
    lines.reduce((weight, { content }) => weight + 60 + content.length, 100),
  );

  constructor(parts: { readonly processes: GitProcesses; readonly heavy: Lane; readonly deadlineMs: number }) {
    this.#processes = parts.processes;
    this.#heavy = parts.heavy;
    this.#deadlineMs = parts.deadlineMs;
  }

  async of(place: Place, commit: Oid, path: string, signal?: AbortSignal): Promise<readonly BlamedLine[] | undefined> {
    if (path === '' || segments(path) === undefined) return undefined;
    return (
      await this.#known.get(`${place.id}:${commit}:${path}`, signal, (inner) =>
        this.#heavy.run(() => this.#compute(place, commit, path, inner), inner),
      )
    ).lines;
  }

  forget(place: Place): void {
    this.#known.forget(`${place.id}:`);
  }

  async #compute(place: Place, commit: Oid, path: string, signal: AbortSignal): Promise<Answer> {
    // `blame` knows no --end-of-options: it is given an oid alone.
    const process = await this.#processes.start(
      [`--git-dir=${place.directory}`, 'blame', '--porcelain', commit, '--', path],
      { directory: place.directory, deadlineMs: this.#deadlineMs, signal },
    );
    process.stdin.end();
    const output = new BlameOutput();
    for await (const chunk of process.output()) output.take(chunk);
    const { code } = await process.ended;
    signal.throwIfAborted();
    if (code === null)
      throw new Unavailable(`git blame was stopped: ${process.stopped ?? 'by a signal'}`, {
        detail: 'Try again later',
      });
    if (code === 128 && process.complaint.startsWith('fatal: no such path')) return { lines: undefined };
    if (code !== 0) throw new Internal(`git blame failed in repository "${place.id}"`, { detail: process.complaint });
    return { lines: output.lines };
  }
}

/** git-blame(1), "THE PORCELAIN FORMAT": a commit is described before the first of its lines alone. */
class BlameOutput {
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
