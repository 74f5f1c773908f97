// Lists everything below a folder.
import type { Granted } from '#core/kernel/access/access';
import { Unprocessable } from '#core/kernel/errors';
import type { GitBackend, Oid, TreeEntry } from '../git/git-backend.ts';
import type { Repository } from '../model/repository.ts';
import type { Bounded } from './answer-bounds.ts';
import { entryAt, isUnborn } from './revisions.ts';

/** An entry below a folder. */
export interface TreeItem {
  readonly path: string;
  readonly type: TreeEntry['type'];
  readonly size: number;
  /** The history is not walked. */
  readonly lastCommit: undefined;
}

/** Bounds of one walk: each folder is one object of git. */
const walkLimits = { entries: 5000, folders: 1000 } as const;

/**
 * All entries below a folder, each folder before its entries. An incomplete walk ends at some path in this order.
 * @throws {NotFound | Unprocessable}
 */
export const walkTree =
  ({ git }: { readonly git: GitBackend }) =>
  async (
    { resource, call }: Granted<Repository, 'repo.read'>,
    command: { readonly path: string; readonly ref?: string | undefined },
  ): Promise<Bounded<TreeItem>> => {
    const { path, ref = 'HEAD' } = command;
    if (
      path === '' &&
      (await git.resolveCommit(resource.id, ref)) === undefined &&
      (await isUnborn(git, resource, ref))
    )
      return { items: [], truncated: false };
    const { entry } = await entryAt(git, resource, command);
    if (entry.type !== 'directory')
      throw new Unprocessable(`"${path}" is no folder`, { detail: 'read_file reads files' });
    const items: TreeItem[] = [];
    let [folders, truncated] = [0, false];
    const walk = async (oid: Oid, folder: string): Promise<void> => {
      if (folders === walkLimits.folders) truncated = true;
      if (truncated) return;
      folders += 1;
      call.signal.throwIfAborted();
      const listing = await git.tree(resource.id, oid);
      for (const { name, type, size, oid: inner } of listing.entries) {
        if (items.length === walkLimits.entries) truncated = true;
        if (truncated) return;
        const full = folder === '' ? name : `${folder}/${name}`;
        items.push({ path: full, type, size, lastCommit: undefined });
        if (type === 'directory') await walk(inner, full);
      }
      truncated ||= listing.truncated;
    };
    await walk(entry.oid, path);
    return { items, truncated };
  };
