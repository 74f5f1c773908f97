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
  let section: Record<string, string> = {};
  const end = (): void => {
    const { path, url } = section;
    if (path !== undefined && url !== undefined && opens(url)) urls.set(path, url);
    section = {};
  };
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line.startsWith('[')) end();
    const [name = '', ...value] = line.split('=');
    section[name.trim()] = value.join('=').trim();
  }
  end();
  return urls;
}

function opens(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
