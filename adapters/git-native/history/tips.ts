// Summaries of the objects that refs point to: commits and annotated tags, read by oid and kept in an LRU cache.
import type { Oid } from '#core/repositories/git/git-backend';
import type { Tip } from '#core/repositories/git/git-refs';
import { fewFiles } from '#adapters/git-common/files/few-files';
import { subjectOf, type Commits } from './commits.ts';
import type { Objects } from '../objects/objects.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import { largestTag, tagOf } from '#adapters/git-common/objects/tag';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Located } from '../storage/visits.ts';
import { isOid } from '#adapters/git-common/names';

/** Objects read at the same time: their contents are held in memory. */
const atOnce = 500;

export function tips(objects: Objects, commits: Commits): Located<'tips'> {
  /** Weighed by characters. */
  const known = new SingleFlightCache<Tip | undefined>(8_000_000, (tip) => 200 + lengthOf(tip));
  const read = async (location: RepositoryLocation, oid: Oid): Promise<Tip | undefined> => {
    const header = await objects.header(location, oid);
    if (header?.type === 'commit') {
      const commit = await commits.one(location, oid);
      return (
        commit && {
          kind: 'commit',
          subject: subjectOf(commit),
          author: commit.author.name,
          committedAt: commit.committer.date,
        }
      );
    }
    if (header?.type !== 'tag') return header && { kind: 'other' };
    const commit = await objects.peel(location, oid);
    if (header.size > largestTag) return { kind: 'other', commit };
    const object = await objects.contents(location, oid);
    return object && { ...tagOf(object.content), commit };
  };
  return async (location, oids) => {
    const wanted = [...new Set(oids)].filter(isOid);
    const one = (oid: Oid) => known.get(`${location.cacheKey}:${oid}`, undefined, () => read(location, oid));
    const found = await fewFiles(wanted, one, atOnce);
    return new Map(wanted.flatMap((oid, index) => (found[index] === undefined ? [] : [[oid, found[index]]])));
  };
}

function lengthOf(tip: Tip): number {
  if (tip.kind === 'other') return 0;
  return tip.kind === 'tag' ? tip.message.length : tip.subject.length + tip.author.length;
}
