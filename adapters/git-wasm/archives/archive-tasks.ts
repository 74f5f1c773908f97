// The task that packs the tree of a commit into an archive.
import { writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Internal, Unprocessable } from '#core/kernel/errors';
import type { ArchiveFormat, Oid } from '#core/repositories/git/git-backend';
import { longest } from '#core/repositories/git/clipping';
import { filesBelow } from '../objects/object-tasks.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { entryNamed } from '../objects/tree.ts';
import { spooled, type Spooled } from '../storage/spool.ts';
import type { TaskContext } from '../objects/task-context.ts';
import { ExportIgnore } from './export-ignore.ts';
import { Tar, type ArchivedFile } from './tar.ts';
import { Zip } from './zip.ts';

/** Bytes that are compressed at once, as one member of a gzip file (RFC 1952, section 2.2). */
const gathered = 4 * 1024 ** 2;
const emptyFolder = '040000';

export const archiveTasks = {
  /** @throws {Unprocessable} if a path is longer than `longest.path`. */
  archive: (
    { store }: TaskContext,
    {
      commit,
      format,
      prefix,
      folder,
    }: { readonly commit: Oid; readonly format: ArchiveFormat; readonly prefix: string; readonly folder: string },
  ): Spooled => {
    const found = store.commit(commit);
    if (found === undefined) throw new Internal('A commit is missing', { detail: commit });
    for (const { path } of filesBelow(store, found.tree, true))
      if (path.length > longest.path)
        throw new Unprocessable('There is no archive of this: a path in it is too long', {
          detail: `A path may have ${longest.path} bytes`,
        });
    const { fd, bytes } = spooled(folder, (file) => {
      const output = new Output(file, format === 'tar.gz');
      const archive = format === 'zip' ? new Zip(found.committed) : new Tar(found.committed);
      if (archive instanceof Tar) output.write(archive.head(commit));
      for (const entry of entries(store, found.tree, Buffer.from(prefix).toString('latin1')))
        output.write(archive.entry(entry));
      output.write(archive instanceof Tar ? archive.end() : archive.end(commit));
      output.end();
    });
    return { fd, bytes };
  },
};

function* entries(store: ObjectStore, tree: Oid, prefix: string): Generator<ArchivedFile> {
  const none = Buffer.alloc(0);
  if (prefix.endsWith('/')) yield { path: prefix, mode: emptyFolder, oid: tree, content: none };
  const rules: ExportIgnore[] = [];
  const enter = (folder: Oid, prefixOfFolder: string): void => {
    const attributes = entryNamed(store.tree(folder) ?? none, '.gitattributes');
    const isFile = attributes?.mode.startsWith('100') === true;
    const text = isFile ? (store.read(attributes.oid)?.content ?? none) : none;
    rules.push(new ExportIgnore(text, prefixOfFolder, rules.at(-1)));
  };
  const folders = [''];
  enter(tree, '');
  let ignored: string | undefined;
  for (const { path, mode, oid } of filesBelow(store, tree, true)) {
    store.check();
    while (folders.length > 1 && !path.startsWith(folders.at(-1) ?? '')) {
      folders.pop();
      rules.pop();
    }
    if (ignored !== undefined && path.startsWith(ignored)) continue;
    if (rules.at(-1)?.isIgnored(path, mode === emptyFolder) === true) {
      ignored = mode === emptyFolder ? `${path}/` : undefined;
      continue;
    }
    ignored = undefined;
    if (mode === emptyFolder) {
      folders.push(`${path}/`);
      enter(oid, `${path}/`);
    }
    const isFolder = mode === emptyFolder || mode === '160000';
    const content = isFolder ? none : store.read(oid)?.content;
    if (content === undefined) throw new Internal('A file is missing', { detail: oid });
    yield { path: `${prefix}${path}${isFolder ? '/' : ''}`, mode, oid, content };
  }
}

class Output {
  readonly #fd: number;
  readonly #isCompressed: boolean;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(fd: number, isCompressed: boolean) {
    this.#fd = fd;
    this.#isCompressed = isCompressed;
  }

  write(part: Buffer): void {
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes >= gathered) this.end();
  }

  end(): void {
    const whole = Buffer.concat(this.#parts, this.#bytes);
    const bytes = this.#isCompressed ? gzipSync(whole) : whole;
    for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    [this.#parts, this.#bytes] = [[], 0];
  }
}

type ArchiveTasks = typeof archiveTasks;

declare module '../threads/registry.ts' {
  interface Tasks extends ArchiveTasks {}
}
