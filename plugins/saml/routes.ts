// The routes of sign-in with SAML. None reads a credential: the sign-in is bound to the browser by its own cookie.
import { anyone, api, ByteStream, Joi, maybe, sendTo, shape, word, type Route } from 'hexforge/plugin';
import { longestResponse } from '#adapters/saml/index';
import { answered } from './answers.ts';
import type { SamlSignIn } from './sign-in.ts';
import { longestTicket } from './ticket.ts';

/** `+`, `/` and `=` of base64 are three characters each in a form; line breaks are six. */
const longestForm = Math.ceil(longestResponse * 1.25) + 8_192;

const common = { access: anyone, scope: null, result: 'empty', errorPages: true } as const;
/** The answers to browsers that return from the identity provider. */
const returning = { success: 303, statuses: [403, 404, 409, 422, 502] } as const;

export const samlRoutes = (parts: () => SamlSignIn): readonly Route[] => [
  api({
    ...common,
    id: 'samlMetadata',
    summary: 'The metadata of this instance as a SAML service provider',
    method: 'GET',
    mount: 'root',
    path: '/saml/metadata',
    hidden: true,
    result: 'bytes',
    statuses: [],
    async run({ now }) {
      const xml = Buffer.from(await parts().metadata(now));
      return new ByteStream(
        (async function* () {
          yield xml;
        })(),
        { type: 'application/samlmetadata+xml', length: xml.length },
      );
    },
  }),
  api({
    ...common,
    id: 'samlStart',
    summary: 'Sends the browser to the SAML identity provider',
    method: 'GET',
    path: '/auth/saml/start',
    query: shape({ return_to: maybe(word().empty('').max(16_384)) }),
    success: 302,
    statuses: [404, 502],
    run: async (call, { query, header }) =>
      sendTo(await parts().start(call, { cookie: header('cookie'), returnTo: query.return_to }), 302),
  }),
  api({
    ...common,
    id: 'samlAnswer',
    summary: 'Takes the answer of the identity provider (HTTP-POST binding)',
    method: 'POST',
    mount: 'root',
    path: '/saml/acs',
    hidden: true,
    ...returning,
    form: true,
    maxBytes: longestForm,
    body: shape({ SAMLResponse: Joi.string().required(), RelayState: maybe(Joi.string()) }),
    run: (call, { body, header, browser }) =>
      answered(browser, () =>
        parts().posted(call, {
          browser,
          samlResponse: body.SAMLResponse,
          relayState: body.RelayState,
          cookie: header('cookie'),
        }),
      ),
  }),
  api({
    ...common,
    id: 'samlReturn',
    summary: 'Finishes the sign-in with the cookies of the browser',
    method: 'GET',
    mount: 'root',
    path: '/saml/acs',
    hidden: true,
    ...returning,
    query: shape({ ticket: word().max(longestTicket) }),
    run: (call, { query, header, browser }) =>
      answered(browser, () => parts().returned(call, query.ticket, { cookie: header('cookie'), browser })),
  }),
];
