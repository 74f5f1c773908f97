// Refs: single ones read from their files without a process, lists by for-each-ref, and the one place where user text is resolved.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Internal } from '#core/kernel/errors';
import { zeroOid, type Oid, type Ref } from '#core/repositories/git-backend';
import { ignoreAbsence } from './durable.ts';
import { hiddenRefs } from './environment.ts';
import type { Lane } from './lane.ts';
import { Lru } from './lru.ts';
import { isLegalName, isLegalRef, isOid } from './names.ts';
import type { Objects, Place } from './objects.ts';
import type { GitProcesses } from './process.ts';

const prefixes = { branches: ['refs/heads/'], tags: ['refs/tags/'], all: [] } as const;
const format = '%(objectname) %(objecttype) %(refname)';
/** A symbolic ref may lead to another; more than this is a loop. */
const deepest = 5;

interface PackedRefs {
  /** Inode, size and time: git replaces the file, it never writes into it. */
  readonly version: string;
  readonly oids: ReadonlyMap<string, Oid>;
}

export class Refs {
  readonly #objects: Objects;
  readonly #processes: GitProcesses;
  readonly #lane: Lane;
  readonly #deadlineMs: number;
  /** Weighed by refs. */
  readonly #packed = new Lru<PackedRefs>(200_000);

  constructor(parts: { readonly objects: Objects; readonly processes: GitProcesses; readonly lane: Lane; readonly deadlineMs: number }) {
    this.#objects = parts.objects;
    this.#processes = parts.processes;
    this.#lane = parts.lane;
    this.#deadlineMs = parts.deadlineMs;
  }

  /** The oid a full ref name (or `HEAD`) has now. */
  async read(place: Place, name: string): Promise<Oid | undefined> {
    let current = name;
    for (let depth = 0; depth < deepest; depth += 1) {
      // The loose file first: packing a ref writes the packed one before it removes the loose one.
      const text = (await readFile(join(place.directory, current), 'utf8').catch(ignoreAbsence))?.trim();
      if (text === undefined || text === '') return (await this.#packedRefs(place)).get(current);
      if (isOid(text)) return text;
      const target = /^ref:\s*(refs\/.+)$/.exec(text)?.[1];
      if (target === undefined || !isLegalRef(target)) return undefined;
      current = target;
    }
    return undefined;
  }

  async readAll(place: Place, names: readonly string[]): Promise<readonly Oid[]> {
    return await Promise.all(names.map(async (name) => (isLegalRef(name) ? await this.read(place, name) : undefined) ?? zeroOid));
  }

  async list(place: Place, kind: keyof typeof prefixes): Promise<readonly Ref[]> {
    const { code, stdout, complaint } = await this.#lane.run(() => this.#processes.run([`--git-dir=${place.directory}`, 'for-each-ref', `--format=${format}`, '--', ...prefixes[kind]], { directory: place.directory, deadlineMs: this.#deadlineMs, maxOutput: 256 * 1024 ** 2 }));
    if (code !== 0) throw new Internal(`git for-each-ref failed in repository "${place.id}"`, { detail: complaint });
    const lines = stdout.toString('utf8').split('\n');
    return await Promise.all(lines.flatMap((line) => {
      const [, oid, type, name] = /^([0-9a-f]{40}) (\w+) (.+)$/.exec(line) ?? [];
      return oid === undefined || name === undefined || name.startsWith(`${hiddenRefs}/`) ? [] : [this.#ref(place, oid, type === 'tag', name)];
    }));
  }

  async resolve(place: Place, revision: string): Promise<Oid | undefined> {
    const named = revision === 'HEAD' ? ['HEAD'] : [
      ...(isLegalName('branch', revision) ? [`refs/heads/${revision}`] : []),
      ...(isLegalName('tag', revision) ? [`refs/tags/${revision}`] : []),
      ...(revision.startsWith('refs/') && !revision.startsWith(`${hiddenRefs}/`) && isLegalRef(revision) ? [revision] : []),
    ];
    for (const name of named) {
      const oid = await this.read(place, name);
      if (oid !== undefined) return await this.#objects.peel(place, oid);
    }
    if (!/^[0-9a-f]{4,40}$/i.test(revision)) return undefined;
    const digits = revision.toLowerCase();
    const oid = await this.#objects.peel(place, digits);
    // git also tries such digits as a ref of its own kind (`refs/<digits>`): only an object that begins with them is meant here.
    return oid === undefined || oid.startsWith(digits) || isOid(digits) ? oid : await this.#tagObject(place, digits, oid);
  }

  /** An abbreviated oid may be of an annotated tag. */
  async #tagObject(place: Place, digits: string, oid: Oid): Promise<Oid | undefined> {
    const found = await this.#objects.header(place, digits);
    return found?.type === 'tag' && found.oid.startsWith(digits) ? oid : undefined;
  }

  async #ref(place: Place, oid: Oid, annotated: boolean, name: string): Promise<Ref> {
    const peeled = annotated ? await this.#objects.peel(place, oid) : undefined;
    return peeled === undefined ? { name, oid } : { name, oid, peeled };
  }

  async #packedRefs(place: Place): Promise<ReadonlyMap<string, Oid>> {
    const path = join(place.directory, 'packed-refs');
    const found = await stat(path, { bigint: true }).catch(ignoreAbsence);
    if (found === undefined) return new Map();
    const version = `${found.ino} ${found.size} ${found.mtimeNs}`;
    const known = this.#packed.get(place.directory);
    if (known?.version === version) return known.oids;
    const oids = new Map<string, Oid>();
    for (const line of (await readFile(path, 'utf8')).split('\n')) {
      if (isOid(line.slice(0, 40)) && line[40] === ' ') oids.set(line.slice(41), line.slice(0, 40));
    }
    this.#packed.set(place.directory, { version, oids }, 1 + oids.size);
    return oids;
  }
}
