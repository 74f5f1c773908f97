// Converts folder entries, files and written files to JSON.
import { languageOf, type DirectoryEntry, type FileBlob, type Written } from 'hexforge/repositories';
import { presentCommit } from '../commits/present.ts';
import type { BlobJson, EntryJson, WrittenJson } from './schemas.ts';

export const presentEntry = ({ name, path, type, size, mode, lastCommit }: DirectoryEntry): EntryJson => ({
  name,
  path,
  type: type === 'directory' ? 'dir' : type,
  size,
  mode,
  last_commit_message: lastCommit?.subject ?? null,
  last_commit_date: lastCommit?.committedAt.toISOString() ?? null,
});

export const presentBlob = ({ path, content, isBinary, lang, size, sha }: FileBlob): BlobJson => ({
  path,
  encoding: content === undefined ? 'none' : 'base64',
  content:
    content === undefined ? '' : Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64'),
  is_binary: isBinary,
  lang,
  size,
  sha,
});

export const presentWritten = ({ file, commit }: Written): WrittenJson => ({
  content:
    file === undefined
      ? null
      : {
          name: file.path.slice(file.path.lastIndexOf('/') + 1),
          path: file.path,
          sha: file.oid,
          size: file.size,
          mode: file.mode,
          lang: languageOf(file.path),
        },
  commit: presentCommit(commit),
});
