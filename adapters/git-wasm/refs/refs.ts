// Refs as callers see them: lists with annotated tags peeled, and the resolution of revisions (user text to a commit).
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Lru } from '#core/kernel/limits/lru';
import { ValidationFailed } from '#core/kernel/errors';
import { trim } from '#core/kernel/trim';
import { broughtRefs, mergeRefs, zeroOid, type Oid, type Ref, type RefList } from '#core/repositories/git/git-backend';
import type { NewTag } from '#core/repositories/git/git-refs';
import { refsNamed } from '#core/repositories/git/ref-names';
import type { Foundation } from '../foundation.ts';
import { isLegalName, isLegalRef, isOid } from '#adapters/git-common/names';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { RefFiles } from './ref-files.ts';

/** Refs for the server's own use: never advertised, never fetched, never pushed to. */
export const hiddenRefs = 'refs/hexforge';
/** Objects that begin with the same digits. With more the digits are ambiguous in any case. */
const mostAlike = 1000;
/** Objects read by one task, so that other reads need not wait for thousands. */
const readAtOnce = 500;

/** Excludes hidden refs, and the refs of merge requests, whose number is not bounded. */
const isListed = (name: string): boolean => !name.startsWith(`${hiddenRefs}/`) && !name.startsWith(`${mergeRefs}/`);
const isVisible = (name: string): boolean => !name.startsWith(`${hiddenRefs}/`) && !name.startsWith(`${broughtRefs}/`);

const prefixes = { branches: 'refs/heads/', tags: 'refs/tags/', all: 'refs/' } as const;
export type RefKind = keyof typeof prefixes;

export class Refs {
  readonly #parts: Foundation & { readonly refFiles: RefFiles };
  /** By the array they were made from, which stays the same while no ref changes. */
  readonly #lists = new WeakMap<readonly Ref[], RefList>();
  /** By the oid of a tag, the commit it leads to, or ''. */
  readonly #peeled = new Lru<Oid | ''>(50_000);

  constructor(parts: Foundation & { readonly refFiles: RefFiles }) {
    this.#parts = parts;
  }

  /** All refs, including hidden ones. */
  async stored({ directory }: RepositoryLocation): Promise<readonly Ref[]> {
    return await this.#parts.refFiles.list(directory, prefixes.all);
  }

  async readAll({ directory }: RepositoryLocation, names: readonly string[]): Promise<readonly Oid[]> {
    const found: Oid[] = [];
    for (const name of names)
      found.push((isLegalRef(name) ? await this.#parts.refFiles.read(directory, name) : undefined) ?? zeroOid);
    return found;
  }

  async list(location: RepositoryLocation, kind: RefKind): Promise<readonly Ref[]> {
    const { refs } = await this.all(location, kind);
    const peeled = await this.peeled(location, refs);
    return refs.map((ref) => {
      const target = peeled.get(ref.oid);
      return target === undefined || target === ref.oid ? ref : { ...ref, peeled: target };
    });
  }

  /** Returns the same list while no ref changes. Tags are not peeled. */
  async all({ directory }: RepositoryLocation, kind: RefKind): Promise<RefList> {
    const stored = await this.#parts.refFiles.list(directory, prefixes[kind]);
    const known = this.#lists.get(stored);
    if (known !== undefined) return known;
    const refs = stored.filter(({ name }) => isListed(name));
    const hash = createHash('sha256');
    for (const { name, oid } of refs) hash.update(`${oid} ${name}\n`);
    const list = { refs, digest: hash.digest('hex') };
    this.#lists.set(stored, list);
    return list;
  }

  /** The commits that those of the refs lead to that are not branches, by oid. */
  async peeled(location: RepositoryLocation, refs: readonly Ref[]): Promise<ReadonlyMap<Oid, Oid>> {
    const wanted = [...new Set(refs.filter(({ name }) => !name.startsWith(prefixes.branches)).map(({ oid }) => oid))];
    const commits = await this.#peel(location, wanted);
    return new Map(wanted.flatMap((oid, index) => (commits[index] === undefined ? [] : [[oid, commits[index]]])));
  }

  /** The full name of the branch that `HEAD` points to. */
  async headBranch({ directory }: RepositoryLocation): Promise<string | undefined> {
    const text = await readFile(join(directory, 'HEAD'), 'utf8');
    return /^ref: (refs\/heads\/[^\n]+)\n?$/.exec(text)?.[1];
  }

  async resolve(location: RepositoryLocation, revision: string): Promise<Oid | undefined> {
    const digits = /^[0-9a-f]{4,40}$/i.test(revision) ? revision.toLowerCase() : '';
    // All 40 digits name an object even if a ref is called so, as in git.
    const meant = isOid(digits) ? (await this.#peel(location, [digits]))[0] : undefined;
    return (
      meant ??
      (await this.#named(location, revision)) ??
      (digits === '' || isOid(digits) ? undefined : await this.#abbreviated(location, digits))
    );
  }

  /** Only commits to which a visible ref leads: otherwise a reader could find removed commits by trying digits. */
  async #abbreviated(location: RepositoryLocation, digits: string): Promise<Oid | undefined> {
    const { threads } = this.#parts;
    const tips = new Set((await this.stored(location)).filter(({ name }) => isVisible(name)).map(({ oid }) => oid));
    const most = mostAlike + 1;
    const alike = await threads.run('beginningWith', location, { digits, most }, { kind: 'read' });
    if (alike.length > mostAlike) return undefined;
    const tagged = await this.#peel(
      location,
      alike.filter(({ oid, type }) => type === 'tag' && tips.has(oid)).map(({ oid }) => oid),
    );
    const commits = alike.filter(({ type }) => type === 'commit').map(({ oid }) => oid);
    const asked = commits.filter((oid) => !tips.has(oid));
    const reached =
      asked.length === 0
        ? []
        : await threads.run('reached', location, { tips: [...tips], commits: asked }, { kind: 'compute' });
    const found = [...commits.filter((oid) => tips.has(oid)), ...reached, ...tagged.filter((oid) => oid !== undefined)];
    return found.length === 1 ? found[0] : undefined;
  }

  async #named(location: RepositoryLocation, revision: string): Promise<Oid | undefined> {
    const named =
      revision === 'HEAD'
        ? ['HEAD']
        : refsNamed(revision).filter((name) => isLegalRef(name) && !name.startsWith(`${hiddenRefs}/`));
    for (const name of named) {
      const oid = await this.#parts.refFiles.read(location.directory, name);
      if (oid === undefined) continue;
      // A branch points to a commit, and HEAD to a branch.
      return name === 'HEAD' || name.startsWith(prefixes.branches) ? oid : (await this.#peel(location, [oid]))[0];
    }
    return undefined;
  }

  async #peel(location: RepositoryLocation, oids: readonly Oid[]): Promise<readonly (Oid | undefined)[]> {
    const keyOf = (oid: Oid): string => `${location.cacheKey}:${oid}`;
    const unknown = oids.filter((oid) => this.#peeled.get(keyOf(oid)) === undefined);
    const fresh = new Map<Oid, Oid | undefined>();
    for (let at = 0; at < unknown.length; at += readAtOnce) {
      const part = unknown.slice(at, at + readAtOnce);
      const found = await this.#parts.threads.run('peel', location, part, { kind: 'read' });
      for (const [index, oid] of part.entries()) {
        const { isThere, commit } = found[index] ?? { isThere: false, commit: undefined };
        fresh.set(oid, commit);
        // An object that is missing may be pushed later.
        if (isThere) this.#peeled.set(keyOf(oid), commit ?? '');
      }
    }
    return oids.map((oid) => (fresh.has(oid) ? fresh.get(oid) : this.#peeled.get(keyOf(oid)) || undefined));
  }
}

/** The content of an annotated tag. @throws {ValidationFailed} */
export function tagContent({ name, commit, message, tagger }: NewTag): Buffer {
  if (!isLegalName('tag', name) || !isOid(commit))
    throw new ValidationFailed('The tag has a name git does not allow', {
      detail: `name: ${JSON.stringify(name.slice(0, 200))}`,
    });
  const { name: who, email, date } = tagger;
  const text = [
    `object ${commit}`,
    'type commit',
    `tag ${name}`,
    `tagger ${plain(who) || 'unknown'} <${plain(email)}> ${Math.floor(date.getTime() / 1000)} +0000`,
    '',
    `${message.replaceAll('\0', '').trimEnd()}\n`,
  ].join('\n');
  return Buffer.from(text.toWellFormed());
}

/** Removes what git leaves out of a name or address, and what would end its line. */
const plain = (text: string): string =>
  trim(text.replaceAll(/[<>\p{Cc}]/gu, ''), (character) => ' .,:;"\'\\'.includes(character));
