// The targets of links and images: relative ones lead into the repository, and foreign ones are marked.
import type { MarkdownPlace } from './tasks.ts';

export interface Target {
  readonly href: string;
  /** Whether it is on another host. */
  readonly foreign: boolean;
}

const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
/** The root of the repository while a relative path is resolved. */
const root = 'http://root.invalid/';
const longestUrl = 4096;
const space = 0x20;

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** As browsers read a URL: without tabs, newlines, and control characters and spaces at the ends. */
function cleaned(url: string): string {
  const text = url.replaceAll(/[\t\n\r]/g, '');
  let from = 0;
  let to = text.length;
  while (from < to && text.charCodeAt(from) <= space) from += 1;
  while (to > from && text.charCodeAt(to - 1) <= space) to -= 1;
  return text.slice(from, to);
}

/** The target of a link; undefined if it is not allowed. */
export function linkTarget(url: string, place: MarkdownPlace): Target | undefined {
  const href = cleaned(url);
  if (href.startsWith('#')) return { href: `#${place.ids}${href.slice(1)}`, foreign: false };
  return absolute(href, place) ?? inRepository(href, 'blob', place);
}

/** The source of an image. An image of another host is a foreign target, and must not be loaded. */
export function imageTarget(url: string, place: MarkdownPlace): Target | undefined {
  const src = cleaned(url);
  const found = absolute(src, place);
  if (found !== undefined) return { ...found, foreign: found.foreign || !isRaw(found.href) };
  return inRepository(src, 'raw', place);
}

/** Of this instance, only files are images: no other page is loaded by looking at a text. */
function isRaw(href: string): boolean {
  const { pathname } = new URL(href);
  const pages = pathname.indexOf('/-/');
  return pages >= 0 && pathname.startsWith('/-/raw/', pages);
}

/** Undefined for a relative URL, and for one that is not allowed. */
function absolute(url: string, { origin }: MarkdownPlace): Target | undefined {
  if (!/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(url)) return undefined;
  const parsed = url.length > longestUrl ? null : URL.parse(url, origin);
  if (parsed === null || !schemes.has(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    return undefined;
  return { href: parsed.href, foreign: parsed.origin !== origin };
}

function inRepository(url: string, kind: 'blob' | 'raw', { repository, ids }: MarkdownPlace): Target | undefined {
  if (repository === undefined || url.length > longestUrl || /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(url))
    return undefined;
  const folder = repository.folder === '' ? '' : `${encoded(repository.folder)}/`;
  const { origin, pathname, search, hash } = URL.parse(url, `${root}${folder}`) ?? new URL(root);
  if (`${origin}/` !== root) return undefined;
  const path = `${repository.path}/-/${kind}/${encoded(repository.ref)}${pathname}`;
  if (kind === 'raw') return { href: path, foreign: false };
  const isLine = /^#L\d/.test(hash);
  return { href: `${path}${search}${isLine || hash === '' ? hash : `#${ids}${hash.slice(1)}`}`, foreign: false };
}
