// The box with the rules that block a merge, the advice for each, and the form that merges.
import { html, type Granted, type Html, type HtmlPiece, type RefusedForm } from 'hexforge/plugin';
import type { Mergeability, MergeRuleCode, MergeView } from 'hexforge/merges';
import { mergeStrategies, type MergeStrategy, type Repository } from 'hexforge/repositories';
import { button, checkBox, disclosure, field, formError, plural, select, textArea } from 'hexforge/ui';
import type { MergeStanding, MergeTalk } from '#core/merges/use-cases';
import { requestPage } from './links.ts';
import { branch, sourceOf } from './marks.ts';

export interface Outlook {
  readonly view: MergeView;
  readonly talk: MergeTalk;
  readonly standing: MergeStanding;
  readonly mergeability: Mergeability;
  readonly strategy: MergeStrategy;
}

type Reading = Granted<Repository, 'repo.read'>;

const titles: Readonly<Record<MergeRuleCode, string>> = {
  already_merged: 'It is merged',
  closed: 'It is closed',
  draft_not_ready: 'It is a draft',
  source_access_lost: 'It no longer follows its source',
  source_branch_missing: 'The source branch is gone',
  target_branch_missing: 'The target branch is gone',
  pending_reviews: 'Reviews are missing',
  pipeline_missing: 'A pipeline that succeeds is required, and none has run',
  pipeline_pending: 'The required pipeline has not ended',
  pipeline_failed: 'The required pipeline has not succeeded',
  merge_conflict: 'The branches have conflicting changes',
  rebase_too_long: 'There are too many commits to be rebased',
};

/** The people who can lift the block. */
const who: Readonly<Record<MergeRuleCode, string>> = {
  already_merged: '',
  closed: 'The author, or somebody who can push here or to the source',
  draft_not_ready: 'The author, or somebody who can push here',
  source_access_lost: 'Somebody who can push to the source',
  source_branch_missing: 'Somebody who can push to the source',
  target_branch_missing: 'Somebody who can push here',
  pending_reviews: 'The people whose review is asked, or others who can push here',
  pipeline_missing: 'Somebody who can push to the source',
  pipeline_pending: '',
  pipeline_failed: 'Somebody who can push to the source',
  merge_conflict: 'Somebody who can push to the source',
  rebase_too_long: 'Another strategy has no such limit',
};

const row = (sign: Html, text: HtmlPiece, action?: HtmlPiece): Html =>
  html`<li>
    ${sign}
    <div class="grow">${text}</div>
    ${action}
  </li>`;

const good = html`<span class="plus" role="img" aria-label="Done">✓</span>`;
const missing = html`<span class="warn" role="img" aria-label="Missing">!</span>`;
const failed = html`<span class="minus" role="img" aria-label="In the way">×</span>`;
const waiting = html`<span class="muted" role="img" aria-label="Waiting">○</span>`;

const signOf = (code: MergeRuleCode): Html =>
  code === 'pipeline_pending'
    ? waiting
    : ['merge_conflict', 'pipeline_failed', 'closed'].includes(code)
      ? failed
      : missing;

/** A button that sends a change of the state. */
export const stateButton = (repository: Repository, number: number, label: string, change: string): Html =>
  html`<form method="post" action="${requestPage(repository, number, 'state')}">
    ${button(label, { name: 'change', value: change })}
  </form>`;

export function mergeBox({ resource: repository }: Reading, outlook: Outlook): Html {
  const { view, talk, standing, mergeability } = outlook;
  const { number, targetBranch, ciStatus } = view;
  const approved = talk.reviews.filter(({ state }) => state === 'approved').map(({ user }) => user.username);
  const codes = new Set(mergeability.rules.map(({ code }) => code));
  const change = (label: string, to: string): Html => stateButton(repository, number, label, to);
  const actions: Partial<Record<MergeRuleCode, Html | false>> = {
    draft_not_ready: standing.change && change('Mark as ready', 'ready'),
    closed: standing.close && change('Reopen', 'reopen'),
    source_access_lost: standing.close && change('Reopen', 'reopen'),
  };
  const holds = [
    approved.length > 0 &&
      row(
        good,
        html`Approved by ${approved.map((name, index) => html`${index > 0 && ', '}<b><bdi>${name}</bdi></b>`)}`,
      ),
    ciStatus === 'success' && row(good, 'Pipeline passed'),
    ciStatus !== 'success' && ciStatus !== 'none' && row(waiting, html`Pipeline ${ciStatus}`),
    mergeability.isChecked &&
      !codes.has('merge_conflict') &&
      row(good, html`No conflicts with ${branch(targetBranch)}`),
    view.state === 'open' &&
      !mergeability.isChecked &&
      mergeability.state === 'checking' &&
      row(waiting, 'Git has not looked for conflicts yet; load the page again'),
  ];
  return html`<section class="box merge-box" id="merge-box" data-region aria-label="State of the merge">
    <ul>
      ${view.state === 'open' && holds}
      ${mergeability.rules.map(({ code, detail }) =>
        code === 'already_merged'
          ? row(good, html`Merged into ${branch(targetBranch)}`, standing.deleteSource && deleteForm(repository, view))
          : row(
              signOf(code),
              html`<b>${titles[code]}</b>
                <div class="quiet">${detail}${who[code] !== '' && html` · ${who[code]}`}</div>
                ${code === 'merge_conflict' && conflictsOf(outlook)}`,
              code === 'closed' && standing.deleteSource
                ? html`${actions[code]} ${deleteForm(repository, view)}`
                : actions[code],
            ),
      )}
    </ul>
  </section>`;
}

/** Shown by the script when the head moves: reviews and merges stay bound to the head that the page showed at first. */
export const movedNote = (repository: Repository, { number, headOid }: MergeView): Html =>
  html`<div id="merge-moved" data-region>
    <input type="hidden" name="sha" value="${headOid}" data-loaded />
    <p class="alert" role="alert" data-moved hidden>
      The source branch has changed since you opened this page.
      <a href="${requestPage(repository, number)}">Load the page again</a> before you review or merge it.
    </p>
  </div>`;

const mostPaths = 20;

/** The files with conflicts, and commands that resolve them. */
const conflictsOf = ({ view, mergeability: { conflicts } }: Outlook): Html =>
  html`<ul class="quiet">
      ${conflicts.slice(0, mostPaths).map((path) => html`<li><bdi>${path}</bdi></li>`)}
      ${conflicts.length > mostPaths && html`<li>and ${plural(conflicts.length - mostPaths, 'other')}</li>`}
    </ul>
    ${disclosure(
      'How to resolve them',
      html`<pre class="text">
git fetch origin
git switch ${view.sourceBranch}
git merge origin/${view.targetBranch}
git push</pre>`,
    )}`;

const deleteForm = (repository: Repository, { number, source, sourceBranch, ...view }: MergeView): Html =>
  html`<form method="post" action="${requestPage(repository, number, 'delete-source')}">
    <button class="button danger">Delete ${sourceOf({ sourceBranch, ...view }, source, false)}</button>
  </form>`;

const strategyNames: Readonly<Record<MergeStrategy, string>> = {
  merge: 'Merge commit',
  squash: 'Squash into one commit',
  rebase: 'Rebase the commits',
};

/** The form that merges, for callers who may. It is a separate region, so that what is typed stays. */
export function mergeForm(
  { resource: repository }: Reading,
  { view, standing, mergeability, strategy }: Outlook,
  refused: RefusedForm | undefined,
): Html {
  // A conflict depends on the strategy, so that another one can be chosen.
  const isBlocked = mergeability.rules.some(({ code }) => code !== 'merge_conflict' && code !== 'rebase_too_long');
  const offered = view.state === 'open' && standing.merge && !isBlocked;
  const ready = mergeability.rules.length === 0;
  const own = refused?.form === 'mergeMergeForm' ? refused : undefined;
  return html`<div id="merge-form" data-region>
    ${
      offered &&
      html`<form class="merge-form" method="post" action="${requestPage(repository, view.number, 'merge')}">
        ${formError(own, 'mergeMergeForm')}
        <input type="hidden" name="sha" value="${view.headOid}" data-loaded />
        ${select({
          label: 'Strategy',
          name: 'strategy',
          value: strategy,
          choices: mergeStrategies.map((value) => ({ value, label: strategyNames[value] })),
          refused: own,
        })}
        ${checkBox({ label: `Delete ${view.sourceBranch} afterwards`, name: 'delete_source_branch', refused: own })}
        ${disclosure(
          'Message and author',
          html`${textArea({
            label: 'Message of the commit',
            name: 'commit_message',
            rows: 4,
            hint: 'Empty: the usual one. Of rebased commits no message is changed.',
            refused: own,
          })}
          ${field({ label: 'Name of the author', name: 'author_name', hint: 'Empty: your username', refused: own })}
          ${field({ label: 'Address of the author', name: 'author_email', type: 'email', refused: own })}`,
          { open: own !== undefined },
        )}
        <div class="actions">${button('Merge', ready ? { kind: 'primary' } : {})}</div>
      </form>`
    }
  </div>`;
}
