// A forge with rate limits enabled, and the requests that the specs of rate limits share.
import type { Client } from '#test/support/clients/client';
import { isError as isErrorOf } from '#test/support/clients/error-answer';
import { startTestForge, type ForgeOptions, type Teardown } from '#test/support/forge';

export const limits = '/api/v1/admin/rate-limits';
export const overrides = `${limits}/overrides`;
export const violations = `${limits}/violations`;

/** The seeded groups. */
export const groups = {
  anonymous: '00000000-0000-4000-9000-000000000001',
  general: '00000000-0000-4000-9000-000000000002',
  admin: '00000000-0000-4000-9000-000000000003',
} as const;

/** A window that does not end while a test runs. */
export const aDay = 86_400;
export const nobody = '00000000-0000-4000-8000-00000000dead';

export interface Rule {
  readonly scope: string;
  readonly requests_per_window: number;
  readonly window_seconds: number;
  readonly burst: number;
  readonly action: string;
  readonly enabled: boolean;
  readonly is_default: boolean;
}

export const startMetered = async (t: Teardown, options: ForgeOptions = {}) => {
  const forge = await startTestForge(t, {
    ...options,
    environment: { HEXFORGE_RATE_LIMIT: 'on', ...options.environment },
  });
  const admin = await forge.administrator();
  return {
    forge,
    admin,
    patch: (group: string, scope: string, body: object) => admin.patch(`${limits}/groups/${group}/${scope}`, { body }),
    reset: (group: string, scope: string) => admin.post(`${limits}/groups/${group}/${scope}/reset`),
    override: (kind: string, id: string, scope: string, body: object) =>
      admin.put(`${overrides}/${kind}/${id}/${scope}`, { body: { window_seconds: aDay, ...body } }),
  };
};

/** Sends that many requests in sequence. @returns the statuses. */
export async function asked(client: Client, times: number, path = '/api/v1/user'): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) statuses.push((await client.get(path)).status);
  return statuses;
}

/** The headers as an object, so that some of them can be compared. */
export const members = ({ headers }: { readonly headers: Headers }): Readonly<Record<string, string>> =>
  Object.fromEntries(headers);

type Asserted = Parameters<typeof isErrorOf>;
/** Asserts an error; `what` names the request in the message if a test sends several. */
export const isError = (t: Asserted[0], answer: Asserted[1], status: number, code: string, what = 'it'): void =>
  isErrorOf(t, answer, status, code, what);
