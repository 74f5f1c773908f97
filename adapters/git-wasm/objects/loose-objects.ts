// Reads and writes loose objects: gitrepository-layout(5). Synchronous: for worker threads alone.
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { constants, deflateSync, inflateSync } from 'node:zlib';
import { Internal, Unprocessable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-objects';
import { errnoOf } from '#adapters/git-common/files/errno';
import { largestObject, type ObjectType, type StoredObject } from '../packs/formats.ts';

/** Bytes of the header before an object: its type, its size and a NUL. */
const longestHead = 64;

const pathOf = (folder: string, oid: Oid): string => `${folder}/${oid.slice(0, 2)}/${oid.slice(2)}`;

function missing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error))) throw error;
  return undefined;
}

function bytesAt(folder: string, oid: Oid): Buffer | undefined {
  try {
    return readFileSync(pathOf(folder, oid));
  } catch (error) {
    return missing(error);
  }
}

export const hasLoose = (folder: string, oid: Oid): boolean =>
  statSync(pathOf(folder, oid), { throwIfNoEntry: false }) !== undefined;

/** Bytes of its file; 0 for a missing file. */
export const looseBytes = (folder: string, oid: Oid): number =>
  statSync(pathOf(folder, oid), { throwIfNoEntry: false })?.size ?? 0;

export function looseHeader(
  folder: string,
  oid: Oid,
): { readonly type: ObjectType; readonly size: number; readonly head: number; readonly bytes: Buffer } | undefined {
  const bytes = bytesAt(folder, oid);
  if (bytes === undefined) return undefined;
  const begin = inflateSync(bytes.subarray(0, 4 * longestHead), { finishFlush: constants.Z_SYNC_FLUSH });
  const head = begin.subarray(0, longestHead).indexOf(0);
  const [, type, size] = /^(commit|tree|blob|tag) (\d{1,15})$/.exec(begin.toString('latin1', 0, head)) ?? [];
  if (head < 0 || type === undefined) throw new Internal('A loose object is broken', { detail: oid });
  return { type: type as ObjectType, size: Number(size), head: head + 1, bytes };
}

export function readLoose(folder: string, oid: Oid): StoredObject | undefined {
  const header = looseHeader(folder, oid);
  if (header === undefined) return undefined;
  const { type, size, head, bytes } = header;
  if (size > largestObject)
    throw new Unprocessable('An object is too large to be read', {
      detail: `"${oid}" has ${size} bytes; ${largestObject} are allowed`,
    });
  const whole = inflateSync(bytes, { maxOutputLength: head + size + 1, chunkSize: Math.max(64, head + size + 1) });
  if (whole.length !== head + size) throw new Internal('A loose object is broken', { detail: oid });
  return { type, content: whole.subarray(head) };
}

/** The oids of all loose objects, with the time at which each was written. */
export function* looseOids(folder: string, digits = ''): Generator<readonly [oid: Oid, writtenAt: number]> {
  const wanted = digits.slice(0, 2);
  for (const name of namesIn(folder)) {
    if (!/^[0-9a-f]{2}$/.test(name) || (wanted !== '' && name !== wanted)) continue;
    for (const rest of namesIn(join(folder, name))) {
      const oid = name + rest;
      if (!/^[0-9a-f]{38}$/.test(rest) || !oid.startsWith(digits)) continue;
      const found = statSync(join(folder, name, rest), { throwIfNoEntry: false });
      if (found !== undefined) yield [oid, found.mtimeMs];
    }
  }
}

export const removeLoose = (folder: string, oid: Oid): void => rmSync(pathOf(folder, oid), { force: true });

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return missing(error) ?? [];
  }
}

export const hashOf = (type: ObjectType, content: Uint8Array): Oid =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

/** Writes an object, durable when this returns. */
export function writeLoose(folder: string, { type, content }: StoredObject): Oid {
  const oid = hashOf(type, content);
  const path = pathOf(folder, oid);
  if (hasLoose(folder, oid)) return oid;
  mkdirSync(join(folder, oid.slice(0, 2)), { recursive: true, mode: 0o700 });
  const draft = join(folder, oid.slice(0, 2), `tmp_obj_${randomUUID()}`);
  try {
    const fd = openSync(draft, 'wx', 0o400);
    try {
      writeSync(fd, deflateSync(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  for (const each of [join(folder, oid.slice(0, 2)), folder]) syncFolderNow(each);
  return oid;
}

export function syncFolderNow(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
