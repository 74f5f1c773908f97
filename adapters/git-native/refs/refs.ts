// Refs by name and in lists, with annotated tags peeled, and the resolution of revisions (user text to a commit oid).
import { createHash } from 'node:crypto';
import { mergeRefs, zeroOid, type Oid, type Ref, type RefList } from '#core/repositories/git/git-backend';
import { refsNamed } from '#core/repositories/git/ref-names';
import type { Objects } from '../objects/objects.ts';
import { hiddenRefs } from '../process/environment.ts';
import type { Foundation } from '../foundation.ts';
import { fewFiles } from '#adapters/git-common/files/few-files';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { isLegalRef, isOid } from '#adapters/git-common/names';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import { TimeSlice } from '#adapters/git-common/waiting/time-slice';
import { Abbreviations } from './abbreviations.ts';
import { RefFiles, type StoredRef } from './ref-files.ts';
import { WithParts } from '../with-parts.ts';

/** Excludes hidden refs, and the refs of merge requests, whose number is not bounded. */
const isListed = (name: string): boolean => !name.startsWith(`${hiddenRefs}/`) && !name.startsWith(`${mergeRefs}/`);

const prefixes = { branches: 'refs/heads/', tags: 'refs/tags/', all: 'refs/' } as const;

export class Refs extends WithParts<Foundation & { readonly objects: Objects }> {
  readonly #files = new RefFiles();
  readonly #abbreviations = new Abbreviations({ ...this.parts, files: this.#files });
  /** By the oid of a tag or a commit, the commit it leads to. */
  readonly #peeled = new SingleFlightCache<Oid | undefined>(50_000, () => 1);
  /** By the array they were made from, which stays the same while no ref changes. */
  readonly #lists = new WeakMap<readonly StoredRef[], Promise<RefList>>();

  /** The current oid of a full ref name (or of `HEAD`). */
  async read(location: RepositoryLocation, name: string): Promise<Oid | undefined> {
    return await this.#files.read(location, name);
  }

  async readAll(location: RepositoryLocation, names: readonly string[]): Promise<readonly Oid[]> {
    return await fewFiles(
      names,
      async (name) => (isLegalRef(name) ? await this.read(location, name) : undefined) ?? zeroOid,
    );
  }

  async list(location: RepositoryLocation, kind: keyof typeof prefixes): Promise<readonly Ref[]> {
    const stored = (await this.#files.list(location, prefixes[kind])).filter(({ ref }) => isListed(ref.name));
    // Branches, of which there may be thousands, need no promises.
    if (!stored.some(({ mayBeTag }) => mayBeTag)) return stored.map(({ ref }) => ref);
    return await Promise.all(
      stored.map(async ({ ref, mayBeTag }) => (mayBeTag ? await this.#peeledRef(location, ref) : ref)),
    );
  }

  /** The oids of all refs, including hidden ones. */
  async oids(location: RepositoryLocation): Promise<ReadonlySet<Oid>> {
    return new Set((await this.#files.list(location, prefixes.all)).map(({ ref }) => ref.oid));
  }

  /** Returns the same list while no ref changes. Tags are not peeled. */
  async all(location: RepositoryLocation, kind: keyof typeof prefixes): Promise<RefList> {
    const stored = await this.#files.list(location, prefixes[kind]);
    const known = this.#lists.get(stored) ?? listed(stored);
    this.#lists.set(stored, known);
    return await known;
  }

  async resolve(location: RepositoryLocation, revision: string): Promise<Oid | undefined> {
    const digits = /^[0-9a-f]{4,40}$/i.test(revision) ? revision.toLowerCase() : '';
    // All 40 digits name an object even if a ref is called so, as in git: no ref may hide a commit to which others
    // link.
    const meant = isOid(digits) ? await this.#peel(location, digits) : undefined;
    return (
      meant ??
      (await this.#named(location, revision)) ??
      (digits === '' || isOid(digits) ? undefined : await this.#abbreviations.resolve(location, digits))
    );
  }

  async #named(location: RepositoryLocation, revision: string): Promise<Oid | undefined> {
    const named =
      revision === 'HEAD'
        ? ['HEAD']
        : refsNamed(revision).filter((name) => isLegalRef(name) && !name.startsWith(`${hiddenRefs}/`));
    for (const name of named) {
      const oid = await this.read(location, name);
      // A branch points to a commit, and HEAD to a branch.
      if (oid !== undefined)
        return name === 'HEAD' || name.startsWith('refs/heads/') ? oid : await this.#peel(location, oid);
    }
    return undefined;
  }

  async #peeledRef(location: RepositoryLocation, ref: Ref): Promise<Ref> {
    const peeled = await this.#peel(location, ref.oid);
    return peeled === undefined || peeled === ref.oid ? ref : { ...ref, peeled };
  }

  async #peel(location: RepositoryLocation, oid: Oid): Promise<Oid | undefined> {
    return await this.#peeled.get(`${location.cacheKey}:${oid}`, undefined, () =>
      this.parts.objects.peel(location, oid),
    );
  }
}

async function listed(stored: readonly StoredRef[]): Promise<RefList> {
  const slice = new TimeSlice();
  const hash = createHash('sha256');
  const refs: Ref[] = [];
  for (const { ref } of stored) {
    if (!isListed(ref.name)) continue;
    refs.push(ref);
    hash.update(`${ref.oid} ${ref.name}\n`);
    if (slice.over) await slice.rest();
  }
  return { refs, digest: hash.digest('hex') };
}
