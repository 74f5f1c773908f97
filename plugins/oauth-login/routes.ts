// The routes of a sign-in by OAuth: its start, and the callback to which the provider sends the browser back.
import {
  anyone,
  api,
  Forbidden,
  Joi,
  list,
  maybe,
  sendTo,
  shape,
  text,
  word,
  type ExternalSignIn,
  type Optional,
  type Route,
} from 'hexforge/plugin';
import type { ProviderAnswer, SignInClient } from '#adapters/oidc/index';
import { paths, type ConfiguredProviders } from './providers.ts';

export interface RoutesParts {
  readonly signIn: () => ExternalSignIn;
  readonly client: SignInClient;
  readonly providers: ConfiguredProviders;
}

/** The longest values of parameters that are accepted. */
const longest = { code: 4096, iss: 2048, error: 100 } as const;

/** A parameter, also if it is repeated: the callback words that refusal itself. */
const parameter = (): Optional<Joi.AnySchema<string | readonly string[]>> =>
  maybe(Joi.alternatives<string | readonly string[]>(text(), list(text())));

const callbackQuery = shape({
  code: parameter(),
  state: parameter(),
  iss: parameter().description('RFC 9207'),
  error: parameter(),
  error_description: parameter().description('Ignored'),
  error_uri: parameter().description('Ignored'),
});

type Query = Readonly<Partial<Record<string, string | readonly string[]>>>;

const malformed = (name: string): Forbidden =>
  new Forbidden('The answer of the provider is not valid', {
    code: 'provider_answer_invalid',
    detail: `"${name}" is repeated or malformed`,
  });

/** An empty parameter counts as absent. @throws {Forbidden} if it is repeated or malformed. */
function single(query: Query, name: string, most: number): string | undefined {
  const value = query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || value.length > most || !/^[\x20-\x7e]+$/.test(value)) throw malformed(name);
  return value;
}

function answerIn(query: Query): ProviderAnswer {
  for (const name of ['error_description', 'error_uri']) if (Array.isArray(query[name])) throw malformed(name);
  return {
    code: single(query, 'code', longest.code),
    iss: single(query, 'iss', longest.iss),
    error: single(query, 'error', longest.error),
  };
}

/** A state is 43 characters of base64url; anything else was not issued here. */
const stateIn = ({ state }: Query): string | undefined =>
  typeof state === 'string' && /^[\w-]{43}$/.test(state) ? state : undefined;

const common = { method: 'GET', access: anyone, scope: null, result: 'empty', errorPages: true } as const;

export const oauthLoginRoutes = ({ signIn, client, providers }: RoutesParts): readonly Route[] => [
  api({
    ...common,
    id: 'oauthLoginStart',
    summary: 'Send the browser to a provider to sign in',
    path: paths.start,
    query: shape({ return_to: maybe(word().empty('').max(16_384)).description('A path of this instance') }),
    success: 302,
    statuses: [404, 502],
    run: async (call, { params, query, header }) =>
      sendTo(await signIn().start(call, params.provider, { cookie: header('cookie'), returnTo: query.return_to }), 302),
  }),
  api({
    ...common,
    id: 'oauthLoginCallback',
    summary: 'Sign in with the answer of a provider',
    path: paths.callback,
    query: callbackQuery,
    success: 303,
    statuses: [403, 404, 409, 422, 502],
    async run(call, { params, query, header, browser }) {
      const provider = await providers.provider(params.provider);
      const step = await signIn().finish(call, provider.id, {
        state: stateIn(query),
        cookie: header('cookie'),
        browser,
        identify: (kept) => client.identify(provider, kept, answerIn(query), call.signal),
      });
      return sendTo(step, 303);
    },
  }),
];
