// Makes commits for the API: the objects and the pack are built here and pushed through receive-pack, so that the same
// checks apply as to any push.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { Internal, Unprocessable } from '#core/kernel/errors';
import { zeroOid, type Oid } from '#core/repositories/git/git-backend';
import type { FileWrite } from '#core/repositories/git/git-history';
import { parseCommitRecord } from '../history/commits.ts';
import type { Objects } from '../objects/objects.ts';
import { Tree, type RawEntry } from '../objects/tree.ts';
import { TimeSlice } from '#adapters/git-common/waiting/time-slice';
import { pathSegments } from '#adapters/git-common/names';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Located } from '../storage/visits.ts';
import { commitContent } from '#adapters/git-common/objects/commit-content';
import { ownPush } from './own-push.ts';
import type { ReceivePack } from './receive-pack.ts';

/** gitformat-pack(5), "Object types". */
const types = { commit: 1, tree: 2, blob: 3 } as const;

interface MadeObject {
  readonly type: keyof typeof types;
  readonly oid: Oid;
  readonly content: Uint8Array;
}

const compressElsewhere = promisify(deflate);
/**
 * Bytes. Smaller contents are compressed faster on this thread than on another one. A path may contain thousands of
 * folders.
 */
const compressedHere = 4096;
/** Bytes hashed and sent per event loop iteration, so that a large file does not delay other requests. */
const stretch = 1024 * 1024;

const none = new Tree(Buffer.alloc(0));

export function write(objects: Objects, receivePack: ReceivePack): Located<'write'> {
  return async (location, change, hooks) => {
    const blob = change.file === undefined ? undefined : await made('blob', change.file.content);
    const trees = await changedTrees(objects, location, change, blob?.oid);
    const root = trees.at(-1);
    if (root === undefined) throw new Internal('A commit was made without a tree');
    const parents = change.parent === zeroOid ? [] : [change.parent];
    const commit = await made('commit', commitContent({ ...change, tree: root.oid, parents }));
    const pack = packOf([...(blob === undefined ? [] : [blob]), ...trees, commit]);
    const update = { ref: change.ref, old: change.old ?? change.parent, new: commit.oid };
    const refusal = await ownPush(receivePack, location, update, pack, hooks);
    return { commit: parseCommitRecord(commit.oid, Buffer.from(commit.content)), blob: blob?.oid, refusal };
  };
}

/** The folders that change, from the innermost to the root. */
async function changedTrees(
  objects: Objects,
  location: RepositoryLocation,
  { parent, path, file }: FileWrite,
  blob: Oid | undefined,
): Promise<readonly MadeObject[]> {
  const names = [...(pathSegments(path) ?? [])];
  const name = names.pop();
  if (name === undefined) throw new Unprocessable('The path names no file', { detail: `path: "${path}"` });
  const folders = await presentFolders(objects, location, parent, names);
  const trees: MadeObject[] = [];
  let entry: RawEntry | undefined = blob === undefined ? undefined : { mode: file?.mode ?? '100644', oid: blob };
  for (const [index, key] of [...names, name].entries().toArray().reverse()) {
    const content = (folders[index] ?? none).with(key, entry);
    const tree = await made('tree', content);
    // git stores no empty folders except the root.
    if (content.length > 0 || index === 0) trees.push(tree);
    entry = content.length === 0 ? undefined : { mode: '040000', oid: tree.oid };
  }
  return trees;
}

/**
 * The present folders of a path, from the root; empty for folders that do not exist yet.
 * @throws {Unprocessable} if a name on the path is not a folder.
 */
async function presentFolders(
  objects: Objects,
  location: RepositoryLocation,
  parent: Oid,
  names: readonly string[],
): Promise<readonly Tree[]> {
  const commit = parent === zeroOid ? undefined : await objects.commit(location, parent);
  if (commit === undefined && parent !== zeroOid)
    throw new Internal('A branch leads to no commit', { detail: `commit: "${parent}"` });
  const read = async (oid: Oid): Promise<Tree> => (await objects.tree(location, oid)) ?? none;
  let tree = commit === undefined ? none : await read(commit.tree);
  const folders = [tree];
  for (const name of names) {
    const entry = await tree.find(name);
    if (entry !== undefined && entry.mode !== '040000')
      throw new Unprocessable('The path leads through what is no folder', {
        detail: `path: "${name}" is a file, a link or a submodule`,
      });
    tree = entry === undefined ? none : await read(entry.oid);
    folders.push(tree);
  }
  return folders;
}

async function made(type: MadeObject['type'], content: Uint8Array): Promise<MadeObject> {
  const hash = createHash('sha1').update(`${type} ${content.length}\0`);
  for (let at = 0; at < content.length; at += stretch) {
    hash.update(content.subarray(at, at + stretch));
    if (content.length > stretch) await new Promise((resolve) => setImmediate(resolve));
  }
  return { type, content, oid: hash.digest('hex') };
}

/** A pack in the format of gitformat-pack(5). */
async function* packOf(objects: readonly MadeObject[]): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha1');
  for await (const piece of pieces(partsOf(objects))) {
    hash.update(piece);
    yield piece;
  }
  yield hash.digest();
}

async function* partsOf(objects: readonly MadeObject[]): AsyncGenerator<Uint8Array> {
  const head = Buffer.alloc(12);
  head.write('PACK', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  yield head;
  const slice = new TimeSlice();
  for (const { type, content } of objects) {
    yield objectHeader(types[type], content.length);
    yield content.length > compressedHere ? await compressElsewhere(content) : deflateSync(content);
    if (slice.over) await slice.rest();
  }
}

/** Joins small parts and cuts large ones, so that each event loop iteration handles about `stretch` bytes. */
async function* pieces(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [joined, bytes]: [Uint8Array[], number] = [[], 0];
  for await (const part of parts) {
    joined.push(part);
    bytes += part.length;
    if (bytes < stretch) continue;
    const whole = Buffer.concat(joined, bytes);
    for (let at = 0; at < bytes; at += stretch) {
      yield whole.subarray(at, at + stretch);
      await new Promise((resolve) => setImmediate(resolve));
    }
    [joined, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(joined, bytes);
}

/** The type and four bits of the length, then seven bits at a time. */
function objectHeader(type: number, length: number): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(length / 16);
  let byte = (type << 4) | (length % 16);
  for (; rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
  }
  return Buffer.from([...bytes, byte]);
}
