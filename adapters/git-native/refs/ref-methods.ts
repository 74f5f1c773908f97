// The reads and changes of refs.
import type { GitBackend } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { isLegalName } from '#adapters/git-common/names';
import type { Objects } from '../objects/objects.ts';
import { RefMover } from './move-refs.ts';
import { Refs } from './refs.ts';

export function refMethods(foundation: Foundation, objects: Objects) {
  const { inside, looking, changing } = foundation;
  const refs = new Refs({ ...foundation, objects });
  const mover = new RefMover(foundation);
  const methods = {
    isLegalName,
    resolveCommit: looking((...asked) => refs.resolve(...asked)),
    refs: inside((...asked) => refs.list(...asked)),
    refList: inside((...asked) => refs.all(...asked)),
    readRefs: inside((...asked) => refs.readAll(...asked)),
    moveRefs: changing((...asked) => mover.move(...asked)),
    writeTag: changing((...asked) => mover.writeTag(...asked)),
  } satisfies Partial<GitBackend>;
  return { refs, mover, methods };
}
