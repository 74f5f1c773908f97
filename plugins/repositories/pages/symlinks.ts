// The targets of symbolic links. A link is shown as its text, and never as the content of its target.
import type { Granted } from 'hexforge/plugin';
import type { FileBlob, Repository } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import type { At } from './folder-view.ts';
import { blobPath, treePath } from './links.ts';
import { foundAt } from './missing.ts';

const longestTarget = 4096;
const utf8 = new TextDecoder('utf-8');

export const symlinkText = ({ content }: FileBlob): string => utf8.decode(content?.subarray(0, longestTarget));

/** The path within the repository; undefined if it leads out of it. */
export function targetWithin(path: string, target: string): string | undefined {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return undefined;
  const segments = path.split('/').slice(0, -1);
  for (const segment of target.split('/')) {
    if (segment === '..' && segments.pop() === undefined) return undefined;
    if (segment !== '..' && segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

/** The page of the target; undefined if it does not exist at this ref. */
export async function targetPage(
  useCases: Pick<RepositoryUseCases, 'contents'>,
  granted: Granted<Repository, 'repo.read'>,
  { repository, ref, path }: At,
  link: FileBlob,
): Promise<string | undefined> {
  const target = targetWithin(path, symlinkText(link));
  if (target === undefined) return undefined;
  const found = await foundAt(useCases, granted, { ref, path: target });
  if (found === undefined) return undefined;
  return found.kind === 'directory' ? treePath(repository, ref, target) : blobPath(repository, ref, target);
}
