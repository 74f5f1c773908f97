// Reads git's files of refs (gitrepository-layout(5)): loose files take precedence over `packed-refs`.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Lru } from '#core/kernel/limits/lru';
import { zeroOid, type Oid, type Ref } from '#core/repositories/git/git-backend';
import { errnoOf, ignoreMissing } from '#adapters/git-common/files/errno';
import { isLegalRef, isOid, nameOf } from '#adapters/git-common/names';

/** A symbolic ref may point to another one. A longer chain is taken for a loop. */
const deepest = 5;
/** Milliseconds. A file may be written again within the tick of its clock, so it is not cached before. */
const settledMs = 100;
/** Files read at the same time. */
const atOnce = 64;

type Loose = { readonly oid: Oid } | { readonly target: string } | 'broken';

/** The oids of refs by name (bytes as latin1), in git's order. */
export type PackedRefs = ReadonlyMap<string, Oid>;

export class RefFiles {
  readonly #packed = new Lru<PackedRefs>(200_000);
  /** The list of a folder of refs, and the text it was made from. */
  readonly #lists = new Lru<{ readonly text: string; readonly refs: readonly Ref[] }>(200_000);

  /** The current oid of a full ref name, or of `HEAD`. */
  async read(directory: string, name: string): Promise<Oid | undefined> {
    let raw = Buffer.from(name, 'utf8').toString('latin1');
    for (let depth = 0; depth < deepest; depth += 1) {
      // The loose file first: a packed ref is written before its loose file is removed.
      const loose = await looseRef(directory, raw);
      if (loose === 'broken') return undefined;
      if (loose === undefined) return (await this.packed(directory)).get(raw);
      if ('oid' in loose) return loose.oid;
      raw = loose.target;
    }
    return undefined;
  }

  /** The refs below `prefix`, the name of a folder. Returns the same array while no ref changes. */
  async list(directory: string, prefix: string): Promise<readonly Ref[]> {
    const names = await looseNames(directory, prefix);
    const found = new Map<string, Oid>();
    for (let at = 0; at < names.length; at += atOnce)
      await Promise.all(
        names.slice(at, at + atOnce).map(async (raw) => {
          const oid = await this.#resolved(directory, raw);
          if (oid !== undefined) found.set(raw, oid);
        }),
      );
    for (const [raw, oid] of await this.packed(directory))
      if (raw.startsWith(prefix) && !found.has(raw)) found.set(raw, oid);
    // If the repository was removed meanwhile, the list is not complete.
    if (found.size === 0) await stat(join(directory, 'HEAD'));
    const sorted = [...found].filter(([, oid]) => oid !== zeroOid).sort(([one], [other]) => (one < other ? -1 : 1));
    const text = sorted.map(([raw, oid]) => `${oid} ${raw}`).join('\n');
    const key = `${directory}:${prefix}`;
    const known = this.#lists.get(key);
    if (known?.text === text) return known.refs;
    const refs = sorted.flatMap(([raw, oid]) => {
      const name = nameOf(raw);
      return name === undefined ? [] : [{ name, oid }];
    });
    this.#lists.set(key, { text, refs }, 1 + refs.length);
    return refs;
  }

  async packed(directory: string): Promise<PackedRefs> {
    const path = join(directory, 'packed-refs');
    const found = await stat(path, { bigint: true }).catch(ignoreMissing);
    if (found === undefined) return new Map();
    const key = `${path} ${found.ino} ${found.size} ${found.mtimeNs}`;
    const known = this.#packed.get(key);
    if (known !== undefined) return known;
    const refs = parsePacked((await readFile(path, 'latin1').catch(ignoreMissing)) ?? '');
    if (Date.now() - Number(found.mtimeMs) > settledMs) this.#packed.set(key, refs, 1 + refs.size);
    return refs;
  }

  /** The zero oid for a broken ref, which hides a packed one of its name; undefined if it was packed meanwhile. */
  async #resolved(directory: string, raw: string): Promise<Oid | undefined> {
    const loose = await looseRef(directory, raw);
    if (loose === undefined) return undefined;
    if (loose === 'broken') return zeroOid;
    return 'oid' in loose ? loose.oid : ((await this.read(directory, nameOf(loose.target) ?? '')) ?? zeroOid);
  }
}

/** Undefined if it has no loose file. */
export async function looseRef(directory: string, raw: string): Promise<Loose | undefined> {
  const text = await readFile(pathOf(directory, raw), 'latin1').catch((error: unknown) =>
    errnoOf(error) === 'ELOOP' ? undefined : ignoreMissing(error),
  );
  if (text === undefined) return undefined;
  const oid = text.slice(0, 40);
  if (isOid(oid) && oid !== zeroOid && (text.length === 40 || /^\s/.test(text[40] ?? ''))) return { oid };
  const target = text.startsWith('ref:') ? text.slice('ref:'.length, 1200).trim() : '';
  return target.startsWith('refs/') && isLegalRef(nameOf(target) ?? '') ? { target } : 'broken';
}

/** The raw full names of the loose files below a folder of refs, without those that git ignores. */
export async function looseNames(directory: string, folder: string): Promise<readonly string[]> {
  const entries =
    (await readdir(pathOf(directory, folder), { withFileTypes: true, encoding: 'buffer' }).catch(ignoreMissing)) ?? [];
  const names: string[] = [];
  for (const entry of entries) {
    const raw = `${folder}${entry.name.toString('latin1')}`;
    if (!isLegalRef(nameOf(raw) ?? '')) continue;
    if (entry.isDirectory()) names.push(...(await looseNames(directory, `${raw}/`)));
    else names.push(raw);
  }
  return names;
}

export const pathOf = (directory: string, raw: string): Buffer =>
  Buffer.concat([Buffer.from(`${directory}/`, 'utf8'), Buffer.from(raw, 'latin1')]);

function parsePacked(text: string): PackedRefs {
  const refs = new Map<string, Oid>();
  for (const line of text.split('\n')) {
    const oid = line.slice(0, 40);
    if (line[40] === ' ' && isOid(oid) && nameOf(line.slice(41)) !== undefined) refs.set(line.slice(41), oid);
  }
  return refs;
}
