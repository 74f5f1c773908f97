// A forge whose users also sign in with an OpenID provider, a directory and a SAML identity provider.
import type { Browser } from 'playwright-core';
import type { Test } from 'tap';
import { startTestForge, type TestForge } from '#test/support/forge';
import { startOidcServer } from '#test/support/servers/oidc-server';
import { startSamlPage, type SamlPage } from '#test/support/servers/saml-identity-provider';
import type { Slapd } from '../../../tools/peers/slapd.ts';
import { baseDn, readerPassword, readers } from '../../../tools/peers/slapd-seed.ts';
import { visitor, type Visit, type Visitor } from '../visitor.ts';

export interface ForgeWithProviders {
  readonly forge: TestForge;
  readonly saml: SamlPage;
  /** A new browser without a session. */
  visit(visit?: Visit): Promise<Visitor>;
}

const client = { id: 'forge', secret: 'a-secret-of-the-forge-0123456789' };

/** The names of the providers on pages. GitLab is down. */
export const names = { oidc: 'Staff', saml: 'Campus', down: 'GitLab' } as const;

export async function forgeWithProviders(
  t: Test,
  { browser, slapd }: { readonly browser: Browser; readonly slapd: Slapd },
): Promise<ForgeWithProviders> {
  let url = '';
  const [oidc, saml] = await Promise.all([startOidcServer(), startSamlPage(() => url)]);
  t.teardown(() => [oidc, saml].forEach((server) => server.stop()));
  const forge = await startTestForge(t, {
    database: 'memory',
    environment: {
      HEXFORGE_PLUGINS: '+ldap,+saml',
      LDAP_URL: slapd.url,
      LDAP_BASE_DN: `ou=people,${baseDn}`,
      LDAP_BIND_DN: readers.usual,
      LDAP_BIND_PASSWORD: readerPassword,
    },
    configuration: {
      settings: {
        'oauth.oidc.enabled': true,
        'oauth.oidc.display_name': names.oidc,
        'oauth.oidc.issuer': oidc.issuer,
        'oauth.oidc.client_id': client.id,
        'oauth.oidc.client_secret': client.secret,
        'oauth.gitlab.enabled': true,
        'oauth.gitlab.issuer': 'http://127.0.0.1:9',
        'oauth.gitlab.client_id': client.id,
        'oauth.gitlab.client_secret': client.secret,
        'saml.enabled': true,
        'saml.display_name': names.saml,
        'saml.idp_metadata': saml.metadata,
      },
    },
  });
  ({ url } = forge);
  oidc.serve({ ...client, redirectUri: `${url}/api/v1/auth/oauth/oidc/callback` });
  return {
    forge,
    saml,
    async visit(visit) {
      const who = await visitor(browser, url, { ...visit, elsewhere: [oidc.issuer, saml.url] });
      t.teardown(() => who.context.close());
      return who;
    },
  };
}
