// The URLs of submodules, from the file .gitmodules.
import type { Granted } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { shownText } from './texts.ts';

type Readable = Granted<Repository, 'repo.read'>;

/** The path of each submodule at a ref → its URL, if a browser can open it. */
export async function submoduleUrls(
  useCases: Pick<RepositoryUseCases, 'contents'>,
  granted: Readable,
  ref: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await useCases.contents(granted, { ref, path: '.gitmodules' }).catch(() => undefined);
  const blob = found?.kind === 'file' ? await found.read() : undefined;
  return blob?.type === 'file' ? urlsIn(shownText(blob) ?? '') : new Map();
}

/** Only http and https: the file is written by anyone who may push. */
function urlsIn(text: string): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  for (const section of text.split(/^\s*\[/m)) {
    const value = (name: string): string | undefined =>
      new RegExp(`^\\s*${name}\\s*=\\s*"?([^"\\n]{1,2000}?)"?\\s*$`, 'm').exec(section)?.[1];
    const url = URL.parse(value('url') ?? '');
    const path = value('path');
    const opens = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    if (path !== undefined && opens) urls.set(path, url.href);
  }
  return urls;
}
