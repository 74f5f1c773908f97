// An OAuth2 client, which users know as an application: what is true of one on paper.
import { ValidationFailed } from '#core/kernel/errors';
import { adminOnlyScopes } from './scopes.ts';
import { redirectLimits, redirectUriMisfit } from './redirect-uri.ts';

/** How a client proves itself at the token endpoint; `none`: a public client, by PKCE alone. */
export const authMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;
/** One of them. */
export type AuthMethod = (typeof authMethods)[number];

/** A client, without its secret. */
export interface Client {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  /** Lower case, for searching. */
  readonly nameKey: string;
  readonly description: string;
  readonly homepageUrl: string;
  readonly logoUrl: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly authMethod: AuthMethod;
  readonly suspended: boolean;
  /** Null for one that registered itself. */
  readonly ownerId: string | null;
  /** SHA-256 of its secret; null for a public client. */
  readonly secretHash: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When it was last given a token. */
  readonly lastUsedAt: Date | null;
}

/** Whether it has a secret to prove itself with. */
export const isConfidential = ({ authMethod }: Pick<Client, 'authMethod'>): boolean => authMethod !== 'none';

/** What it may ask for, of what it is registered with. */
export const allowedScopes = (client: Pick<Client, 'authMethod' | 'scopes'>): readonly string[] =>
  isConfidential(client) ? client.scopes : client.scopes.filter((scope) => !adminOnlyScopes.includes(scope));

/** Of scopes that were granted, those it may still have: it may have lost some since. */
export function stillAllowed(
  client: Pick<Client, 'authMethod' | 'scopes'>,
  granted: readonly string[],
): readonly string[] {
  const allowed = allowedScopes(client);
  return granted.filter((scope) => allowed.includes(scope));
}

/** In UTF-16 units, as JSON Schema's maxLength nearly is. */
export const clientLimits = { name: 100, description: 1000, url: 2048, scopes: 50 } as const;

/** What its owner says of an application. */
export interface ClientMembers {
  readonly name: string;
  readonly description: string;
  readonly homepageUrl: string;
  readonly logoUrl: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
}

const invalid = (detail: string): ValidationFailed => new ValidationFailed('The application is not valid', { detail });
/** Bidirectional controls turn around what a person reads on the page of consent, separators begin another line. */
const misleading = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const visible = /[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** One visible line. */
export const isName = (text: string): boolean =>
  visible.test(text) && text.length <= clientLimits.name && !misleading.test(text);

/** Shown to users as links: https alone, and never fetched by us. */
const isLink = (text: string): boolean =>
  text === '' ||
  (text.length <= clientLimits.url && URL.canParse(text) && /^https:\/\/[^\s\p{C}\\"'<>@]+$/u.test(text));

/**
 * Checks what is given. @param known the scopes of this instance. @throws {ValidationFailed} naming the member, with
 * the code `unknown_scope` for a scope.
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

/** What is wrong with a list of them, as a sentence goes on; undefined where nothing is. */
export function redirectUrisMisfit(uris: readonly string[]): string | undefined {
  if (uris.length === 0 || uris.length > redirectLimits.count) return `has 1 to ${redirectLimits.count} URIs`;
  for (const [index, uri] of uris.entries()) {
    const misfit = redirectUriMisfit(uri);
    if (misfit !== undefined) return `has at position ${index + 1} one that ${misfit.slice(0, 300)}`;
  }
  return undefined;
}
