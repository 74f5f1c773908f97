// Summaries of the objects that refs point to: commits and annotated tags, read by oid and kept in an LRU cache.
import { clip } from '#core/kernel/clipping';
import { longest } from '#core/repositories/git/clipping';
import type { Oid } from '#core/repositories/git/git-backend';
import type { Tip } from '#core/repositories/git/git-refs';
import { fewFiles } from '../files/few-files.ts';
import { subjectOf, type Commits } from './commits.ts';
import { parseSignature } from './idents.ts';
import type { Objects } from '../objects/objects.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import { own } from '../objects/text.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Located } from '../storage/visits.ts';
import { isOid } from '../names.ts';

/** Bytes. A larger tag is not read, and has the kind `other`. */
const largestTag = 1024 * 1024;
/** git finds a signature by the beginnings of lines. It is the end of the message, from the last of such lines. */
const signature = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----/gm;
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
    return object && { ...parsed(object.content), commit };
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

/** git decodes no tag: its texts are UTF-8, whatever headers it has. */
function parsed(content: Buffer): Tip & { readonly kind: 'tag' } {
  const end = content.indexOf('\n\n');
  const lines = content.toString('utf8', 0, end < 0 ? content.length : end).split('\n');
  const header = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  const tagger = header('tagger');
  const message = end < 0 ? '' : content.toString('utf8', end + 2);
  const signed = [...message.matchAll(signature)].at(-1)?.index;
  return {
    kind: 'tag',
    target: own(header('object') ?? ''),
    message: own(clip(message.slice(0, signed).trim(), longest.message)),
    tagger: tagger === undefined ? undefined : parseSignature(tagger),
  };
}
