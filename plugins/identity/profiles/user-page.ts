// The page of a user: the public profile, and what the user owns.
import {
  anonymous,
  anyone,
  html,
  HtmlPage,
  offsetOf,
  page,
  pageQuery,
  readPage,
  pageRules,
  shape,
  type Html,
  type WebPage,
} from 'hexforge/plugin';
import { isBotName, type Account, type ProfileItem, type ProfileLists } from 'hexforge/identity';
import { avatar, empty, icon, linkButton, list, pagination, pill, time } from 'hexforge/ui';
import type { IdentityUseCases } from '#core/identity/use-cases';

const perPage = 30;

const items = (all: readonly ProfileItem[], now: Date): Html =>
  list(
    all.map(({ name, path, about, mark, changedAt }) => ({
      mark: icon('folder'),
      title: html`<a href="${path}"><bdi>${name}</bdi></a> ${mark !== '' && pill(mark)}`,
      about: about === '' ? undefined : html`<bdi>${about}</bdi>`,
      end: html`changed ${time(changedAt, now)}`,
    })),
  );

function about({ username, displayName, bio, createdAt }: Account, own: boolean, now: Date): Html {
  return html`<section class="profile">
    ${avatar(username, 'large')}
    <div>
      <h1><bdi>${displayName === '' ? username : displayName}</bdi></h1>
      <p class="muted">
        ${displayName !== '' && html`<bdi>${username}</bdi> · `}${isBotName(username) && html`bot of a plugin · `}joined
        ${time(createdAt, now)}
      </p>
      ${bio !== '' && html`<p class="bio"><bdi>${bio}</bdi></p>`}
    </div>
    ${own && linkButton('Edit', '/-/settings/profile', { key: 'e' })}
  </section>`;
}

interface Parts {
  readonly profiles: IdentityUseCases['profiles'];
  /** Called on each use, because plugins may be added later. */
  readonly lists: () => readonly ProfileLists[];
}

export const userPages = ({ profiles, lists }: Parts): readonly WebPage[] => [
  page({
    id: 'userPage',
    summary: 'A user, and what the user owns',
    place: 'root',
    path: '/{user}',
    access: anyone,
    scope: null,
    query: shape(pageQuery),
    async run(call, { params, query, url }) {
      const account = await profiles.public(call, { username: params.user });
      const { caller } = call;
      // A token with few scopes shows what everybody can see.
      const reader = caller.kind === 'user' && caller.credential.scopes === 'all' ? caller : anonymous;
      const { page: number } = readPage(pageRules.orDefault(perPage, perPage), { page: query.page });
      const slice = { limit: perPage + 1, offset: offsetOf({ page: number, perPage }) };
      const found = await Promise.all(
        lists().map(async (one) => ({ title: one.title, all: await one.list(reader, account.id, slice) })),
      );
      const own = caller.kind === 'user' && caller.id === account.id;
      return new HtmlPage({
        title: account.displayName === '' ? account.username : `${account.displayName} (${account.username})`,
        width: 'wide',
        main: html`${about(account, own, call.now)}
        ${found.map(
          ({ title, all }) =>
            html`<section>
              <h2>${title}</h2>
              ${
                all.length > 0
                  ? items(all.slice(0, perPage), call.now)
                  : empty(
                      number > 1 ? 'There are no more' : own ? 'You have none yet' : 'There is none that you can see',
                    )
              }
              ${pagination(url, { page: number, perPage, more: all.length > perPage })}
            </section>`,
        )}`,
      });
    },
  }),
];
