// The OAuth2 client entity, which users know as an application, and its validation.
import { isLonger } from '#core/kernel/characters';
import { ValidationFailed } from '#core/kernel/errors';
import { adminOnlyScopes } from './scopes.ts';
import { redirectLimits, redirectUriMisfit } from './redirect-uri.ts';

/** How a client authenticates at the token endpoint. `none`: a public client, which uses PKCE only. */
export const authMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;
/** One authentication method. */
export type AuthMethod = (typeof authMethods)[number];

/** A client without its secret. */
export interface Client {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  /** The lower-case name, for searching. */
  readonly nameKey: string;
  readonly description: string;
  readonly homepageUrl: string;
  readonly logoUrl: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly authMethod: AuthMethod;
  /** When its owner last changed `scopes`. A decision that names no scopes must be of a later session. */
  readonly scopesChangedAt: Date | null;
  readonly suspended: boolean;
  /** Null for a client that registered itself. */
  readonly ownerId: string | null;
  /** SHA-256 of the secret; null for a public client. */
  readonly secretHash: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The time when it last received a token. */
  readonly lastUsedAt: Date | null;
}

/** Whether the client authenticates with a secret. */
export const isConfidential = ({ authMethod }: Pick<Client, 'authMethod'>): boolean => authMethod !== 'none';

/** The scopes that the client may request: a subset of those it is registered with. */
export const allowedScopes = (client: Pick<Client, 'authMethod' | 'scopes'>): readonly string[] =>
  isConfidential(client) ? client.scopes : client.scopes.filter((scope) => !adminOnlyScopes.includes(scope));

/** Returns the granted scopes that the client may still use. It may have lost some since the grant. */
export function stillAllowed(
  client: Pick<Client, 'authMethod' | 'scopes'>,
  granted: readonly string[],
): readonly string[] {
  const allowed = allowedScopes(client);
  return granted.filter((scope) => allowed.includes(scope));
}

/** In UTF-16 code units, which JSON Schema's maxLength approximates. */
export const clientLimits = { name: 100, description: 1000, url: 2048, scopes: 50 } as const;

/** The members of an application that its owner sets. */
export interface ClientMembers {
  readonly name: string;
  readonly description: string;
  readonly homepageUrl: string;
  readonly logoUrl: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
}

const invalid = (detail: string): ValidationFailed => new ValidationFailed('The application is not valid', { detail });
/** Bidirectional controls reorder the text that a person reads on the consent page; separators start a new line. */
const misleading = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const visible = /[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** A single line with at least one visible character. */
export const isName = (text: string): boolean =>
  visible.test(text) && !isLonger(text, clientLimits.name) && !misleading.test(text);

/** Shown to users as a link. Only https. The server never fetches it. */
const isLink = (text: string): boolean =>
  text === '' ||
  (!isLonger(text, clientLimits.url) && URL.canParse(text) && /^https:\/\/[^\s\p{C}\\"'<>@]+$/u.test(text));

/**
 * Validates the given members. @param known the scopes of this instance. @throws {ValidationFailed} naming the member;
 * for an unknown scope with the code `unknown_scope`.
 */
export function checkClient(members: Partial<ClientMembers>, known: readonly string[]): void {
  const { name, description, redirectUris, scopes } = members;
  if (name !== undefined && !isName(name)) throw invalid(`"name" is one line of 1 to ${clientLimits.name} characters`);
  if (description !== undefined && /[^\P{Cc}\n\r\t]|\p{Bidi_Control}/u.test(description))
    throw invalid('"description" is text without control characters');
  for (const [field, link] of [
    ['homepage_url', members.homepageUrl],
    ['logo_url', members.logoUrl],
  ] as const)
    if (link !== undefined && !isLink(link)) throw invalid(`"${field}" is an https URL, or empty`);
  if (redirectUris !== undefined) {
    const misfit = redirectUrisMisfit(redirectUris);
    if (misfit !== undefined) throw invalid(`"redirect_uris" ${misfit}`);
  }
  const unknown = scopes?.find((scope) => !known.includes(scope));
  if (unknown !== undefined)
    throw new ValidationFailed('Unknown scope', {
      code: 'unknown_scope',
      detail: `"scopes" names "${unknown.slice(0, 64)}"; known are: ${known.join(', ')}`,
    });
}

/** Describes why the list of URIs is invalid, as the end of a sentence; undefined if it is valid. */
export function redirectUrisMisfit(uris: readonly string[]): string | undefined {
  if (uris.length === 0 || uris.length > redirectLimits.count) return `has 1 to ${redirectLimits.count} URIs`;
  for (const [index, uri] of uris.entries()) {
    const misfit = redirectUriMisfit(uri);
    if (misfit !== undefined) return `has at position ${index + 1} one that ${misfit.slice(0, 300)}`;
  }
  return undefined;
}
