// The service provider: its metadata, its requests, and the verification of responses.
import { BadGateway } from '#core/kernel/errors';
import type { VerifiedAssertion } from './assertion.ts';
import type { SamlKeys } from './certificate.ts';
import type { IdentityProvider } from './metadata.ts';
import { bindings, nameFormats, rsaSha256, spaces } from './names.ts';
import { verifyResponseText } from './response.ts';
import { samlify } from './samlify.ts';
import { escapeXml } from './xml.ts';

export interface ServiceProviderOptions {
  readonly entityId: string;
  readonly acsUrl: string;
  /** Without these keys, encrypted assertions are refused. */
  readonly encryption?: SamlKeys | undefined;
  /** Without these keys, requests are not signed. */
  readonly signing?: SamlKeys | undefined;
}

export interface ServiceProvider {
  /** The metadata, as XML. */
  metadata(): Promise<string>;
  /**
   * The URL at which the browser signs in (HTTP-Redirect binding).
   * @param request `id`: of the request, an XML name. `relayState`: at most 80 bytes.
   */
  requestUrl(
    idp: IdentityProvider,
    request: { readonly id: string; readonly relayState: string; readonly now: Date },
  ): Promise<string>;
  /**
   * Verifies the form field `SAMLResponse`. Whether the assertion was used before, and whether the request belongs to
   * the browser, is left to the caller.
   * @throws {Forbidden} with a code of `SamlRefusal`.
   */
  verify(idp: IdentityProvider, samlResponse: string, at: { readonly now: Date }): Promise<VerifiedAssertion>;
}

/** The metadata of an identity provider as samlify needs them for requests: nothing but what was checked. */
const reduced = ({ entityId, redirectUrl }: IdentityProvider, isSigned: boolean): string =>
  `<EntityDescriptor xmlns="${spaces.metadata}" entityID="${escapeXml(entityId)}">` +
  `<IDPSSODescriptor WantAuthnRequestsSigned="${isSigned}" protocolSupportEnumeration="${spaces.protocol}">` +
  `<SingleSignOnService Binding="${bindings.redirect}" Location="${escapeXml(redirectUrl)}"/>` +
  `</IDPSSODescriptor></EntityDescriptor>`;

/** A service provider. It keeps no state and asks no other server. */
export function serviceProvider({ entityId, acsUrl, encryption, signing }: ServiceProviderOptions): ServiceProvider {
  const own = async () => {
    const { ServiceProvider: Entity } = await samlify();
    return Entity({
      entityID: entityId,
      authnRequestsSigned: signing !== undefined,
      wantAssertionsSigned: true,
      nameIDFormat: [nameFormats.email],
      assertionConsumerService: [{ Binding: bindings.post, Location: acsUrl, isDefault: true }],
      ...(encryption !== undefined && { encryptCert: encryption.certificate }),
      ...(signing !== undefined && {
        signingCert: signing.certificate,
        privateKey: signing.privateKey,
        requestSignatureAlgorithm: rsaSha256,
      }),
    });
  };

  return {
    metadata: async () => (await own()).getMetadata(),

    async requestUrl(idp, { id, relayState, now }) {
      const { IdentityProvider: Entity, SamlLib } = await samlify();
      const tags = {
        ID: id,
        Destination: idp.redirectUrl,
        Issuer: entityId,
        IssueInstant: now.toISOString(),
        NameIDFormat: nameFormats.email,
        ProtocolBinding: bindings.post,
        AssertionConsumerServiceURL: acsUrl,
        AssertionConsumerServiceIndex: undefined,
        AllowCreate: 'true',
        ForceAuthn: 'false',
      };
      if (idp.wantsSignedRequests && signing === undefined)
        throw new BadGateway('The identity provider requires signed requests');
      const theirs = Entity({ metadata: reduced(idp, signing !== undefined) });
      const { context } = (await own()).createLoginRequest(theirs, 'redirect', {
        relayState,
        customTagReplacement: (template: string) => ({ id, context: SamlLib.replaceTagsByValue(template, tags) }),
      });
      if (!URL.canParse(context)) throw new BadGateway('The address of the identity provider cannot be used');
      return context;
    },

    verify: (idp, samlResponse, { now }) =>
      verifyResponseText(idp, samlResponse, { entityId, acsUrl, privateKey: encryption?.privateKey, now }),
  };
}
