// Pushes of clients, and the commits that the server itself makes and pushes.
import type { GitBackend } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import type { Objects } from '../objects/objects.ts';
import type { Refs } from '../refs/refs.ts';
import { Hooks } from './hooks.ts';
import { ReceivePack } from './receive-pack.ts';
import { write } from './write-commit.ts';

export function pushes(foundation: Foundation, { objects, refs }: { readonly objects: Objects; readonly refs: Refs }) {
  const { inside, root, removals } = foundation;
  const hooks = new Hooks(root, removals);
  const receivePack = new ReceivePack({ ...foundation, refs, hooks });
  const methods = {
    receivePack: inside((...asked) => receivePack.receive(...asked)),
    write: inside(write(objects, receivePack)),
  } satisfies Partial<GitBackend>;
  return { hooks, receivePack, methods };
}
