// The refusals of SAML responses: one code per kind of fault. The sentences contain nothing of the response.
import { Forbidden } from '#core/kernel/errors';
import { XmlFault } from './xml.ts';

const sentences = {
  saml_malformed: 'The response of the identity provider is not well-formed',
  saml_structure: 'The response of the identity provider does not consist of one signed assertion',
  saml_algorithm: 'The response of the identity provider uses an algorithm that is not accepted',
  saml_signature: 'The signature of the identity provider is missing or wrong',
  saml_encryption: 'The assertion of the identity provider cannot be decrypted',
  saml_metadata_expired: 'The metadata of the identity provider has expired',
  saml_issuer: 'The response comes from another identity provider',
  saml_status: 'The identity provider reports that the sign-in failed',
  saml_destination: 'The response was made for another address',
  saml_recipient: 'The assertion was made for another address',
  saml_audience: 'The assertion was made for another service',
  saml_in_response_to: 'The response does not belong to a sign-in that this browser started',
  saml_conditions: 'The assertion lacks conditions that are required, or has unknown ones',
  saml_confirmation: 'The assertion has no bearer confirmation',
  saml_not_yet_valid: 'The assertion is not valid yet',
  saml_expired: 'The assertion has expired',
  saml_subject: 'The assertion does not name a permanent user',
  saml_authentication: 'The assertion does not say that the user signed in, or the session has ended',
  saml_replayed: 'The assertion was used before',
} as const;

/** The codes of refused SAML responses. */
export type SamlRefusal = keyof typeof sentences;

/** @param detail what is wrong, without texts of the response. */
export const refused = (code: SamlRefusal, detail?: string, cause?: unknown): Forbidden =>
  new Forbidden(sentences[code], { code, ...(detail !== undefined && { detail }), cause });

/** Whether an error is the refusal of a response. */
export const isRefusal = (error: unknown): error is Forbidden & { readonly code: SamlRefusal } =>
  error instanceof Forbidden && Object.hasOwn(sentences, error.code);

/** Runs a step. Faults of the XML become refusals. */
export function readingXml<T>(code: SamlRefusal, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof XmlFault ? refused(code, `It contains ${error.message}`) : error;
  }
}
