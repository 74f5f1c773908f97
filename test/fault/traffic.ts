// Plain requests of a client of the churn.
import { adminPassword } from '#test/support/servers/server-process';

export async function signIn(url: string): Promise<string> {
  const answer = await call(url, 'POST', '/api/v1/auth/login', undefined, {
    username: 'admin',
    password: adminPassword,
  });
  return String((answer.body as { access_token: unknown }).access_token);
}

export async function createToken(url: string, session: string, scopes = ['repo:admin']): Promise<string> {
  const answer = await call(url, 'POST', '/api/v1/user/tokens', session, { name: 'traffic', scopes });
  return String((answer.body as { token: unknown }).token);
}

export async function call(
  url: string,
  method: string,
  path: string,
  token: string | undefined,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}
