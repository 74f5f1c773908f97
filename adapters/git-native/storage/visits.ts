// Work in a repository on disk, which another process may remove in the meantime.
import type { GitBackend } from '#core/repositories/git/git-backend';
import type { Removals } from '../files/removals.ts';
import { absent, type Repositories, type RepositoryLocation } from './repositories.ts';

/** A method of the port, with a location in place of the id of a repository. */
export type Located<M extends keyof GitBackend> = GitBackend[M] extends (
  repository: string,
  ...rest: infer A
) => infer R
  ? (location: RepositoryLocation, ...rest: A) => R
  : never;

/** Turns work in a location into a method that is called with the id of the repository. */
type Visit = <A extends readonly unknown[], R>(
  work: (location: RepositoryLocation, ...rest: A) => Promise<R>,
) => (repository: string, ...rest: A) => Promise<R>;

export function visits(repositories: Repositories, removals: Removals) {
  /** Throws `NotFound` instead of the error of git if the repository was removed. */
  const orAbsent = async <T>(location: RepositoryLocation, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw (await repositories.gone(location)) ? absent(location.id) : error;
    }
  };
  /** Removes what git wrote in place of a removed repository; never rejects. */
  const clear = (location: RepositoryLocation): Promise<void> =>
    removals.remove(location.directory, () => repositories.discardRemains(location));
  const inside: Visit =
    (work) =>
    async (repository, ...rest) => {
      const location = await repositories.existing(repository);
      return await orAbsent(location, work(location, ...rest));
    };
  /** For short reads: checks that the repository exists while the read is running. */
  const looking: Visit =
    (work) =>
    async (repository, ...rest) => {
      const location = repositories.location(repository);
      const reading = Promise.all([work(location, ...rest), repositories.existing(repository)]);
      return (await orAbsent(location, reading))[0];
    };
  /** Like `inside`, for writes: git recreates folders of a repository that was removed, and they are removed here. */
  const changing: Visit =
    (work) =>
    async (repository, ...rest) => {
      try {
        return await inside(work)(repository, ...rest);
      } finally {
        await clear(repositories.location(repository));
      }
    };
  return { clear, inside, looking, changing };
}
