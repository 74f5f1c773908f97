// The user whom a provider describes: claims of OpenID Connect (Core 1.0, section 5.1) with bounded texts.
import type { ExternalUser, Identified } from '#core/kernel/access/sign-in-flows';
import { beginning } from '#core/kernel/clipping';
import { Fault } from './faults.ts';
import type { Claims } from './id-token.ts';

/** In characters. */
const most = { subject: 1024, name: 200, email: 254, claims: 30, claim: 200 } as const;

/** A text as users read it: on one line, without characters that no store accepts; undefined if nothing remains. */
function shown(value: unknown, length: number = most.name): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = beginning(value.slice(0, 4 * length).replaceAll(/\p{C}/gu, ' '), length).trim();
  return text === '' ? undefined : text;
}

/** A username. Microsoft and others use addresses as usernames, of which the part before the `@` is taken. */
const nameIn = (value: unknown): string | undefined => shown(shown(value)?.split('@')[0]);

/** An e-mail address that is too long or has spaces is ignored: a part of it would be another address. */
const addressOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= most.email && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(value)
    ? value
    : undefined;

/** Whether the claims lack the username or the address, so that UserInfo is requested. */
export const isIncomplete = ({ email, preferred_username: preferred, nickname }: Claims): boolean =>
  email === undefined || (preferred === undefined && nickname === undefined);

/**
 * The user of an ID token and, if it was requested, UserInfo. The address and its verification are from the same one.
 * @param isVerified whether the claims assert that the address belongs to the user.
 */
export function userOf(token: Claims, info: Claims, isVerified: (claims: Claims) => boolean): ExternalUser {
  const claims = { ...info, ...token };
  const subject = `${String(token['iss'])}|${String(token['sub'])}`;
  if (subject.length > most.subject) throw new Fault('invalid', `"iss" and "sub" have over ${most.subject} characters`);
  const source = token['email'] === undefined ? info : token;
  const email = addressOf(source['email']);
  return {
    subject,
    username: nameIn(claims['preferred_username']) ?? nameIn(claims['nickname']) ?? nameIn(email),
    email,
    emailVerified: email !== undefined && isVerified(source),
    displayName: shown(claims['name']),
  };
}

/** The claim must be the JSON value `true`. */
export const isVerifiedEmail = (claims: Claims): boolean => claims['email_verified'] === true;

/**
 * Microsoft's tokens have addresses that the administrators of any tenant choose. Only `xms_edov` asserts that the
 * owner of the domain was verified.
 */
export const isVerifiedByMicrosoft = ({ xms_edov: verified }: Claims): boolean =>
  verified === true || verified === 1 || verified === '1';

/** GitHub's user, from `GET /user` and `GET /user/emails`. @param server its URL; undefined for github.com. */
export function userOfGithub(profile: Claims, emails: unknown, server: string | undefined): ExternalUser {
  const { id, login, name } = profile;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) throw new Fault('invalid', 'the user has no id');
  const listed: readonly unknown[] = Array.isArray(emails) ? emails.slice(0, 1000) : [];
  const primary = listed.map((one) => Object(one) as Claims).find((one) => one['primary'] === true);
  const email = addressOf(primary === undefined ? profile['email'] : primary['email']);
  return {
    // Ids of different servers are independent.
    subject: server === undefined ? String(id) : `${server}|${id}`,
    username: shown(login),
    email,
    emailVerified: email !== undefined && primary?.['verified'] === true,
    displayName: shown(name),
  };
}

/** Values that prove something to another server, or that only the protocol uses. */
const hidden = /token|secret|nonce|code|_hash$|^__proto__$/i;

/** Claims for the page on which administrators test a provider: few, short, and without tokens. */
export function shownClaims(claims: Claims): NonNullable<Identified['claims']> {
  const names = Object.keys(claims).filter((name) => name.length <= most.claim && !hidden.test(name));
  return Object.fromEntries(names.slice(0, most.claims).map((name) => [name, shownClaim(claims[name])]));
}

function shownClaim(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  return beginning(typeof value === 'string' ? value : JSON.stringify(value), most.claim).toWellFormed();
}
