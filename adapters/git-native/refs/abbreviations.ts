// Commits by the first digits of their oid. Only commits to which a visible ref leads are found: otherwise a reader
// could find removed commits, which stay on disk until the next cleanup, by trying digits.
import { broughtRefs, type Oid } from '#core/repositories/git/git-backend';
import { fewFiles } from '../files/few-files.ts';
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
  /** Whether a ref leads to a commit, while the refs are those of a number. */
  readonly #reached = new SingleFlightCache<boolean>(20_000, () => 1);
  /** A number for each list of refs, which is the same array while no ref changes. */
  readonly #numbers = new WeakMap<readonly StoredRef[], number>();
  #last = 0;

  /** Undefined if no commit, or more than one, begins with the digits. */
  async resolve(location: RepositoryLocation, digits: string): Promise<Oid | undefined> {
    const alike = await this.parts.interactive.run(() => this.#alike(location, digits));
    if (alike.length > mostAlike) return undefined;
    const stored = await this.parts.files.list(location, 'refs/');
    const commits = await fewFiles(alike, (oid) => this.#named(location, oid, stored));
    const [commit, ...others] = commits.filter((found) => found !== undefined);
    return others.length === 0 ? commit : undefined;
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

  /** The commit that an object is, or that a tag leads to. Undefined if no ref leads there. */
  async #named(location: RepositoryLocation, oid: Oid, stored: readonly StoredRef[]): Promise<Oid | undefined> {
    const { objects, heavy } = this.parts;
    const type = (await objects.header(location, oid))?.type;
    if (type === 'tag')
      return stored.some(({ ref }) => ref.oid === oid && isVisible(ref.name))
        ? await objects.peel(location, oid)
        : undefined;
    if (type !== 'commit') return undefined;
    const number = this.#numbers.get(stored) ?? (this.#last += 1);
    this.#numbers.set(stored, number);
    const key = `${location.cacheKey}:${number}:${oid}`;
    const isReached = await this.#reached.get(key, undefined, () => this.#isReached(location, oid, stored), heavy);
    return isReached ? oid : undefined;
  }

  /** git-rev-list(1): the commit is not listed if a ref leads to it. */
  async #isReached(location: RepositoryLocation, commit: Oid, stored: readonly StoredRef[]): Promise<boolean> {
    const { processes, deadlineMs } = this.parts;
    const tips = new Set(stored.filter(({ ref }) => isVisible(ref.name)).map(({ ref }) => ref.oid));
    if (tips.has(commit)) return true;
    const { stdout } = await processes.runIn(location, ['rev-list', '--max-count=1', '--ignore-missing', '--stdin'], {
      input: [commit, ...[...tips].map((tip) => `^${tip}`), ''].join('\n'),
      deadlineMs,
      maxCode: 0,
    });
    return stdout.length === 0;
  }
}

const isVisible = (name: string): boolean => !name.startsWith(`${hiddenRefs}/`) && !name.startsWith(`${broughtRefs}/`);
