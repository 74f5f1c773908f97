// The steps of a sign-in: the service account's bind, the search for the user, the user's bind and the admin group.
import { randomUUID } from 'node:crypto';
import { memberFilter } from '../filter.ts';
import type { Checked, Options } from '../options.ts';
import { Answered, Connection, resultCode, type Found } from '../wire/connection.ts';
import type { Step } from '../wire/dial.ts';
import { normalisedDn, usernameOf, wanted } from './user.ts';

export type Configured = Options & Checked;

/** The directory refused the service account, so it can answer nothing. */
export class ServiceRefused extends Error {
  constructor(code: number) {
    super(
      `The directory refused the service account (result code ${code}${code === resultCode.invalidCredentials ? ': its DN or password is wrong' : ''})`,
    );
    this.name = 'ServiceRefused';
  }
}

/** Opens a connection that can search. @throws {ServiceRefused} */
export async function openService(
  options: Configured,
  signal: AbortSignal,
  done?: (step: Step) => void,
): Promise<Connection> {
  const connection = await Connection.open(options.address, signal, done);
  const { bindDn, bindPassword } = options;
  if (bindDn === undefined || bindPassword === undefined) return connection;
  try {
    await connection.bind(bindDn, bindPassword, signal);
    return connection;
  } catch (error) {
    connection.destroy();
    throw error instanceof Answered ? new ServiceRefused(error.code) : error;
  }
}

/** The entry of a name; `none` also if the directory only refers to another server. */
export async function findEntry(
  connection: Connection,
  options: Configured,
  username: string,
  signal: AbortSignal,
): Promise<Found | 'none' | 'several'> {
  try {
    const found = await connection.search(
      {
        base: options.baseDn,
        scope: 'sub',
        filter: options.filter(username),
        attributes: wanted(options),
        // With a limit of one, a second entry would not be noticed.
        sizeLimit: 2,
        timeLimit: options.timeoutSeconds,
      },
      signal,
    );
    return found.length > 1 ? 'several' : (found[0] ?? 'none');
  } catch (error) {
    if (!(error instanceof Answered)) throw error;
    if (error.code === resultCode.sizeLimitExceeded) return 'several';
    if (error.code === resultCode.referral) return 'none';
    throw error;
  }
}

/** Results of a bind that mean that this user cannot sign in with this password. */
const refusals: ReadonlySet<number> = new Set([
  resultCode.invalidCredentials,
  // The entry has no password, is gone, or belongs to another server.
  resultCode.inappropriateAuthentication,
  resultCode.noSuchObject,
  resultCode.referral,
]);

/** Whether the directory accepts the password, on a separate connection. */
export async function accepts(
  options: Configured,
  dn: string,
  password: string,
  signal: AbortSignal,
): Promise<boolean> {
  const connection = await Connection.open(options.address, signal);
  try {
    await connection.bind(dn, password, signal);
    return true;
  } catch (error) {
    if (error instanceof Answered && refusals.has(error.code)) return false;
    throw error;
  } finally {
    connection.destroy();
  }
}

/** Takes as long as `accepts`, so that unknown names cannot be recognised by the time of the answer. */
export async function acceptsNobody(options: Configured, password: string, signal: AbortSignal): Promise<void> {
  try {
    await accepts(options, `cn=${randomUUID()},${options.baseDn}`, password, signal);
  } catch (error) {
    if (!(error instanceof Answered)) throw error;
  }
}

/**
 * Whether an entry is a member of the group of administrators: by its own `memberOf`, or in the list of the group.
 * `no group`: the group does not exist, or the service account may not see it.
 */
export async function membership(
  connection: Connection,
  options: Configured,
  { entry, adminGroup }: { readonly entry: Found; readonly adminGroup: string },
  signal: AbortSignal,
): Promise<'member' | 'no member' | 'no group'> {
  const group = normalisedDn(adminGroup);
  if (entry.values('memberOf').some((value) => typeof value === 'string' && normalisedDn(value) === group))
    return 'member';
  const look = async (filter = memberFilter(entry.dn, usernameOf(entry, options.attributes.username))) =>
    connection.search(
      { base: adminGroup, scope: 'base', filter, attributes: ['1.1'], sizeLimit: 2, timeLimit: options.timeoutSeconds },
      signal,
    );
  try {
    return (await look()).length > 0 ? 'member' : 'no member';
  } catch (error) {
    if (error instanceof Answered && error.code === resultCode.noSuchObject) return 'no group';
    throw error;
  }
}
