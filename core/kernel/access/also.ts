// A further permission on a resource that was granted already.
import { HexforgeError } from '../errors.ts';
import { anyone, type AccessDecision, type Granted } from './access.ts';
import type { ScopeName } from './scopes.ts';

/**
 * Whether the caller may also do what needs this permission on the same resource, and a token of the caller satisfies
 * this row of the scope catalogue.
 */
export async function mayAlso(
  access: Pick<AccessDecision, 'decide'>,
  { call, may }: Pick<Granted<unknown, string>, 'call' | 'may'>,
  permission: string,
  scope: ScopeName,
): Promise<boolean> {
  if (!may(permission)) return false;
  try {
    await access.decide(call, anyone, scope, {});
    return true;
  } catch (error) {
    if (error instanceof HexforgeError) return false;
    throw error;
  }
}
