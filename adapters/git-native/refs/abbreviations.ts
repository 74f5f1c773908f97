// Commits by the first digits of their oid. Only commits to which a visible ref leads are found: otherwise a reader
// could find removed commits, which stay on disk until the next cleanup, by trying digits.
import { broughtRefs, type Oid } from '#core/repositories/git/git-backend';
import { fewFiles } from '#adapters/git-common/files/few-files';
import type { Foundation } from '../foundation.ts';
import type { Objects } from '../objects/objects.ts';
import { hiddenRefs } from '../process/environment.ts';
import { linesOf } from '../process/records.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { WithParts } from '../with-parts.ts';
import type { RefFiles, StoredRef } from './ref-files.ts';

/** Objects that begin with the same digits. With more the digits are ambiguous in any case. */
const mostAlike = 1000;

type AbbreviationsParts = Foundation & { readonly objects: Objects; readonly files: RefFiles };

export class Abbreviations extends WithParts<AbbreviationsParts> {
  /** The commits that digits name, while the refs are those of a number: none, one, or several. */
  readonly #named = new SingleFlightCache<readonly Oid[]>(20_000, (oids) => 1 + oids.length);
  /** A number for each list of refs, which is the same array while no ref changes. */
  readonly #numbers = new WeakMap<readonly StoredRef[], number>();
  #last = 0;

  /** Undefined if no commit, or more than one, begins with the digits. */
  async resolve(location: RepositoryLocation, digits: string): Promise<Oid | undefined> {
    // Read before the objects: a ref that is written in between makes another list, so nothing outdated is cached.
    const stored = await this.parts.files.list(location, 'refs/');
    const alike = await this.parts.interactive.run(() => this.#alike(location, digits));
    if (alike.length > mostAlike) return undefined;
    const number = this.#numbers.get(stored) ?? (this.#last += 1);
    this.#numbers.set(stored, number);
    const key = `${location.cacheKey}:${number}:${digits}`;
    const commits = await this.#named.get(
      key,
      undefined,
      () => this.#visible(location, alike, stored),
      this.parts.heavy,
    );
    return commits.length === 1 ? commits[0] : undefined;
  }

  /** The oids of all objects that begin with the digits, up to one more than `mostAlike`. */
  async #alike(location: RepositoryLocation, digits: string): Promise<readonly Oid[]> {
    const { processes, limits } = this.parts;
    const deadlineMs = limits.readSeconds * 1000;
    const process = await processes.startIn(location, ['rev-parse', `--disambiguate=${digits}`], {
      input: '',
      urgent: true,
      deadlineMs,
    });
    const found: Oid[] = [];
    for await (const oids of linesOf(process)) {
      found.push(...oids);
      if (found.length <= mostAlike) continue;
      await process.stop('too many objects begin so');
      return found.slice(0, mostAlike + 1);
    }
    await process.success();
    return found;
  }

  /** The commits among these objects to which a visible ref leads, and those that tags among them lead to. */
  async #visible(
    location: RepositoryLocation,
    oids: readonly Oid[],
    stored: readonly StoredRef[],
  ): Promise<readonly Oid[]> {
    const { objects } = this.parts;
    const tips = new Set(stored.filter(({ ref }) => isVisible(ref.name)).map(({ ref }) => ref.oid));
    const types = await fewFiles(oids, async (oid) => (await objects.header(location, oid))?.type);
    const of = (type: string): readonly Oid[] => oids.filter((_, index) => types[index] === type);
    const tagged = await fewFiles(
      of('tag').filter((oid) => tips.has(oid)),
      (oid) => objects.peel(location, oid),
    );
    const commits = of('commit');
    const unreached = await this.#unreached(
      location,
      commits.filter((oid) => !tips.has(oid)),
      tips,
    );
    return [...commits.filter((oid) => !unreached.has(oid)), ...tagged.filter((oid) => oid !== undefined)];
  }

  /** The commits among these to which none of the tips leads. git-rev-list(1) lists them, with their ancestors. */
  async #unreached(
    location: RepositoryLocation,
    commits: readonly Oid[],
    tips: ReadonlySet<Oid>,
  ): Promise<ReadonlySet<Oid>> {
    if (commits.length === 0) return new Set();
    const { processes, deadlineMs } = this.parts;
    const process = await processes.startIn(location, ['rev-list', '--ignore-missing', '--stdin'], {
      input: [...commits, ...[...tips].map((tip) => `^${tip}`), ''].join('\n'),
      deadlineMs,
    });
    const asked = new Set(commits);
    const found = new Set<Oid>();
    for await (const oids of linesOf(process)) for (const oid of oids) if (asked.has(oid)) found.add(oid);
    await process.success();
    return found;
  }
}

const isVisible = (name: string): boolean => !name.startsWith(`${hiddenRefs}/`) && !name.startsWith(`${broughtRefs}/`);
