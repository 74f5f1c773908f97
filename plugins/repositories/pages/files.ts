// The pages of files: a repository's front page, folders and single files.
import {
  html,
  HtmlPage,
  Joi,
  maybe,
  page,
  shape,
  type Call,
  type FileSubject,
  type Granted,
  type Html,
  type WebPage,
} from 'hexforge/plugin';
import type { CommitRecord, DirectoryEntry, Repository } from 'hexforge/repositories';
import { copyField, empty, linkButton, time } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { reading } from '../shapes.ts';
import { aboutRepository } from './about.ts';
import { fileActions, folderActions } from './actions.ts';
import { linkedTexts, messageParts } from './commit-texts.ts';
import { fileView } from './file-view.ts';
import { bar, folderView, refButton, type At } from './folder-view.ts';
import { blobPath, branchesPath, commitPath, commitsPath, findPath, repositoryPath, tagsPath } from './links.ts';
import { orMissing } from './missing.ts';
import { readme } from './readme.ts';
import { leadsTo } from './redirect.ts';
import { submoduleUrls } from './submodules.ts';
import { targetPage } from './symlinks.ts';
import { markdownFile, type Texts } from './texts.ts';
import type { RepositoryPresenter } from '../repositories/present.ts';
import { markForms } from './marks.ts';

type Readable = Granted<Repository, 'repo.read'>;

/** How git makes the first commit. */
const firstCommands = (url: string, { name, defaultBranch }: Repository): string =>
  [
    `git clone ${url}`,
    `cd ./${name}`,
    `echo "# ${name}" > README.md`,
    'git add README.md',
    'git commit -m "First commit"',
    `git push origin HEAD:${defaultBranch}`,
  ].join('\n');

const existingCommands = (url: string, { defaultBranch }: Repository): string =>
  [`git remote add origin ${url}`, `git push origin HEAD:${defaultBranch}`].join('\n');

const findLink = ({ repository, ref }: At): Html => linkButton('Find a file', findPath(repository, ref), { key: 't' });

const fileSubject = ({ repository, ref, path }: At, sha: string, isBranch: boolean): FileSubject => ({
  kind: 'file',
  id: sha,
  repositoryId: repository.id,
  owner: repository.owner,
  repository: repository.name,
  ref,
  isDefaultBranch: isBranch && ref === repository.defaultBranch,
  path,
});

export function filePages(
  useCases: RepositoryUseCases,
  present: RepositoryPresenter,
  texts: Texts,
): readonly WebPage[] {
  /** The newest commit that changed the path. */
  const newestCommit = async (granted: Readable, { ref, path }: At): Promise<CommitRecord | undefined> => {
    const found = await useCases.commits(granted, { ref, ...(path !== '' && { path }), page: 1, perPage: 1 });
    return (await found.read()).items[0];
  };
  const newestLine = ({ repository, ref, path, now }: At, commit: CommitRecord, subject: Html | undefined): Html =>
    html`<div class="head">
      <span class="grow">
        <b><bdi>${commit.author.name}</bdi></b> <bdi>${subject}</bdi>
      </span>
      <a href="${commitPath(repository, commit.oid)}" aria-label="Commit ${commit.oid.slice(0, 7)}"
        ><code>${commit.oid.slice(0, 7)}</code></a
      >
      ${time(commit.committer.date, now)}
      <a href="${commitsPath(repository, ref, path)}">History</a>
    </div>`;

  /** A folder with its newest commit and its README. */
  const folder = async (
    granted: Readable,
    call: Call,
    at: At,
    { items, truncated }: { readonly items: readonly DirectoryEntry[]; readonly truncated: boolean },
  ): Promise<Html> => {
    const linksOut = items.some(({ type }) => type === 'submodule');
    const [newest, submodules, below] = await Promise.all([
      newestCommit(granted, at),
      linksOut ? submoduleUrls(useCases, granted, at.ref) : undefined,
      readme(useCases, texts, granted, call, at.ref, items),
    ]);
    const [first, ...others] = await linkedTexts(texts, granted, [
      { text: messageParts(newest?.message ?? '').subject, href: commitPath(at.repository, newest?.oid ?? '') },
      ...items.map(({ lastCommit }) => ({ text: lastCommit?.subject ?? '' })),
    ]);
    const shown = {
      newest: newest !== undefined && newestLine(at, newest, first),
      subjects: new Map(items.map(({ path }, index) => [path, others[index]])),
      truncated,
      submodules,
    };
    return html`${await folderView(at, items, shown)} ${below}`;
  };

  const shown = async (granted: Readable, call: Call, at: At, isBranch: boolean, plain: boolean): Promise<HtmlPage> => {
    const { repository, ref, path } = at;
    const changeable = { granted, isBranch };
    const found = await useCases.contents(granted, { ref, path });
    if (found.kind === 'file') {
      const [tip] = (await (await useCases.commits(granted, { ref, page: 1, perPage: 1 })).read()).items;
      const blob = await found.read();
      const urls = blob.type === 'submodule' ? await submoduleUrls(useCases, granted, ref) : undefined;
      const target = blob.type === 'symlink' ? await targetPage(useCases, granted, at, blob) : undefined;
      const rendered = plain ? undefined : (text: string) => markdownFile(texts, text, { granted, call, ref, path });
      return new HtmlPage({
        title: path,
        width: 'wide',
        main: html`<h1 class="skip"><bdi>${path}</bdi></h1>
          ${bar(
            at,
            findLink(at),
            linkButton('Permanent link', blobPath(repository, tip?.oid ?? ref, path) + (plain ? '?plain=1' : ''), {
              key: 'y',
            }),
            blob.type === 'file' && fileActions(at, changeable),
          )}
          ${await fileView(at, blob, { texts, rendered, submodule: urls?.get(path), target })}`,
        ...(blob.type === 'file' && { subject: fileSubject(at, blob.sha, isBranch) }),
      });
    }
    return new HtmlPage({
      title: path === '' ? `Files of ${ref}` : path,
      width: 'wide',
      main: html`<h1 class="skip"><bdi>${path === '' ? repository.name : path}</bdi></h1>
        ${bar(at, findLink(at), folderActions(at, changeable))} ${await folder(granted, call, at, await found.read())}`,
    });
  };

  return [
    page({
      id: 'repositoryFront',
      summary: 'The files of the default branch, the README, and what the repository is about',
      place: 'root',
      path: '/{owner}/{repo}',
      ...reading,
      forms: markForms(useCases),
      async run(call, { granted }) {
        const repository = granted.resource;
        const at: At = { repository, ref: repository.defaultBranch, path: '', now: call.now };
        const [found, record] = await Promise.all([
          useCases.contents(granted, { path: '', ref: repository.defaultBranch }),
          useCases.fetch(granted),
        ]);
        const { items, truncated } = found.kind === 'directory' ? await found.read() : { items: [], truncated: false };
        const { clone_url_http: url, clone_url_ssh: sshUrl } = present.item(repository);
        const main =
          items.length === 0
            ? empty(
                'This repository is empty',
                html`${copyField({
                    id: 'first-commands',
                    label: 'A first commit',
                    value: firstCommands(url, repository),
                  })}
                  ${copyField({
                    id: 'existing-commands',
                    label: 'A repository that you have',
                    value: existingCommands(url, repository),
                  })}
                  <p>
                    git asks for your username and a password: give it an
                    <a href="/-/settings/tokens/new">access token</a> with the scope <code>repo:write</code>.
                  </p>
                  ${
                    granted.may('repo.write') &&
                    html`<div class="actions">
                      Or begin in the browser: ${folderActions(at, { granted, isBranch: true })}
                    </div>`
                  }`,
              )
            : html`<div class="bar">
                  ${refButton(at)}
                  <a class="quiet" href="${branchesPath(repository)}">Branches</a>
                  <a class="quiet grow" href="${tagsPath(repository)}">Tags</a>
                  ${findLink(at)} ${folderActions(at, { granted, isBranch: true })}
                </div>
                ${await folder(granted, call, at, { items, truncated })}`;
        return new HtmlPage({
          title: repository.description === '' ? 'Code' : repository.description,
          width: 'wide',
          main: html`<h1 class="skip"><bdi>${repository.owner}/${repository.name}</bdi></h1>
            ${main}`,
          subject: { kind: 'repository', id: repository.id, repositoryId: repository.id },
          aside: await aboutRepository(useCases, granted, record, { urls: [url, sshUrl], isEmpty: items.length === 0 }),
        });
      },
    }),
    page({
      id: 'repositoryCloneAddress',
      summary: 'Leads from the clone URL to the front page',
      place: 'root',
      path: '/{owner}/{repo}.git',
      ...reading,
      run: (_call, { granted: { resource } }) => leadsTo(repositoryPath(resource), 301),
    }),
    ...(['tree', 'blob'] as const).map((kind) =>
      page({
        id: kind === 'tree' ? 'repositoryTree' : 'repositoryBlob',
        summary: kind === 'tree' ? 'A folder at a ref' : 'A file at a ref',
        place: 'repository',
        path: `/${kind}/{target*}`,
        ...reading,
        query: shape({ plain: maybe(Joi.string()) }),
        async run(call, { granted, params, query }) {
          const located = await useCases.locate(granted, { target: params['target'] ?? '' });
          const at: At = { repository: granted.resource, now: call.now, kind, ...located };
          return orMissing(useCases, granted, at, () =>
            shown(granted, call, at, located.isBranch, query.plain === '1'),
          );
        },
      }),
    ),
  ];
}
