// The pages of files: a repository's front page, folders and single files.
import { html, HtmlPage, page, reply, type Call, type Html, type Granted, type WebPage } from 'hexforge/plugin';
import type { DirectoryEntry, FileBlob, Repository } from 'hexforge/repositories';
import { empty, icon, linkButton, time, type IconName } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { reading } from '../shapes.ts';
import { aboutRepository } from './about.ts';
import {
  blobPath,
  branchesPath,
  commitPath,
  commitsPath,
  rawPath,
  repositoryPath,
  tagsPath,
  treePath,
} from './links.ts';
import type { RepositoryPresenter } from '../repositories/present.ts';

type Readable = Granted<Repository, 'repo.read'>;

/** The repository, ref and path of a page. */
interface At {
  readonly repository: Repository;
  readonly ref: string;
  readonly path: string;
  readonly now: Date;
}

const iconOf: Readonly<Record<DirectoryEntry['type'], IconName>> = {
  directory: 'folder',
  file: 'file',
  symlink: 'link',
  submodule: 'submodule',
};

/** The folders above, each as a link, and the name itself. */
function breadcrumbs({ repository, ref, path }: At): Html {
  const segments = path === '' ? [] : path.split('/');
  return html`<nav class="crumbs" aria-label="Path">
    <a href="${treePath(repository, ref)}"><bdi>${repository.name}</bdi></a>
    ${segments.map((segment, index) => {
      const name = html`<bdi>${segment}</bdi>`;
      const last = index === segments.length - 1;
      return html`<span class="slash">/</span>${
          last
            ? html`<b>${name}</b>`
            : html`<a href="${treePath(repository, ref, segments.slice(0, index + 1).join('/'))}">${name}</a>`
        }`;
    })}
  </nav>`;
}

const bar = (at: At, ...end: readonly (Html | false)[]): Html =>
  html`<div class="bar">
    <a class="button" href="${branchesPath(at.repository)}">${icon('branch')} <bdi>${at.ref}</bdi></a>
    <div class="grow">${breadcrumbs(at)}</div>
    ${end}
  </div>`;

/** Folders first. */
const inOrder = (entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] => [
  ...entries.filter(({ type }) => type === 'directory'),
  ...entries.filter(({ type }) => type !== 'directory'),
];

function folder(at: At, entries: readonly DirectoryEntry[], newest: Html | false, truncated: boolean): Html {
  const { repository, ref, now } = at;
  return html`<div class="box">
      ${newest}
      <table class="files" aria-label="Files">
        <tbody>
          ${inOrder(entries).map(({ type, name, path, lastCommit }) => {
            const href = type === 'directory' ? treePath(repository, ref, path) : blobPath(repository, ref, path);
            const link =
              type === 'submodule' ? html`<bdi>${name}</bdi>` : html`<a href="${href}"><bdi>${name}</bdi></a>`;
            return html`<tr>
              <td>${icon(iconOf[type], type === 'file' ? undefined : type)} ${link}</td>
              <td class="subject"><bdi>${lastCommit?.subject}</bdi></td>
              <td class="when">${lastCommit !== undefined && time(lastCommit.committedAt, now)}</td>
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
    ${truncated && html`<p class="quiet">This folder has more entries than are shown.</p>`}`;
}

const utf8 = new TextDecoder('utf-8');

function lines(content: Uint8Array): Html {
  const text = utf8.decode(content);
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  return html`<table class="code">
    <tbody>
      ${all.map(
        (line, index) =>
          html`<tr id="L${String(index + 1)}">
            <td class="number"><a href="#L${String(index + 1)}" data-line="${String(index + 1)}"></a></td>
            <td><code>${line}</code></td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const;
function sized(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${step === 0 ? String(bytes) : (bytes / 1024 ** step).toFixed(1)} ${units[step] ?? ''}`;
}

function fileView(at: At, blob: FileBlob): Html {
  const { repository, ref, path } = at;
  const raw = rawPath(repository, ref, path);
  const content =
    blob.content === undefined || blob.isBinary
      ? html`<div class="empty">
          <p><b>${blob.isBinary ? 'A binary file is not shown' : 'The file is too large to be shown'}</b></p>
          <a href="${raw}">Download ${sized(blob.size)}</a>
        </div>`
      : blob.size === 0
        ? empty('The file is empty')
        : lines(blob.content);
  return html`<div class="box">
    <div class="head">
      <span class="grow quiet">${blob.lang !== '' && `${blob.lang} · `}${sized(blob.size)}</span>
      <a class="button small" href="${raw}">Raw</a>
      <a class="button small" href="${commitsPath(repository, ref, path)}">History</a>
    </div>
    ${content}
  </div>`;
}

const readmeName = /^readme(?:\.(?:md|markdown|txt|rst))?$/i;

export function filePages(useCases: RepositoryUseCases, present: RepositoryPresenter): readonly WebPage[] {
  /** The newest commit that changed the path, above the files. */
  const newestCommit = async (granted: Readable, { repository, ref, path, now }: At): Promise<Html | false> => {
    const found = await useCases.commits(granted, { ref, ...(path !== '' && { path }), page: 1, perPage: 1 });
    const [commit] = (await found.read()).items;
    if (commit === undefined) return false;
    const [subject = ''] = commit.message.split('\n', 1);
    return html`<div class="head">
      <span class="grow">
        <b><bdi>${commit.author.name}</bdi></b>
        <a href="${commitPath(repository, commit.oid)}"><bdi>${subject}</bdi></a>
      </span>
      <code>${commit.oid.slice(0, 7)}</code> ${time(commit.committer.date, now)}
      <a href="${commitsPath(repository, ref, path)}">History</a>
    </div>`;
  };

  const readme = async (granted: Readable, at: At, entries: readonly DirectoryEntry[]): Promise<Html | false> => {
    const entry = entries.find(({ type, name }) => type === 'file' && readmeName.test(name));
    if (entry === undefined) return false;
    const found = await useCases.contents(granted, { ref: at.ref, path: entry.path });
    if (found.kind !== 'file') return false;
    const { content, isBinary } = await found.read();
    if (content === undefined || isBinary) return false;
    return html`<section class="readme box" aria-label="${entry.name}">
      <div class="head"><bdi>${entry.name}</bdi></div>
      <pre class="text">${utf8.decode(content)}</pre>
    </section>`;
  };

  const shown = async (granted: Readable, { now }: Call, ref: string, path: string): Promise<HtmlPage> => {
    const repository = granted.resource;
    const at: At = { repository, ref, path, now };
    const found = await useCases.contents(granted, { ref, path });
    if (found.kind === 'file')
      return new HtmlPage({
        title: path,
        width: 'wide',
        main: html`<h1 class="skip"><bdi>${path}</bdi></h1>
          ${bar(at, linkButton('Permanent link', blobPath(repository, ref, path), { key: 'y' }))}
          ${fileView(at, await found.read())}`,
      });
    const { items, truncated } = await found.read();
    const newest = await newestCommit(granted, at);
    return new HtmlPage({
      title: path === '' ? `Files of ${ref}` : path,
      width: 'wide',
      main: html`<h1 class="skip"><bdi>${path === '' ? repository.name : path}</bdi></h1>
        ${bar(at)} ${folder(at, items, newest, truncated)} ${await readme(granted, at, items)}`,
    });
  };

  return [
    page({
      id: 'repositoryFront',
      summary: 'The files of the default branch, the README, and what the repository is about',
      place: 'root',
      path: '/{owner}/{repo}',
      ...reading,
      async run(call, { granted }) {
        const repository = granted.resource;
        const at: At = { repository, ref: repository.defaultBranch, path: '', now: call.now };
        const found = await useCases.contents(granted, { path: '', ref: repository.defaultBranch });
        const record = await useCases.fetch(granted);
        const { items, truncated } = found.kind === 'directory' ? await found.read() : { items: [], truncated: false };
        const url = present.item(repository).clone_url_http;
        const main =
          items.length === 0
            ? empty(
                'This repository is empty',
                html`<pre>
git clone ${url}
cd ${repository.name}
git commit --allow-empty -m "First commit"
git push origin HEAD:${repository.defaultBranch}</pre>`,
              )
            : html`<div class="bar">
                  <a class="button" href="${branchesPath(repository)}">${icon('branch')} <bdi>${at.ref}</bdi></a>
                  <a class="quiet" href="${branchesPath(repository)}">Branches</a>
                  <a class="quiet" href="${tagsPath(repository)}">Tags</a>
                </div>
                ${folder(at, items, await newestCommit(granted, at), truncated)} ${await readme(granted, at, items)}`;
        return new HtmlPage({
          title: repository.description === '' ? 'Code' : repository.description,
          width: 'wide',
          main: html`<h1 class="skip"><bdi>${repository.owner}/${repository.name}</bdi></h1>
            ${main}`,
          subject: { kind: 'repository', id: repository.id, repositoryId: repository.id },
          aside: await aboutRepository(useCases, granted, record, url),
        });
      },
    }),
    page({
      id: 'repositoryCloneAddress',
      summary: 'Leads from the clone URL to the front page',
      place: 'root',
      path: '/{owner}/{repo}.git',
      ...reading,
      run: (_call, { granted: { resource } }) =>
        reply(new HtmlPage({ title: resource.name, main: html`` }), {
          status: 301,
          headers: { location: repositoryPath(resource) },
        }),
    }),
    ...(['tree', 'blob'] as const).map((kind) =>
      page({
        id: kind === 'tree' ? 'repositoryTree' : 'repositoryBlob',
        summary: kind === 'tree' ? 'A folder at a ref' : 'A file at a ref',
        place: 'repository',
        path: `/${kind}/{target*}`,
        ...reading,
        async run(call, { granted, params }) {
          const { ref, path } = await useCases.locate(granted, { target: params['target'] ?? '' });
          return shown(granted, call, ref, path);
        },
      }),
    ),
  ];
}
