// Whether the caller of a call can push to another repository than the one that was decided for it.
import { changes } from '#core/kernel/access/access';
import type { Call } from '#core/kernel/caller';
import { HexforgeError } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import type { MergeParts } from '../model/parts.ts';

export async function canPush(
  access: MergeParts['access'],
  call: Call,
  { id, owner, name }: Pick<Repository, 'id' | 'owner' | 'name'>,
): Promise<boolean> {
  try {
    const path = { owner, repo: name };
    const { resource } = await access.decide(call, changes('repository', 'repo.write'), 'repo.write', path);
    return resource.id === id;
  } catch (error) {
    if (error instanceof HexforgeError && (error.kind === 'forbidden' || error.kind === 'not_found')) return false;
    throw error;
  }
}
