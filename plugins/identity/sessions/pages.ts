// The page for signing out. The menu of every page has the same form.
import { anyone, form, html, HtmlPage, page, reply, shape, type WebPage } from 'hexforge/plugin';
import { button, formError } from 'hexforge/ui';
import type { IdentityUseCases } from '#core/identity/use-cases';
import { clearedOfPages } from './cookies.ts';

export const sessionPages = ({ sessions }: IdentityUseCases): readonly WebPage[] => [
  page({
    id: 'signOutPage',
    summary: 'Asks whether to sign out',
    path: '/sign-out',
    access: anyone,
    scope: null,
    run: (_call, { refused }) =>
      new HtmlPage({
        title: 'Sign out',
        main: html`<h1>Sign out?</h1>
          ${formError(refused, 'signOut')}
          <form method="post">${button('Sign out', { kind: 'primary' })}</form>`,
      }),
    forms: [
      form({
        id: 'signOut',
        summary: 'Ends the session',
        path: '/sign-out',
        access: anyone,
        scope: null,
        body: shape({}),
        async run(call) {
          // Nothing is left to end if the session has ended elsewhere.
          if (call.caller.kind === 'user') await sessions.signOut(call, { access: undefined, refresh: undefined });
          return reply('/', { cookies: clearedOfPages });
        },
      }),
    ],
  }),
];
