// Forges that are reused by the tests of a process: starting one takes most of a second of CPU time, and emptying one a
// few requests.
import tap from 'tap';
import { startTestForge, type Teardown, type TestForge } from './forge.ts';
import type { Contract } from './clients/openapi.ts';

const idle: TestForge[] = [];
let contract: Contract | undefined;

/**
 * A forge without users except its administrator and without repositories. All data is deleted after the test, so it is
 * not for tests that stop it, read its log or change the administrator.
 */
export async function sharedForge(t: Teardown): Promise<TestForge> {
  const forge = idle.pop() ?? (await startTestForge(tap));
  contract = forge.contract;
  t.teardown(async () => {
    await empty(forge);
    idle.push(forge);
  });
  return forge;
}

/** The OpenAPI document of the standard plugins, cached from the first forge. */
export async function standardContract(t: Teardown): Promise<Contract> {
  return contract ?? (await sharedForge(t)).contract;
}

/** Uses plain fetch, because the answers that the forge's client receives count as tested statuses. */
async function empty({ url, admin }: TestForge): Promise<void> {
  const ask = async (method: string, path: string, token = '', body?: object): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`emptying the forge: ${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  const { access_token: token } = (await ask('POST', '/auth/login', '', admin)) as { access_token: string };
  for (;;) {
    const some = (await ask('GET', '/repos?per_page=100', token)) as { owner: string; name: string }[];
    if (some.length === 0) break;
    for (const { owner, name } of some)
      await ask('DELETE', `/repos/${owner}/${name}`, token, { confirmation: `${owner}/${name}` });
  }
  const { users } = (await ask('GET', '/admin/users?per_page=500', token)) as {
    users: { id: string; username: string }[];
  };
  for (const { id, username } of users)
    if (username !== admin.username) await ask('DELETE', `/admin/users/${id}`, token);
}
