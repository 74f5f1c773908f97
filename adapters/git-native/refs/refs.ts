// Refs: single ones and lists of them, with what annotated tags lead to, and the one place where user text is resolved.
import { Lru } from '#core/kernel/lru';
import { zeroOid, type Oid, type Ref } from '#core/repositories/git-backend';
import { hiddenRefs } from '../process/environment.ts';
import { isLegalName, isLegalRef, isOid } from './names.ts';
import type { Objects, Place } from '../objects/objects.ts';
import { RefFiles } from './ref-files.ts';

const prefixes = { branches: 'refs/heads/', tags: 'refs/tags/', all: 'refs/' } as const;

export class Refs {
  readonly #objects: Objects;
  readonly #files = new RefFiles();
  /** By the oid of a tag or a commit, the commit it leads to. */
  readonly #peeled = new Lru<Oid>(50_000);

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** The oid a full ref name (or `HEAD`) has now. */
  async read(place: Place, name: string): Promise<Oid | undefined> {
    return await this.#files.read(place, name);
  }

  async readAll(place: Place, names: readonly string[]): Promise<readonly Oid[]> {
    return await Promise.all(
      names.map(async (name) => (isLegalRef(name) ? await this.read(place, name) : undefined) ?? zeroOid),
    );
  }

  async list(place: Place, kind: keyof typeof prefixes): Promise<readonly Ref[]> {
    const stored = (await this.#files.list(place, prefixes[kind])).filter(
      ({ ref }) => !ref.name.startsWith(`${hiddenRefs}/`),
    );
    // Branches, of which there may be thousands, are no reason for as many promises.
    if (!stored.some(({ mayBeTag }) => mayBeTag)) return stored.map(({ ref }) => ref);
    return await Promise.all(
      stored.map(async ({ ref, mayBeTag }) => (mayBeTag ? await this.#peeledRef(place, ref) : ref)),
    );
  }

  async resolve(place: Place, revision: string): Promise<Oid | undefined> {
    const digits = /^[0-9a-f]{4,40}$/i.test(revision) ? revision.toLowerCase() : '';
    // All of them are an object whatever a ref is called, as for git: no ref may stand before a commit that others link
    // to.
    const meant = isOid(digits) ? await this.#peel(place, digits) : undefined;
    return (
      meant ??
      (await this.#named(place, revision)) ??
      (digits === '' ? undefined : await this.#abbreviated(place, digits))
    );
  }

  async #named(place: Place, revision: string): Promise<Oid | undefined> {
    const named =
      revision === 'HEAD'
        ? ['HEAD']
        : [
            ...(isLegalName('branch', revision) ? [`refs/heads/${revision}`] : []),
            ...(isLegalName('tag', revision) ? [`refs/tags/${revision}`] : []),
            ...(revision.startsWith('refs/') && !revision.startsWith(`${hiddenRefs}/`) && isLegalRef(revision)
              ? [revision]
              : []),
          ];
    for (const name of named) {
      const oid = await this.read(place, name);
      // A branch is a commit, and HEAD a branch.
      if (oid !== undefined)
        return name === 'HEAD' || name.startsWith('refs/heads/') ? oid : await this.#peel(place, oid);
    }
    return undefined;
  }

  forget(place: Place): void {
    this.#peeled.forget(`${place.id}:`);
  }

  async #abbreviated(place: Place, digits: string): Promise<Oid | undefined> {
    const oid = await this.#objects.peel(place, digits);
    if (oid === undefined || oid.startsWith(digits)) return oid;
    // git also tries such digits as a ref of its own kind (`refs/<digits>`): only an object that begins with them is
    // meant here, which may be an annotated tag.
    const found = await this.#objects.header(place, digits);
    return found?.type === 'tag' && found.oid.startsWith(digits) ? oid : undefined;
  }

  async #peeledRef(place: Place, ref: Ref): Promise<Ref> {
    const peeled = await this.#peel(place, ref.oid);
    return peeled === undefined || peeled === ref.oid ? ref : { ...ref, peeled };
  }

  async #peel(place: Place, oid: Oid): Promise<Oid | undefined> {
    const key = `${place.id}:${oid}`;
    const known = this.#peeled.get(key);
    if (known !== undefined) return known;
    const peeled = await this.#objects.peel(place, oid);
    if (peeled !== undefined) this.#peeled.set(key, peeled);
    return peeled;
  }
}
