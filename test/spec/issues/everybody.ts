// One caller for each role on a repository, and a repository of each visibility, so that access can be written as one
// row of statuses.
import type { Answer, Client } from '#test/support/clients/client';
import type { TestForge } from '#test/support/forge';

/**
 * The callers, in the order in which a row of statuses lists them: anonymous, another user, collaborators by role, the
 * owner, an instance administrator.
 */
export const standings = [
  'none',
  'other',
  'read',
  'triage',
  'write',
  'maintain',
  'admin',
  'owner',
  'instance',
] as const;
type Standing = (typeof standings)[number];
const roles = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
const visibilities = ['public', 'internal', 'private'] as const;
type Visibility = (typeof visibilities)[number];

export interface Everybody {
  readonly callers: Readonly<Record<Standing, Client>>;
  /** `/api/v1/repos/owner/VISIBILITY`. */
  path(visibility: Visibility): string;
  /**
   * The statuses for every caller, in the order of `standings`.
   * @param ask sends the request as one of the callers, to the repository whose path it is given.
   */
  statuses(visibility: Visibility, ask: (client: Client, path: string) => Promise<Answer>): Promise<string>;
}

export async function everybody(forge: TestForge): Promise<Everybody> {
  const owner = (await forge.createUser('owner')).client;
  const callers: Record<string, Client> = { none: forge.anonymous, owner, instance: await forge.administrator() };
  for (const name of ['other', ...roles]) callers[name] = (await forge.createUser(`the-${name}`)).client;
  const path = (visibility: Visibility): string => `/api/v1/repos/owner/${visibility}`;
  const sure = async (answer: Promise<Answer>): Promise<void> => {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(`setting the stage answered ${status}: ${text}`);
  };
  for (const visibility of visibilities) {
    await sure(owner.post('/api/v1/repos', { body: { name: visibility, visibility } }));
    for (const role of roles)
      await sure(owner.put(`${path(visibility)}/collaborators/the-${role}`, { body: { role } }));
  }
  return {
    callers: callers as Record<Standing, Client>,
    path,
    async statuses(visibility, ask) {
      const answers: number[] = [];
      for (const standing of standings) answers.push((await ask(callers[standing] as Client, path(visibility))).status);
      return answers.join(' ');
    },
  };
}
