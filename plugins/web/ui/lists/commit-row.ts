// A commit in a list.
import { html } from 'hexforge/plugin';
import type { Row } from '../list.ts';
import { time } from '../time.ts';

/** A commit. */
export interface ShownCommit {
  readonly oid: string;
  readonly message: string;
  readonly author: { readonly name: string };
  readonly committer: { readonly date: Date };
}

/**
 * A commit as a row of `list`: its subject, its author and its short id.
 * @param href the page of the commit, if there is one.
 */
export function commitRow({ oid, message, author, committer }: ShownCommit, now: Date, href?: string): Row {
  const subject = html`<bdi>${message.split('\n', 1)[0]}</bdi>`;
  const id = html`<code>${oid.slice(0, 7)}</code>`;
  return {
    title: href === undefined ? subject : html`<a href="${href}">${subject}</a>`,
    about: html`<bdi>${author.name}</bdi> committed ${time(committer.date, now)}`,
    end: href === undefined ? id : html`<a href="${href}">${id}</a>`,
  };
}
