// The page that compares two refs: the commits and the changed files of the second one.
import {
  html,
  HtmlPage,
  maybe,
  NotFound,
  page,
  reply,
  shape,
  word,
  type Granted,
  type Html,
  type WebPage,
} from 'hexforge/plugin';
import type { Comparison, Repository } from 'hexforge/repositories';
import { empty, field, linkButton } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { reading } from '../shapes.ts';
import { branchNames } from '../branches/branch-names.ts';
import { changedFiles, viewQuery } from './changed-files.ts';
import { commitRows } from './commit-rows.ts';
import { comparePath, within } from '../pages/links.ts';
import type { NewMergePath } from './merge-link.ts';
import { leadsTo } from '../pages/redirect.ts';
import type { Texts } from '../pages/texts.ts';

interface Range {
  readonly base: string;
  readonly head: string;
}

/** `BASE...HEAD`; a ref has no three dots in a row. */
function rangeOf(text: string): Range {
  const cut = text.indexOf('...');
  return cut < 0 ? { base: text, head: '' } : { base: text.slice(0, cut), head: text.slice(cut + 3) };
}

const picker = (repository: Repository, { base, head }: Range, branches: readonly string[]): Html =>
  html`<form class="pair" method="get" action="${within(repository, 'compare')}">
    ${field({ label: 'Base', name: 'base', value: base, suggestions: branches, required: true })}
    ${field({ label: 'Head', name: 'head', value: head, suggestions: branches, required: true })}
    <div class="actions">
      <button class="button">Compare</button>
      ${head !== '' && html`<a class="quiet" href="${comparePath(repository, head, base)}">Swap</a>`}
    </div>
  </form>`;

const commitCount = (count: number): string => `${String(count)} ${count === 1 ? 'commit' : 'commits'}`;

async function compared(
  { texts, granted }: { readonly texts: Texts; readonly granted: Granted<Repository, 'repo.read'> },
  { base, head }: Range,
  found: Comparison,
  {
    now,
    button,
    ...shown
  }: { readonly now: Date; readonly button: Html | false } & Pick<Parameters<typeof changedFiles>[1], 'view' | 'url'>,
): Promise<Html> {
  const { aheadBy, behindBy, commits, difference, mergeBase } = found;
  if (aheadBy === 0 && difference.files.length === 0)
    return empty(
      behindBy === 0 ? 'Both are the same' : 'There is nothing new',
      behindBy > 0 && html`<bdi>${base}</bdi> has ${commitCount(behindBy)} that <bdi>${head}</bdi> does not have.`,
    );
  return html`<div class="bar">
      <p class="grow">
        <bdi>${head}</bdi> is ${commitCount(aheadBy)} ahead of <bdi>${base}</bdi>, and ${String(behindBy)} behind.
        ${mergeBase === undefined && 'They have no common commit.'}
      </p>
      ${aheadBy > 0 && button}
    </div>
    <h2>Commits</h2>
    ${await commitRows(texts, granted, commits.items, now)}
    ${
      aheadBy > commits.items.length &&
      html`<p class="quiet">The newest ${String(commits.items.length)} of ${String(aheadBy)} commits are shown.</p>`
    }
    <h2 class="next">Changed files</h2>
    ${await changedFiles(difference, { repository: granted.resource, ref: head, ...shown })}`;
}

export function comparePages(useCases: RepositoryUseCases, texts: Texts, newMerge: NewMergePath): readonly WebPage[] {
  const isBranch = async (granted: Granted<Repository, 'repo.read'>, target: string): Promise<boolean> => {
    const found = await useCases.locate(granted, { target });
    return found.isBranch && found.path === '';
  };
  /** The button for the signed-in reader of two branches. */
  const mergeButton = async (granted: Granted<Repository, 'repo.read'>, range: Range): Promise<Html | false> => {
    const href = newMerge(granted.resource, range);
    if (href === undefined || granted.call.caller.kind !== 'user') return false;
    const both = await Promise.all([range.base, range.head].map((name) => isBranch(granted, name)));
    return both.every(Boolean) && linkButton('New merge request', href, { kind: 'primary' });
  };
  const framed = (title: string, form: Html, content: Html | false): HtmlPage =>
    new HtmlPage({
      title,
      width: 'wide',
      main: html`<h1>Compare</h1>
        ${form} ${content}`,
    });
  return [
    page({
      id: 'repositoryComparePick',
      summary: 'The form that picks two refs to compare',
      place: 'repository',
      path: '/compare',
      ...reading,
      query: shape({ base: maybe(word().empty('').max(255)), head: maybe(word().empty('').max(255)) }),
      async run(_call, { granted, query: { base, head } }) {
        const repository = granted.resource;
        const range = { base: base ?? repository.defaultBranch, head: head ?? '' };
        if (head !== undefined) return leadsTo(comparePath(repository, range.base, head), 303);
        return framed('Compare', picker(repository, range, await branchNames(useCases, granted)), false);
      },
    }),
    page({
      id: 'repositoryCompare',
      summary: 'The commits and changes of one ref beside another',
      place: 'repository',
      path: '/compare/{range*}',
      ...reading,
      query: shape(viewQuery),
      async run({ now }, { granted, params, query: { view }, url }) {
        const repository = granted.resource;
        const range = rangeOf(params.range);
        const form = picker(repository, range, await branchNames(useCases, granted));
        const title = `Compare ${range.base} and ${range.head}`;
        try {
          const found = await (await useCases.compare(granted, { range: params.range })).read();
          const button = await mergeButton(granted, range);
          return framed(title, form, await compared({ texts, granted }, range, found, { now, view, url, button }));
        } catch (error) {
          if (!(error instanceof NotFound)) throw error;
          return reply(framed(title, form, empty(error.message, 'Choose two that exist.')), { status: 404 });
        }
      },
    }),
  ];
}
