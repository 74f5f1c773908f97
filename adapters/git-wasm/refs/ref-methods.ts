// The reads and changes of refs.
import { Internal } from '#core/kernel/errors';
import { zeroOid, type GitBackend, type Oid, type RefUpdate } from '#core/repositories/git/git-backend';
import type { NewTag } from '#core/repositories/git/git-refs';
import type { Foundation } from '../foundation.ts';
import { isLegalName } from '#adapters/git-common/names';
import { assertUpdate, RefChanges } from './ref-changes.ts';
import { RefFiles } from './ref-files.ts';
import { Refs, tagContent, type RefKind } from './refs.ts';

export function refMethods(foundation: Foundation) {
  const { inside, changing, threads, locks } = foundation;
  const refFiles = new RefFiles();
  const refs = new Refs({ ...foundation, refFiles });
  const refChanges = new RefChanges(refFiles);
  const methods = {
    isLegalName,
    resolveCommit: inside((location, revision: string) => refs.resolve(location, revision)),
    refs: inside((location, kind: RefKind) => refs.list(location, kind)),
    refList: inside((location, kind: RefKind) => refs.all(location, kind)),
    readRefs: inside((location, names: readonly string[]) => refs.readAll(location, names)),
    moveRefs: changing((location, updates: readonly RefUpdate[]) => {
      for (const update of updates) assertUpdate(update);
      return locks.shared(location.id, async () => {
        const oids = updates.map((update) => update.new).filter((oid) => oid !== zeroOid);
        const types = oids.length === 0 ? [] : await threads.run('types', location, oids, { kind: 'read' });
        const missing = oids.find((_, index) => types[index] === undefined);
        if (missing !== undefined) throw new Internal('A ref cannot point to a missing object', { detail: missing });
        return await refChanges.move(location.directory, updates);
      });
    }),
    writeTag: changing(async (location, tag: NewTag): Promise<Oid> => {
      const content = tagContent(tag);
      return await threads.run('writeTag', location, content, { kind: 'read' });
    }),
  } satisfies Partial<GitBackend>;
  return { refs, refChanges, methods };
}
