// A trial sign-in for administrators: every step with its result in words. It has no effect.
import type { DirectoryInspection, DirectoryUser } from '#core/kernel/access/password-directories';
import type { SignInStep } from '#core/kernel/access/sign-in-flows';
import type { Connection, Found } from '../wire/connection.ts';
import { accepts, findEntry, membership, openService, type Configured } from './steps.ts';
import { isDisabled, userOf } from './user.ts';

/** The titles of the steps. */
const titles = {
  connect: 'Connection',
  tls: 'Encryption',
  service_bind: 'Service account',
  search: 'Search',
  user_bind: 'Password',
  attributes: 'Attributes',
  admin_group: 'Administrators',
} as const;
type StepName = keyof typeof titles;

/** Ends the trial at a failed step. */
class Stopped extends Error {}

export async function trial(
  options: Configured,
  { username, password }: { readonly username: string; readonly password: string | undefined },
  signal: AbortSignal,
): Promise<DirectoryInspection> {
  const steps: SignInStep[] = [];
  const report = (name: StepName, outcome: SignInStep['outcome'], about: string): void =>
    void steps.push({ title: titles[name], outcome, about });
  const stop = (name: StepName, words: string): never => {
    report(name, 'bad', words);
    throw new Stopped();
  };
  const step = async <T>(name: StepName, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      return stop(name, error instanceof Error ? error.message : 'The step failed');
    }
  };
  let connection: Connection | undefined;
  try {
    connection = await opened(options, signal, report, stop);
    const entry = await found(options, { connection, username, signal, step }, report, stop);
    const signedIn = await bound(options, { entry, password, signal, step }, report, stop);
    const user = await step('attributes', async () => userOf(entry, options));
    report('attributes', 'good', wordsOfUser(user));
    const { adminGroup } = options;
    if (adminGroup === undefined) {
      report('admin_group', 'unknown', 'No group of administrators is configured');
      return { steps, user: signedIn ? user : undefined };
    }
    const searching = connection;
    const member = await step('admin_group', () => membership(searching, options, { entry, adminGroup }, signal));
    report('admin_group', member === 'no group' ? 'bad' : 'good', wordsOfMember[member]);
    const decided = member === 'no group' ? user : { ...user, isAdmin: member === 'member' };
    return { steps, user: signedIn ? decided : undefined };
  } catch (error) {
    if (error instanceof Stopped) return { steps, user: undefined };
    throw error;
  } finally {
    connection?.destroy();
  }
}

type Report = (name: StepName, outcome: SignInStep['outcome'], words: string) => void;
type Stop = (name: StepName, words: string) => never;
type Run = <T>(name: StepName, work: () => Promise<T>) => Promise<T>;

async function opened(options: Configured, signal: AbortSignal, report: Report, stop: Stop): Promise<Connection> {
  const { host, port, security } = options.address;
  let reached: StepName = 'connect';
  try {
    const connection = await openService(options, signal, (done) => {
      if (done === 'connect') report('connect', 'good', `Connected to ${host}, port ${port}`);
      else
        report(
          'tls',
          'good',
          `Encrypted ${security === 'starttls' ? 'by StartTLS' : 'from the start'}, certificate verified`,
        );
      if (done === 'connect' && security === 'none')
        report(
          'tls',
          'unknown',
          'The connection is not encrypted: LDAP_URL begins with ldap:// and LDAP_STARTTLS is not set',
        );
      reached = done === 'connect' && security !== 'none' ? 'tls' : 'service_bind';
    });
    if (options.bindDn === undefined) report('service_bind', 'unknown', 'No LDAP_BIND_DN: the search is anonymous');
    else report('service_bind', 'good', `Bound as ${options.bindDn}`);
    return connection;
  } catch (error) {
    return stop(reached, error instanceof Error ? error.message : 'The step failed');
  }
}

async function found(
  options: Configured,
  {
    connection,
    username,
    signal,
    step,
  }: { readonly connection: Connection; readonly username: string; readonly signal: AbortSignal; readonly step: Run },
  report: Report,
  stop: Stop,
): Promise<Found> {
  const entry = await step('search', () => findEntry(connection, options, username, signal));
  if (entry === 'none') return stop('search', `No entry below ${options.baseDn} matches LDAP_USER_FILTER`);
  if (entry === 'several')
    return stop(
      'search',
      `Several entries below ${options.baseDn} match LDAP_USER_FILTER, or the directory limits answers to one`,
    );
  report('search', 'good', `Found one entry: ${entry.dn}`);
  return entry;
}

async function bound(
  options: Configured,
  {
    entry,
    password,
    signal,
    step,
  }: { readonly entry: Found; readonly password: string | undefined; readonly signal: AbortSignal; readonly step: Run },
  report: Report,
  stop: Stop,
): Promise<boolean> {
  if (password === undefined || password === '' || password.includes('\0')) {
    report('user_bind', 'unknown', 'No password was given');
    return false;
  }
  if (!(await step('user_bind', () => accepts(options, entry.dn, password, signal))))
    return stop('user_bind', 'The directory refused the password of the user');
  if (isDisabled(entry))
    return stop('user_bind', 'The password is right, but the account is disabled (userAccountControl)');
  report('user_bind', 'good', 'The directory accepted the password of the user');
  return true;
}

const wordsOfUser = ({ username, subject, email, displayName }: DirectoryUser): string =>
  [
    `Username "${username}"`,
    `permanent id "${subject ?? ''}"`,
    email === undefined ? 'no usable e-mail address' : `e-mail address "${email}"`,
    displayName === undefined ? 'no display name' : `display name "${displayName}"`,
  ].join(', ');

const wordsOfMember = {
  member: 'The user is a member of LDAP_ADMIN_GROUP',
  'no member': 'The user is not a member of LDAP_ADMIN_GROUP',
  'no group': 'LDAP_ADMIN_GROUP does not exist, or the service account may not see it: it grants and withdraws nothing',
} as const;
