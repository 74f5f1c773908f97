// The pages of one merge request: overview, editing, commits, and one comment.
import {
  form,
  html,
  HtmlPage,
  maybe,
  NotFound,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  text,
  word,
  type WebPage,
} from 'hexforge/plugin';
import { mergeBounds } from 'hexforge/merges';
import { mergeStrategies } from 'hexforge/repositories';
import {
  button,
  empty,
  field,
  formError,
  linkButton,
  list,
  onlyChanged,
  pagination,
  shownValues,
  signInButton,
  textArea,
  commitRow,
} from 'hexforge/ui';
import type { MergeUseCases } from '#core/merges/use-cases';
import { changingComment, own, reading } from '../params.ts';
import { requestForms } from './forms.ts';
import { requestHead } from './head.ts';
import { given, numberIn } from './input.ts';
import { commitPage, livePath, requestPage } from './links.ts';
import { rendering, type PageParts } from './markup.ts';
import { mergeBox, mergeForm, movedNote } from './merge-box.ts';
import { requestSide } from './side.ts';
import { talkForm } from './talk-form.ts';
import { timelineOf } from './timeline-view.ts';

const place = 'repository';
const path = '/merges/{number}';
/** The most comments and commits on one page. */
const [mostComments, mostCommits] = [100, 50];

export const requestPages = (merges: PageParts): readonly WebPage[] => [
  overviewPage(merges),
  editPage(merges),
  commitsPage(merges),
];

const overviewPage = (merges: PageParts): WebPage =>
  page({
    ...reading,
    id: 'mergeOverviewPage',
    summary: 'A merge request: its timeline, what is missing for the merge, and its members',
    place,
    path,
    query: shape({ page: pageQuery.page, strategy: given() }),
    forms: requestForms(merges),
    async run(call, { granted, params, query, refused, url }) {
      const repository = granted.resource;
      const number = numberIn(params);
      const { page: at } = readPage(pageRules.orDefault(), query);
      const asked = refused?.values['strategy'] ?? query.strategy;
      const strategy = mergeStrategies.find((one) => one === asked) ?? 'merge';
      const view = await merges.fetch(granted, { number });
      const commits = merges
        .commits(granted, { number, page: { page: 1, perPage: mostCommits } })
        .catch(() => ({ items: [] }));
      const [talk, mergeability, standing, choices] = await Promise.all([
        merges.talk(granted, { number, page: { page: at, perPage: mostComments } }),
        merges.mergeability(granted, { number, strategy }),
        merges.standing(granted, { number }),
        merges.choices(granted),
      ]);
      const render = rendering(merges.markup, call, granted);
      const told = {
        view,
        talk,
        commits: (await commits).items,
        query: at > 1 ? `?page=${String(at)}` : '',
        mayChange: standing.change,
      };
      const outlook = { view, talk, standing, mergeability, strategy };
      return new HtmlPage({
        title: `${view.title} (!${String(number)})`,
        width: 'wide',
        live: livePath(repository, number),
        subject: { kind: 'merge-request', id: view.id, repositoryId: repository.id },
        main: html`${requestHead(repository, view, 'overview', call.now)} ${formError(refused, 'mergeStateForm')}
          ${formError(refused, 'mergeDeleteSource')} ${formError(refused, 'mergeCommentResolve')}
          <div id="merge-timeline" data-region>${await timelineOf(granted, told, render)}</div>
          ${pagination(url, { page: at, perPage: mostComments, more: talk.comments.length === mostComments })}
          ${mergeBox(granted, outlook)} ${view.state === 'open' && movedNote(repository, view)}
          ${mergeForm(granted, outlook, refused)}
          ${
            standing.comment
              ? talkForm({
                  form: 'mergeTalk',
                  action: requestPage(repository, number, 'talk'),
                  head: view.headOid,
                  reviews: view.state === 'open',
                  refused,
                })
              : call.caller.kind === 'user'
                ? html`<p class="quiet">Comments and reviews are for people who can push to this repository.</p>`
                : signInButton('Sign in to comment', requestPage(repository, number))
          }`,
        aside: requestSide(granted, { view, standing, choices, planned: merges.planned, refused }),
      });
    },
  });

const editPage = (merges: MergeUseCases): WebPage =>
  page({
    ...reading,
    id: 'mergeEditPage',
    summary: 'The form that changes title, description and target of a merge request',
    place,
    path: `${path}/edit`,
    access: changingComment.access,
    forms: [
      form({
        ...own,
        id: 'mergeEdit',
        summary: 'Changes the title, description and target of a merge request',
        place,
        path: `${path}/edit`,
        body: shape({
          title: word().max(mergeBounds.title),
          description: maybe(text().max(mergeBounds.description)),
          target_branch: maybe(word()),
          shown: maybe(word().max(500)),
        }),
        async run(_call, { granted, params, body: { title, description = '', target_branch: targetBranch, shown } }) {
          const number = numberIn(params);
          await merges.update(granted, { number, ...onlyChanged({ title, description, targetBranch }, shown) });
          return requestPage(granted.resource, number);
        },
      }),
    ],
    async run(_call, { granted, params, refused }) {
      const number = numberIn(params);
      const [view, standing] = await Promise.all([
        merges.fetch(granted, { number }),
        merges.standing(granted, { number }),
      ]);
      if (!standing.change) throw new NotFound('There is no such page for you');
      return new HtmlPage({
        title: `Edit !${String(number)}`,
        width: 'wide',
        main: html`<h1>Edit !${String(number)}</h1>
          <form class="narrow-form" method="post" action="${requestPage(granted.resource, number, 'edit')}">
            ${formError(refused, 'mergeEdit', 'title', 'description', 'target_branch')}
            ${shownValues({ title: view.title, description: view.description, targetBranch: view.targetBranch }, refused)}
            ${field({ label: 'Title', name: 'title', value: view.title, required: true, refused })}
            ${textArea({ label: 'Description', name: 'description', value: view.description, rows: 12, hint: 'Markdown', refused })}
            ${
              view.state !== 'merged' &&
              field({
                label: 'Into the branch',
                name: 'target_branch',
                value: view.targetBranch,
                hint: 'Another target makes approvals pending',
                refused,
              })
            }
            <div class="actions">
              ${button('Save', { kind: 'primary' })} ${linkButton('Cancel', requestPage(granted.resource, number))}
            </div>
          </form>`,
      });
    },
  });

const commitsPage = (merges: MergeUseCases): WebPage =>
  page({
    ...reading,
    id: 'mergeCommitsPage',
    summary: 'The commits of a merge request',
    place,
    path: `${path}/commits`,
    query: shape({ page: pageQuery.page }),
    async run(call, { granted, params, query, url }) {
      const repository = granted.resource;
      const number = numberIn(params);
      const wanted = { ...readPage(pageRules.orDefault(), query), perPage: mostCommits };
      const [view, { items, truncated }] = await Promise.all([
        merges.fetch(granted, { number }),
        merges.commits(granted, { number, page: wanted }),
      ]);
      return new HtmlPage({
        title: `Commits of ${view.title} (!${String(number)})`,
        width: 'wide',
        live: livePath(repository, number),
        main: html`${requestHead(repository, view, 'commits', call.now)}
          <div id="merge-commits" data-region>
            <h2 class="skip">Commits</h2>
            ${
              items.length === 0
                ? empty('There are no commits that the target lacks')
                : list(items.map((commit) => commitRow(commit, call.now, commitPage(repository, commit.oid))))
            }
            ${truncated && html`<p class="quiet">Messages that are too long are cut.</p>`}
            ${pagination(url, { ...wanted, total: view.changes.commits })}
          </div>`,
      });
    },
  });
