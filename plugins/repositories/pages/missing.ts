// The page of a path that a ref does not have, such as after another branch was chosen.
import { html, HtmlPage, NotFound, reply, type Granted, type Reply } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { empty, linkButton } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { bar, type At } from './folder-view.ts';
import { commitsPath, treePath } from './links.ts';

type Readable = Granted<Repository, 'repo.read'>;
type Found = Awaited<ReturnType<RepositoryUseCases['contents']>>;

/** The thing at a path; undefined if it does not exist. */
export const foundAt = (
  useCases: Pick<RepositoryUseCases, 'contents'>,
  granted: Readable,
  { ref, path }: { readonly ref: string; readonly path: string },
): Promise<Found | undefined> =>
  useCases.contents(granted, { ref, path }).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });

/**
 * Shows the page, or the next steps if the ref exists without the path.
 * @throws {NotFound} for an unknown ref, and for a path that exists without such a page, as a folder without blame.
 */
export async function orMissing(
  useCases: Pick<RepositoryUseCases, 'contents'>,
  granted: Readable,
  at: At,
  show: () => Promise<HtmlPage | Reply<HtmlPage>>,
): Promise<HtmlPage | Reply<HtmlPage>> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    const [root, found] = await Promise.all(
      ['', at.path].map((path) => foundAt(useCases, granted, { ref: at.ref, path })),
    );
    if (root === undefined || found !== undefined) throw error;
    return reply(missing(at), { status: 404 });
  }
}

const missing = (at: At): HtmlPage =>
  new HtmlPage({
    title: `No ${at.path} at ${at.ref}`,
    width: 'wide',
    main: html`<h1 class="skip">No <bdi>${at.path}</bdi></h1>
      ${bar(at)}
      ${empty(
        'This path does not exist here',
        html`<div class="actions">
          ${linkButton(`Files of ${at.ref}`, treePath(at.repository, at.ref))}
          ${linkButton('History of the path', commitsPath(at.repository, at.ref, at.path))}
        </div>`,
      )}`,
  });
