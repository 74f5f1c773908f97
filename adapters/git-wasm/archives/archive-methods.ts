// Archives of a commit's tree, made in a temporary file and streamed from it.
import type { ArchiveFormat, GitBackend, Oid } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { release, spooledBytes, spoolOf } from '../storage/spool.ts';

export const archiveMethods = ({ inside, threads, root, limits }: Foundation) =>
  ({
    archive: inside(
      async (
        location,
        commit: Oid,
        options: { readonly format: ArchiveFormat; readonly prefix: string },
        signal?: AbortSignal,
      ) => {
        const request = { commit, ...options, folder: spoolOf(root) };
        const spool = await threads.run('archive', location, request, { kind: 'transfer', signal }, release);
        return spooledBytes(spool, { signal, idleSeconds: limits.idleSeconds });
      },
    ),
  }) satisfies Partial<GitBackend>;
