// Walks the operations of the OpenAPI document with paths of existing and of missing things.
import type { Client } from './client.ts';
import type { TestForge } from '../forge.ts';
import type { Operation } from './openapi.ts';

interface ScopeRow {
  readonly name: string;
  readonly pat?: string;
  readonly oauth?: string;
}

/** The parts of an operation's entry in the OpenAPI document that tests read. */
export interface Entry {
  readonly 'x-access': { readonly who: string; readonly needsUser?: boolean };
  readonly 'x-meter': string;
  readonly 'x-scope'?: ScopeRow;
}

export const entryOf = (operation: Operation): Entry => operation.entry as unknown as Entry;

/** Whether the errors of an operation have the shape of OAuth2 instead of the shared envelope. */
export const inShapeOfOAuth2 = ({ answers }: Operation): boolean =>
  [...answers.values()].some((types) => types.get('application/json')?.includes('error_description') === true);

/** Whether the Authorization header of an operation authenticates an OAuth2 client and not an account. */
export const readsOwnCredentials = ({ entry }: Operation): boolean =>
  (entry['security'] as readonly object[]).some((one) => 'client' in one);

/** An id that nothing has. */
export const nobody = '00000000-0000-4000-8000-0000000000ff';

/** Fills a path template; a parameter that `values` does not name gets an id that nothing has. */
export const fill = (path: string, values: Readonly<Record<string, string>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? nobody);

export interface Stage {
  readonly forge: TestForge;
  readonly admin: Client;
  /** Values of path parameters that name existing things. */
  readonly values: Readonly<Record<string, string>>;
}

/** A forge with one of each thing that paths name. */
export async function stage(forge: TestForge): Promise<Stage> {
  const admin = await forge.administrator();
  const user = await forge.createUser('walked');
  // The registration operation returns 404 while this setting is off.
  const opened = await admin.put('/api/v1/admin/settings/oauth2.dcr.enabled', { body: { value: 'true' } });
  if (opened.status !== 200) throw new Error(`opening registration answered ${opened.status}: ${opened.text}`);
  const repository = await admin.post('/api/v1/repos', { body: { name: 'walked' } });
  if (repository.status !== 201)
    throw new Error(`creating the repository answered ${repository.status}: ${repository.text}`);
  return {
    forge,
    admin,
    values: {
      owner: 'admin',
      repo: 'walked',
      username: user.username,
      user: user.username,
      uid: user.id,
      path: 'README.md',
      ref: 'main',
      number: '1',
    },
  };
}
