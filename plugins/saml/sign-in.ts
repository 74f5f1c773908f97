// Sign-in with SAML: the request, and the answer of the identity provider in one or two steps.
import {
  Forbidden,
  NotFound,
  type BrowserStep,
  type Call,
  type Clock,
  type ExternalSignIn,
  type Ids,
  type Sealer,
  type Settings,
  type SignInFlow,
  type SignInStep,
} from 'hexforge/plugin';
import {
  isRefusal,
  refused,
  serviceProvider,
  type IdentityProvider,
  type MetadataSource,
  type VerifiedAssertion,
} from '#adapters/saml/index';
import type { SamlKeyPairs } from './keys.ts';
import { openTicket, sealTicket, type Answer, type VerifiedResult } from './ticket.ts';
import { claimsOf, userOf } from './user.ts';

export const providerId = 'saml';

/** In the order of the form. */
const settingKeys = [
  'saml.enabled',
  'saml.display_name',
  'saml.idp_metadata_url',
  'saml.idp_metadata',
  'saml.attribute.username',
  'saml.attribute.email',
  'saml.attribute.display_name',
];

const missing: SignInStep = {
  title: 'Metadata',
  outcome: 'bad',
  about: 'Neither the metadata of the identity provider nor their URL are set',
};

const stepsOf = ({
  entityId,
  redirectUrl,
  certificates,
  validUntil,
  warnings,
}: IdentityProvider): readonly SignInStep[] => [
  { title: 'Identity provider', outcome: 'good', about: entityId },
  { title: 'Sign-in page', outcome: 'good', about: redirectUrl },
  { title: 'Certificates', outcome: 'good', about: String(certificates.length) },
  ...(validUntil === undefined
    ? []
    : [{ title: 'Valid until', outcome: 'good' as const, about: validUntil.toISOString() }]),
  ...warnings.map((about) => ({ title: 'Warning', outcome: 'unknown' as const, about })),
];

interface Parts {
  readonly settings: Settings;
  readonly source: MetadataSource;
  readonly keys: (now: Date) => Promise<SamlKeyPairs>;
  readonly sealer: Sealer;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly external: () => ExternalSignIn;
  readonly webUrl: () => string;
}

export function samlSignIn({ settings, source, keys, sealer, ids, clock, external, webUrl }: Parts) {
  const configured = async () => ({
    xml: await settings.get('saml.idp_metadata'),
    url: await settings.get('saml.idp_metadata_url'),
  });
  const provider = async (now: Date) =>
    serviceProvider({
      entityId: `${webUrl()}/saml/metadata`,
      acsUrl: `${webUrl()}/saml/acs`,
      ...(await keys(now)),
    });

  const identityProvider = async (now: Date): Promise<IdentityProvider> => {
    const idp = await source.current(await configured(), now);
    if (idp === undefined) throw new NotFound('Sign-in with SAML is not configured');
    return idp;
  };

  /** A signature by an unknown certificate may mean that the identity provider has a new one. */
  const verified = async (samlResponse: string, now: Date): Promise<VerifiedAssertion> => {
    const idp = await identityProvider(now);
    const own = await provider(now);
    try {
      return await own.verify(idp, samlResponse, { now });
    } catch (error) {
      if (!(error instanceof Forbidden) || error.code !== 'saml_signature') throw error;
      const renewed = await source.refreshed(await configured(), now);
      if (renewed === undefined) throw error;
      return own.verify(renewed, samlResponse, { now });
    }
  };

  const verifiedResult = async (assertion: VerifiedAssertion): Promise<VerifiedResult> => {
    const user = userOf(assertion, {
      username: await settings.get('saml.attribute.username'),
      email: await settings.get('saml.attribute.email'),
      displayName: await settings.get('saml.attribute.display_name'),
    });
    const once = { key: assertion.assertionId, until: assertion.notOnOrAfter };
    return { inResponseTo: assertion.inResponseTo, identified: { user, once, claims: claimsOf(assertion) } };
  };

  const finish = (call: Call, { state, result }: Answer, from: { cookie: string | undefined; browser: boolean }) =>
    external().finish(call, providerId, {
      state,
      ...from,
      async identify(kept) {
        if ('refusal' in result) throw refused(result.refusal, result.detail);
        if (kept !== result.inResponseTo) throw refused('saml_in_response_to');
        return result.identified;
      },
    });

  /** The verified answer. A refusal of an answer that has a state is reported where the browser began. */
  const resultOf = async (samlResponse: string, now: Date): Promise<Answer['result']> => {
    const assertion = await verified(samlResponse, now);
    if (await external().isUsed(providerId, assertion.assertionId)) throw refused('saml_replayed');
    return verifiedResult(assertion);
  };

  const flow: SignInFlow = {
    async providers() {
      const { xml, url } = await configured();
      if (!(await settings.get('saml.enabled')) || (xml === '' && url === '')) return [];
      const displayName = await settings.get('saml.display_name');
      return [{ id: providerId, displayName, startPath: '/api/v1/auth/saml/start' }];
    },
    async start(name, state) {
      if (name !== providerId) throw new NotFound('There is no such sign-in provider');
      const now = clock.now();
      const idp = await identityProvider(now);
      // An XML name, which cannot start with a digit.
      const id = `_${Buffer.from(ids.bytes(20)).toString('hex')}`;
      return { redirectUrl: await (await provider(now)).requestUrl(idp, { id, relayState: state, now }), kept: id };
    },
    async configured() {
      return [
        {
          id: providerId,
          displayName: await settings.get('saml.display_name'),
          enabled: (await flow.providers()).length > 0,
          settings: settingKeys,
          registration: [
            { title: 'Entity ID, and URL of the metadata', value: `${webUrl()}/saml/metadata` },
            { title: 'Assertion consumer service', value: `${webUrl()}/saml/acs` },
          ],
        },
      ];
    },
    async inspect() {
      try {
        const idp = await source.current(await configured(), clock.now());
        return idp === undefined ? [missing] : stepsOf(idp);
      } catch (error) {
        return [{ title: 'Metadata', outcome: 'bad', about: error instanceof Error ? error.message : 'unusable' }];
      }
    },
  };

  return {
    flow,
    metadata: async (now: Date): Promise<string> => (await provider(now)).metadata(),

    /** @throws {NotFound} while it is not enabled. */
    async start(call: Call, from: Parameters<ExternalSignIn['start']>[2]): Promise<BrowserStep> {
      if (!(await settings.get('saml.enabled'))) throw new NotFound('Sign-in with SAML is not enabled');
      return external().start(call, providerId, from);
    },

    /**
     * The answer of the identity provider, which its page posts. Browsers send no `SameSite=Lax` cookies with that, so
     * usually the verified answer is returned to this instance once more, as a ticket.
     */
    async posted(
      call: Call,
      {
        samlResponse,
        relayState,
        cookie,
        browser,
      }: {
        readonly samlResponse: string;
        readonly relayState: string | undefined;
        readonly cookie: string | undefined;
        readonly browser: boolean;
      },
    ): Promise<BrowserStep> {
      const { now } = call;
      const state = relayState !== undefined && /^[\w-]{43}$/.test(relayState) ? relayState : undefined;
      const result = await resultOf(samlResponse, now).catch((error: unknown) => {
        if (!browser || state === undefined || !isRefusal(error)) throw error;
        return { refusal: error.code, detail: error.detail };
      });
      if (state === undefined) throw refused('saml_in_response_to');
      const answer = { state, result };
      if (external().expects(providerId, state, cookie, now)) return finish(call, answer, { cookie, browser });
      return { location: `/saml/acs?ticket=${sealTicket(sealer, answer, now)}`, cookies: [] };
    },

    /** The same answer, with the cookies of the browser. */
    returned: (
      call: Call,
      ticket: string,
      from: { readonly cookie: string | undefined; readonly browser: boolean },
    ): Promise<BrowserStep> => finish(call, openTicket(sealer, ticket, call.now), from),
  };
}
export type SamlSignIn = ReturnType<typeof samlSignIn>;
