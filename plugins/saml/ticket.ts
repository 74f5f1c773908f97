// Tickets: a verified answer of the identity provider, sealed, for a second request that has the browser's cookies.
import type { Identified, Sealer } from 'hexforge/plugin';
import { refused, type SamlRefusal } from '#adapters/saml/index';

/** An answer that was verified. */
export interface VerifiedResult {
  readonly inResponseTo: string;
  readonly identified: Identified & { readonly once: NonNullable<Identified['once']> };
}

/** An answer, and the sign-in that it belongs to. */
export interface Answer {
  /** The RelayState. */
  readonly state: string;
  readonly result: VerifiedResult | { readonly refusal: SamlRefusal; readonly detail: string | undefined };
}

const about = 'saml-ticket';
const lifetimeMs = 60_000;
/** Of a sealed ticket, in characters. */
export const longestTicket = 4_096;
/** Of the members of a ticket, in bytes. */
const longestPlain = 2_800;

const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

/** Claims that do not fit are left out; only the test of administrators shows them. */
export function sealTicket(sealer: Sealer, { state, result }: Answer, now: Date): string {
  const expires = now.getTime() + lifetimeMs;
  const sealed = (members: object): string =>
    sealer.seal(new TextEncoder().encode(JSON.stringify({ state, expires, ...members })), about);
  if ('refusal' in result) return sealed(result);
  const { inResponseTo, identified } = result;
  const { user, once, claims } = identified;
  const ticket = { inResponseTo, user, key: once.key, until: once.until.getTime() };
  const fits = (members: object): boolean => sizeOf(JSON.stringify(members)) <= longestPlain;
  if (fits({ ...ticket, claims })) return sealed({ ...ticket, claims });
  if (!fits(ticket)) throw refused('saml_subject', 'The names of the user are too long');
  return sealed(ticket);
}

type Opened = { readonly state: string; readonly expires: number } & (
  | { readonly refusal: SamlRefusal; readonly detail: string | undefined }
  | {
      readonly inResponseTo: string;
      readonly user: Identified['user'];
      readonly key: string;
      readonly until: number;
      readonly claims?: Identified['claims'];
    }
);

/** @throws {Forbidden} if it was not sealed by this instance, or is too old. */
export function openTicket(sealer: Sealer, ticket: string, now: Date): Answer {
  let opened: Opened;
  try {
    opened = JSON.parse(new TextDecoder().decode(sealer.open(ticket, about))) as Opened;
  } catch (error) {
    throw refused('saml_malformed', 'The ticket was not made by this instance', error);
  }
  const { state, expires } = opened;
  if (expires <= now.getTime()) throw refused('saml_expired', 'The sign-in took too long');
  if ('refusal' in opened) return { state, result: { refusal: opened.refusal, detail: opened.detail } };
  const { inResponseTo, user, key, until, claims } = opened;
  return { state, result: { inResponseTo, identified: { user, once: { key, until: new Date(until) }, claims } } };
}
