// The part that all forms have which commit: the message, the branch, and the buttons.
import { html, maybe, text, word, type Granted, type Html, type RefusedForm, type User } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { button, field, formError, linkButton, notice, textArea } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { asContent } from '../pages/forms.ts';
import { blobPath, comparePath, treePath } from '../pages/links.ts';

/** The branch and the path of a form. */
export interface CommitPlace {
  readonly repository: Repository;
  readonly ref: string;
  readonly path: string;
}

/** The members of the form. */
export const commitMembers = {
  message: maybe(text().max(64 * 1024)),
  new_branch: maybe(word().max(255)),
} as const;

interface Sent {
  readonly message?: string;
  readonly new_branch?: string;
}

/** The names of the fields of the form, by the members that use cases name. */
const fieldNames = { path: 'name', name: 'new_branch', branch: 'new_branch', base_ref: 'new_branch' } as const;

/**
 * Commits one file. A new branch is made by the same change of refs as the commit: both or neither.
 * @returns the path of the page to show next: the file or the files, or the comparison of a new branch.
 */
export async function committed(
  useCases: RepositoryUseCases,
  granted: Granted<Repository, 'repo.write', User>,
  { ref, path, verb }: Pick<CommitPlace, 'ref' | 'path'> & { readonly verb: string },
  { message = `${verb} ${path}`, new_branch: branch }: Sent,
  file: { readonly content: Uint8Array | undefined; readonly sha: string | undefined },
): Promise<string> {
  const { resource } = granted;
  const to = branch === undefined ? { branch: ref } : { branch, from: ref };
  const command = { ...file, ...to, path, message: message.replaceAll('\r\n', '\n') };
  await asContent(() => useCases.writeContents(granted, command), fieldNames);
  if (branch !== undefined) return comparePath(resource, ref, branch);
  return file.content === undefined ? treePath(resource, ref) : blobPath(resource, ref, path);
}

/** An error that is not about one of the given fields. A changed file has its own explanation. */
export function commitError(
  { repository, ref, path }: CommitPlace,
  refused: RefusedForm | undefined,
  id: string,
  ...fields: readonly string[]
): Html | false {
  if (refused?.field !== 'sha') return formError(refused, id, 'message', 'new_branch', ...fields);
  return notice(
    html`<b>${refused.error}.</b> Somebody has changed it since you opened this page, so nothing was committed. What you
      typed is still here: copy it, look at <a href="${blobPath(repository, ref, path)}">the file as it is now</a>, and
      edit that.`,
    true,
  );
}

/** @param message if none is typed. @param cancel the path of the page before. */
export const commitFields = (
  { ref }: Pick<CommitPlace, 'ref'>,
  refused: RefusedForm | undefined,
  {
    label,
    message,
    cancel,
    kind = 'primary',
  }: {
    readonly label: string;
    readonly message: string;
    readonly cancel: string;
    readonly kind?: 'primary' | 'danger';
  },
): Html =>
  html`<div class="form">
    ${textArea({
      label: 'Commit message',
      name: 'message',
      rows: 3,
      hint: `The first line is the subject. If it is empty: “${message}”`,
      refused,
    })}
    ${field({
      label: 'New branch',
      name: 'new_branch',
      autocomplete: 'off',
      hint: `Optional. If it is empty, the commit goes to ${ref}; otherwise to a new branch that begins from ${ref}.`,
      refused,
    })}
    <div class="actions">${button(label, { kind })} ${linkButton('Cancel', cancel)}</div>
  </div>`;
