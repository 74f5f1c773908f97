// The question that the user was shown. An approval is about that question alone: if it has changed since, the user is
// asked again.
import { sameMembers } from '#core/kernel/storage/changed';
import type { Client } from '../model/client.ts';
import { InvalidScope } from '../model/errors.ts';
import type { Digests } from '../model/ports.ts';
import { readScopes } from '../model/scopes.ts';

/** The members of a question that the user decides on. */
export interface Shown {
  readonly userId: string;
  readonly client: Client;
  readonly scopes: readonly string[];
  readonly resource: string;
  readonly redirectUri: string;
}

/** The fields of a decision that name what was shown. */
export interface Named {
  /** The scopes of the question, with spaces between them. */
  readonly scope?: string;
  /** The digest of the question, as `digestOf` returns it. */
  readonly shown?: string;
}

/** The members of a client that the user is shown. */
const face = ({ id, name, description, homepageUrl, logoUrl, ownerId }: Client): readonly unknown[] => [
  id,
  name,
  description,
  homepageUrl,
  logoUrl,
  ownerId,
];

export const digestOf = ({ userId, client, scopes, resource, redirectUri }: Shown, digests: Digests): string =>
  digests.hash(JSON.stringify([userId, face(client), scopes.toSorted(), resource, redirectUri]));

/** Whether a client is still the one that was validated and shown. */
export const sameClient = (one: Client, other: Client): boolean => {
  const members = (client: Client): string =>
    JSON.stringify([face(client), client.redirectUris, client.scopes, client.authMethod]);
  return members(one) === members(other);
};

/**
 * Whether a decision is about this question. A decision that names nothing is about a request that names its scopes, or
 * about an application whose scopes have not changed since the sign-in, so that this session has seen no other list.
 * @param asked the scope parameter of the request.
 */
export function isAbout(
  question: Shown,
  { scope, shown }: Named,
  {
    digests,
    asked,
    signedInAt,
  }: { readonly digests: Digests; readonly asked: string | undefined; readonly signedInAt: Date },
): boolean {
  if (shown !== undefined && shown !== digestOf(question, digests)) return false;
  if (scope !== undefined) return sameMembers(namedIn(scope), question.scopes);
  if (shown !== undefined || asked !== undefined) return true;
  const { scopesChangedAt } = question.client;
  return scopesChangedAt === null || scopesChangedAt < signedInAt;
}

function namedIn(scope: string): readonly string[] {
  try {
    return readScopes(scope) ?? [];
  } catch (error) {
    if (error instanceof InvalidScope) return [];
    throw error;
  }
}
