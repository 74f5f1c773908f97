// The card of the dashboard with the issues that wait for the user.
import { html, InsufficientScope, type Call, type DashboardCard, type User } from 'hexforge/plugin';
import { empty, list, time } from 'hexforge/ui';
import { issuePath } from './links.ts';
import { stateMark } from './marks.ts';
import type { PageParts } from './links.ts';

const most = 10;

/** Undefined for a token that may not read issues. */
const readable = <T>(read: () => Promise<T>): Promise<T | undefined> =>
  read().catch((error: unknown) => {
    if (error instanceof InsufficientScope) return undefined;
    throw error;
  });

export const mineCard = ({ useCases }: PageParts): DashboardCard => ({
  id: 'my-issues',
  title: 'My issues',
  order: 30,
  async run(call) {
    if (call.caller.kind !== 'user') return undefined;
    const found = await readable(() => useCases.listMine(call as Call<User>, { limit: most }));
    if (found === undefined) return undefined;
    if (found.length === 0)
      return empty(
        'No open issue is assigned to you or written by you',
        'Open one in the tab “Issues” of a repository.',
      );
    return list(
      found.map(({ repository, number, title, createdAt }) => ({
        mark: stateMark('open'),
        title: html`<a href="${issuePath(repository, number)}"><bdi>${title}</bdi></a>`,
        about: html`<bdi>${repository.owner}/${repository.name}</bdi>#${String(number)} · opened
          ${time(createdAt, call.now)}`,
      })),
    );
  },
});
