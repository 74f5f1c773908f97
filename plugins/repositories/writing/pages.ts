// The pages that edit, create, upload and delete one file, each as a commit.
import {
  file,
  flag,
  form,
  html,
  HtmlPage,
  maybe,
  NotFound,
  oneOf,
  page,
  shape,
  text,
  UploadedFile,
  ValidationFailed,
  word,
  type Granted,
  type Html,
  type WebPage,
} from 'hexforge/plugin';
import type { FileBlob, Repository } from 'hexforge/repositories';
import { checkBox, empty, field, icon, linkButton, notice, textArea } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { blobPath, treePath, within, encoded } from '../pages/links.ts';
import { sha, writing } from '../shapes.ts';
import { commitError, commitFields, commitMembers, committed, type CommitPlace } from './commit-form.ts';
import { editableText, isShownUnchanged, writtenText } from './editable.ts';
import { maxBytes } from '../contents/routes-writing.ts';

type Readable = Granted<Repository, 'repo.read'>;

/** Bytes of a form with a text of 512 KiB, which not every browser sends as multipart. */
const maxTextBytes = 4 * 1024 * 1024;

const lineEnd = () => oneOf('lf', 'crlf').default('lf');

export function writingPages(useCases: RepositoryUseCases): readonly WebPage[] {
  const placeOf = async (granted: Readable, target: string): Promise<CommitPlace> => ({
    repository: granted.resource,
    ...(await useCases.locate(granted, { target })),
  });
  /** @throws {NotFound} if there is no file at the path. */
  const fileOf = async (granted: Readable, { ref, path }: CommitPlace): Promise<FileBlob> => {
    const found = await useCases.contents(granted, { ref, path });
    if (found.kind !== 'file') throw new NotFound('There is no such file at this ref');
    return found.read();
  };
  /** The path of a new file in the folder of the page. */
  const inFolder = ({ path }: CommitPlace, name: string): string => (path === '' ? name : `${path}/${name}`);

  const action = ({ repository, ref, path }: CommitPlace, kind: string): string =>
    within(repository, [kind, encoded(ref), ...(path === '' ? [] : [encoded(path)])].join('/'));

  const heading = (title: string, { ref, path }: CommitPlace): Html =>
    html`<h1>${title} <bdi>${path}</bdi></h1>
      <p class="muted">${icon('branch')} <bdi>${ref}</bdi></p>`;

  const common = { place: 'repository', ...writing } as const;
  return [
    page({
      ...common,
      id: 'repositoryEdit',
      summary: 'The form that edits a file',
      path: '/edit/{target*}',
      async run(_call, { granted, params, refused }) {
        const at = await placeOf(granted, params.target);
        const blob = refused === undefined ? await fileOf(granted, at) : undefined;
        const editable = editableText(blob?.content);
        const title = `Edit ${at.path}`;
        if (blob !== undefined && editable === undefined)
          return new HtmlPage({
            title,
            width: 'wide',
            main: html`${heading('Edit', at)}
            ${empty(
              'This file cannot be edited in a browser',
              html`<p>
                  It is large, binary, or has line ends or characters that a form would change. Edit a clone, or upload
                  a new version.
                </p>
                ${linkButton('Upload', action({ ...at, path: at.path.split('/').slice(0, -1).join('/') }, 'upload'))}`,
            )}`,
          });
        const typed = refused?.values['content'];
        return new HtmlPage({
          title,
          width: 'wide',
          main: html`${heading('Edit', at)} ${commitError(at, refused, 'repositoryEditForm')}
            ${
              typeof typed === 'string' &&
              !isShownUnchanged(typed.replaceAll('\r\n', '\n')) &&
              notice(
                'Characters that are invisible or reverse the direction of text are shown as U+FFFD. Type them again.',
              )
            }
            <form method="post" enctype="multipart/form-data" action="${action(at, 'edit')}">
              <input type="hidden" name="sha" value="${String(refused?.values['sha'] ?? blob?.sha ?? '')}" />
              <input
                type="hidden"
                name="line_end"
                value="${String(refused?.values['line_end'] ?? editable?.lineEnd ?? 'lf')}"
              />
              ${textArea({ label: 'Content', name: 'content', rows: 26, value: editable?.text ?? '', refused })}
              ${commitFields(at, refused, {
                label: 'Commit changes',
                message: `Update ${at.path}`,
                cancel: blobPath(at.repository, at.ref, at.path),
              })}
            </form>`,
        });
      },
      forms: [
        form({
          ...common,
          id: 'repositoryEditForm',
          summary: 'Commits the edited file',
          path: '/edit/{target*}',
          files: true,
          maxBytes: maxTextBytes,
          body: shape({ ...commitMembers, sha: sha(), line_end: lineEnd(), content: text().default('') }),
          async run(_call, { granted, params, body }) {
            const at = await placeOf(granted, params.target);
            const content = writtenText(body.content, body.line_end);
            return committed(useCases, granted, { ...at, verb: 'Update' }, body, { content, sha: body.sha });
          },
        }),
      ],
    }),
    page({
      ...common,
      id: 'repositoryNewFile',
      summary: 'The form for a new file',
      path: '/new-file/{target*}',
      async run(_call, { granted, params, refused }) {
        const at = await placeOf(granted, params.target);
        return new HtmlPage({
          title: 'New file',
          width: 'wide',
          main: html`${heading(at.path === '' ? 'New file' : 'New file in', at)}
            ${commitError(at, refused, 'repositoryNewFileForm', 'name')}
            <form method="post" enctype="multipart/form-data" action="${action(at, 'new-file')}">
              <div class="form">
                ${field({
                  label: 'Name',
                  name: 'name',
                  hint: 'Folders before the name are made: docs/start.md',
                  required: true,
                  autocomplete: 'off',
                  refused,
                })}
              </div>
              ${textArea({ label: 'Content', name: 'content', rows: 20, refused })}
              ${commitFields(at, refused, {
                label: 'Commit new file',
                message: 'Add and the name',
                cancel: treePath(at.repository, at.ref, at.path),
              })}
            </form>`,
        });
      },
      forms: [
        form({
          ...common,
          id: 'repositoryNewFileForm',
          summary: 'Commits a new file',
          path: '/new-file/{target*}',
          files: true,
          maxBytes: maxTextBytes,
          body: shape({ ...commitMembers, name: word(), content: text().default('') }),
          async run(_call, { granted, params, body }) {
            const at = await placeOf(granted, params.target);
            const to = { ...at, path: inFolder(at, body.name), verb: 'Add' };
            return committed(useCases, granted, to, body, { content: writtenText(body.content, 'lf'), sha: undefined });
          },
        }),
      ],
    }),
    page({
      ...common,
      id: 'repositoryUpload',
      summary: 'The form that uploads a file',
      path: '/upload/{target*}',
      async run(_call, { granted, params, refused }) {
        const at = await placeOf(granted, params.target);
        return new HtmlPage({
          title: 'Upload a file',
          width: 'wide',
          main: html`${heading(at.path === '' ? 'Upload a file' : 'Upload a file to', at)}
            ${commitError(at, refused, 'repositoryUploadForm', 'name', 'file')}
            <form method="post" enctype="multipart/form-data" action="${action(at, 'upload')}">
              <div class="form">
                <div class="field">
                  <label for="file">File</label>
                  <input id="file" type="file" name="file" required aria-describedby="file-hint" />
                  <p class="hint" id="file-hint">
                    At most ${String(Math.floor(maxBytes / 1024 ** 2))}
                    MiB.${refused !== undefined && ' Choose it again.'}
                  </p>
                  ${refused?.field === 'file' && html`<p class="error">${refused.detail}</p>`}
                </div>
                ${field({
                  label: 'Name',
                  name: 'name',
                  hint: 'Optional: another name, also with folders',
                  autocomplete: 'off',
                  refused,
                })}
                ${checkBox({ label: 'Replace a file of this name', name: 'replace', refused })}
              </div>
              ${commitFields(at, refused, {
                label: 'Commit file',
                message: 'Add and the name',
                cancel: treePath(at.repository, at.ref, at.path),
              })}
            </form>`,
        });
      },
      forms: [
        form({
          ...common,
          id: 'repositoryUploadForm',
          summary: 'Commits an uploaded file',
          path: '/upload/{target*}',
          files: true,
          maxBytes,
          body: shape({ ...commitMembers, file: maybe(file()), name: maybe(word()), replace: flag().default(false) }),
          async run(_call, { granted, params, body }) {
            const at = await placeOf(granted, params.target);
            if (!(body.file instanceof UploadedFile))
              throw new ValidationFailed('There is no file', { detail: '"file" must be a file' });
            const to = { ...at, path: inFolder(at, body.name ?? body.file.name), verb: 'Add' };
            const before = body.replace
              ? await fileOf(granted, to).catch((error: unknown) => {
                  if (error instanceof NotFound) return undefined;
                  throw error;
                })
              : undefined;
            const verb = before === undefined ? 'Add' : 'Replace';
            const content = { content: body.file.bytes, sha: before?.sha };
            return committed(useCases, granted, { ...to, verb }, body, content);
          },
        }),
      ],
    }),
    page({
      ...common,
      id: 'repositoryDeleteFile',
      summary: 'Asks whether to delete a file',
      path: '/delete/{target*}',
      async run(_call, { granted, params, refused }) {
        const at = await placeOf(granted, params.target);
        const sha = refused?.values['sha'] ?? (await fileOf(granted, at)).sha;
        return new HtmlPage({
          title: `Delete ${at.path}`,
          width: 'wide',
          main: html`${heading('Delete', at)} ${commitError(at, refused, 'repositoryDeleteFileForm')}
            <form method="post" action="${action(at, 'delete')}">
              <input type="hidden" name="sha" value="${String(sha)}" />
              ${commitFields(at, refused, {
                label: 'Delete the file',
                message: `Delete ${at.path}`,
                cancel: blobPath(at.repository, at.ref, at.path),
                kind: 'danger',
              })}
            </form>`,
        });
      },
      forms: [
        form({
          ...common,
          id: 'repositoryDeleteFileForm',
          summary: 'Commits the deletion of a file',
          path: '/delete/{target*}',
          body: shape({ ...commitMembers, sha: sha() }),
          async run(_call, { granted, params, body }) {
            const at = await placeOf(granted, params.target);
            const removed = { content: undefined, sha: body.sha };
            return committed(useCases, granted, { ...at, verb: 'Delete' }, body, removed);
          },
        }),
      ],
    }),
  ];
}
