// Shows a folder: its entries with the last commit of each, and the path above it.
import { html, type Html } from 'hexforge/plugin';
import type { DirectoryEntry, Repository } from 'hexforge/repositories';
import { icon, inTurns, time, type IconName } from 'hexforge/ui';
import { most } from './bounds.ts';
import { blobPath, otherRefPath, treePath, type RefPage } from './links.ts';

/** The repository, ref and path of a page. */
export interface At {
  readonly repository: Repository;
  readonly ref: string;
  readonly path: string;
  readonly now: Date;
  /** The kind of page, which stays the same when another branch is chosen. Default: of files and folders. */
  readonly kind?: RefPage;
}

const iconOf: Readonly<Record<DirectoryEntry['type'], IconName>> = {
  directory: 'folder',
  file: 'file',
  symlink: 'link',
  submodule: 'submodule',
};

/** The folders above, each as a link, and the name itself, which is a link on pages about its history. */
function breadcrumbs({ repository, ref, path, kind }: At): Html {
  const segments = path === '' ? [] : path.split('/');
  const own = kind === 'blame' || kind === 'commits' ? blobPath(repository, ref, path) : undefined;
  return html`<nav class="crumbs" aria-label="Path">
    <a href="${treePath(repository, ref)}"><bdi>${repository.name}</bdi></a>
    ${segments.map((segment, index) => {
      const name = html`<bdi>${segment}</bdi>`;
      const last = index === segments.length - 1;
      return html`<span class="slash">/</span>${
          last
            ? html`<b>${own === undefined ? name : html`<a href="${own}">${name}</a>`}</b>`
            : html`<a href="${treePath(repository, ref, segments.slice(0, index + 1).join('/'))}">${name}</a>`
        }`;
    })}
  </nav>`;
}

/** The ref of a page. It leads to the choice of another one. */
export const refButton = ({ repository, ref, path, kind = 'tree' }: Omit<At, 'now'>): Html =>
  html`<a
    class="button ref"
    href="${otherRefPath(repository, 'branches', { show: kind, path })}"
    title="Choose another branch or tag"
    >${icon('branch')} <bdi>${shortened(ref)}</bdi></a
  >`;

/** The first digits of the id of a commit. */
const shortened = (ref: string): string => (/^[0-9a-f]{40}$/.test(ref) ? ref.slice(0, 10) : ref);

/** The line above a folder or file: its ref and path. */
export const bar = (at: At, ...end: readonly (Html | false)[]): Html =>
  html`<div class="bar">
    ${refButton(at)}
    <div class="grow">${breadcrumbs(at)}</div>
    ${end}
  </div>`;

/** Folders first. */
const inOrder = (entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] => [
  ...entries.filter(({ type }) => type === 'directory'),
  ...entries.filter(({ type }) => type !== 'directory'),
];

interface Folder {
  /** The line of the newest commit. */
  readonly newest: Html | false;
  /** The subject of the last commit of each entry, by path. */
  readonly subjects: ReadonlyMap<string, Html | undefined>;
  /** Whether entries are already missing. */
  readonly truncated: boolean;
  /** The URLs of submodules by path. */
  readonly submodules: ReadonlyMap<string, string> | undefined;
}

export async function folderView(
  { repository, ref, now }: At,
  entries: readonly DirectoryEntry[],
  { newest, subjects, truncated, submodules }: Folder,
): Promise<Html> {
  const rows = await inTurns(inOrder(entries).slice(0, most.entries), ({ type, name, path, lastCommit }) => {
    const href = type === 'directory' ? treePath(repository, ref, path) : blobPath(repository, ref, path);
    const url = submodules?.get(path);
    const link =
      type === 'submodule' && url !== undefined
        ? html`<a href="${url}" rel="nofollow noreferrer"><bdi>${name}</bdi></a>`
        : html`<a href="${href}"><bdi>${name}</bdi></a>`;
    return html`<tr>
      <td>${icon(iconOf[type], type === 'file' ? undefined : type)} ${link}</td>
      <td class="subject"><bdi>${subjects.get(path)}</bdi></td>
      <td class="when">${lastCommit !== undefined && time(lastCommit.committedAt, now)}</td>
    </tr>`;
  });
  return html`<div class="box">
      ${newest}
      <table class="files" aria-label="Files">
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${
      (truncated || entries.length > most.entries) &&
      html`<p class="quiet">This folder has more entries than are shown.</p>`
    }`;
}
