// The link between an account and a user of an external provider, such as an LDAP directory or an OpenID provider.
import type { ExternalUser } from '#core/kernel/access/sign-in-flows';
import { printable } from './printable.ts';

/** A user of a provider that may sign in to an account. */
export interface ExternalIdentity {
  readonly id: string;
  readonly userId: string;
  /** The id of the provider, such as `ldap` or `github`. */
  readonly provider: string;
  /** The permanent id of the user at the provider. */
  readonly subject: string;
  /** The name or address at the provider when it was linked, by which the owner of the account recognizes it. */
  readonly hint: string;
  readonly createdAt: Date;
}

/** An external user, and the decision of a directory about administrators. */
export interface AdmittedUser extends ExternalUser {
  /** Whether the provider calls the user an instance administrator; undefined if it does not decide that. */
  readonly isAdmin?: boolean | undefined;
}

/** Maximum number of identities per account. */
export const mostIdentities = 20;

const longestHint = 100;

/** The hint of a new identity: the username, the address or a part of the subject. */
export const hintOf = ({ username, email, subject }: ExternalUser): string =>
  printable(username ?? email ?? subject, longestHint);

/** The text whose hash identifies an external user among all providers. */
export const identityKey = (provider: string, subject: string): string => `${provider}\n${subject}`;

/** The providers of an instance, by how they sign in. */
export interface ListedProvider {
  readonly id: string;
  /** `password`: a name and a password, checked by a directory. `redirect`: the browser is sent to the provider. */
  readonly kind: 'password' | 'redirect';
  readonly displayName: string;
  /** The path at which a redirect starts. */
  readonly startPath: string | undefined;
}
