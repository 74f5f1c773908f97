// A SAML identity provider of the tests: its answers, signed, and its page in this process.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import { makeSamlKeys, type SamlKeys } from '#adapters/saml/index';
import { assertion, base64, facts, honest, idpMetadata, response, signed } from './saml-oracle.ts';

/** A key pair of an identity provider. */
export const identityProviderKeys = (name: string): Promise<SamlKeys> => makeSamlKeys(name, new Date(), 2048);

/** The fields of the form that takes an answer to the service provider. */
export type SamlForm = Record<'SAMLResponse' | 'RelayState', string>;

/** A text with the times of the oracle moved to the present. */
const present = (xml: string): string =>
  xml.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
    new Date(Date.parse(time) + Date.now() - facts.now.getTime()).toISOString(),
  );

/**
 * Answers a request of the forge at this address: NAME@example.org has signed in.
 * @param request the URL to which the forge sent the browser.
 */
export function samlAnswer(forgeUrl: string, request: string, name: string, keys: SamlKeys): SamlForm {
  const { searchParams } = new URL(request);
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  const id = /\bID="(?<id>[^"]+)"/.exec(xml)?.groups?.['id'] ?? '';
  const content = signed(
    present(
      assertion({
        id: `_a${id}`,
        nameId: honest.nameId.replace(facts.nameId, `${name}@example.org`),
        confirmation: honest.confirmation.replace(facts.acsUrl, `${forgeUrl}/saml/acs`).replace(facts.request, id),
        conditions: honest.conditions.replace(facts.entityId, `${forgeUrl}/saml/metadata`),
      }),
    ),
    keys,
  );
  const attributes = { attributes: `Destination="${forgeUrl}/saml/acs" `, inResponseTo: `InResponseTo="${id}" ` };
  const envelope = present(response('<!>', attributes));
  return {
    SAMLResponse: base64(envelope.replace('<!>', () => content)),
    RelayState: searchParams.get('RelayState') ?? '',
  };
}

/** Posts a form from the page of another site, without cookies, as browsers do. */
export const postSaml = (
  forge: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${forge}/saml/acs`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: 'https://idp.example', 'sec-fetch-site': 'cross-site', ...headers },
    body: new URLSearchParams(form),
  });

export interface SamlPage {
  /** The origin of the page: `localhost`, another site than 127.0.0.1. */
  readonly url: string;
  readonly metadata: string;
  /** Changes the user that is signed in at the identity provider. */
  signIn(name: string): void;
  stop(): void;
}

/** Starts the page. It answers every request of the forge at once, by a form that a script or a button submits. */
export async function startSamlPage(forgeUrl: () => string): Promise<SamlPage> {
  const keys = await identityProviderKeys('Identity provider');
  let who = 'sam';
  const server = createServer((request, answer) => {
    if (request.url?.startsWith('/sso?') !== true) return void answer.writeHead(204).end();
    const { SAMLResponse, RelayState } = samlAnswer(forgeUrl(), `${url}${request.url}`, who, keys);
    answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html>
      <title>Identity provider</title>
      <form method="post" action="${forgeUrl()}/saml/acs">
        <input type="hidden" name="SAMLResponse" value="${SAMLResponse}">
        <input type="hidden" name="RelayState" value="${RelayState}">
        <button>Continue as ${who}</button>
      </form>
      <script>document.forms[0].submit();</script>`);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    metadata: idpMetadata({ keys: [['signing', keys.certificate]], sso: `${url}/sso` }),
    signIn(name) {
      who = name;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
