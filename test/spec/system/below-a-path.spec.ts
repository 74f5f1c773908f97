// Tests a forge whose external URL has a path, behind a proxy that removes it: every URL, path and cookie that the
// server writes leads back to the forge.
import t, { type Test } from 'tap';
import { pathProxy } from '#test/support/servers/path-proxy';
import { startTestForge } from '#test/support/forge';
import { callback, encoded, formType, pkce } from '../oauth-server/flow.ts';

interface Kept {
  readonly value: string;
  readonly path: string;
}

type Json = Readonly<Record<string, string>>;

/** A client with the cookies of a browser (RFC 6265, section 5.1.4). */
class Jar {
  readonly cookies = new Map<string, Kept>();

  async send(method: string, url: string, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(url);
    const cookie = [...this.cookies]
      .filter(([, { path }]) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie !== '' && { cookie }) };
    const answer = await fetch(url, { ...init, method, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = '', path = ''] = /^([^=]+)=([^;]*);.*?Path=([^;]+)/.exec(line) ?? [];
      this.cookies.set(name, { value, path });
    }
    return answer;
  }

  json = async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Json> => {
    const answer = await this.send(method, url, {
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
    const text = await answer.text();
    return text === '' ? {} : (JSON.parse(text) as Json);
  };
}

/** Every URL of the origin in a text has the path of the external URL. */
function leadsBack(t: Test, text: string, base: string, what: string): void {
  const { origin } = new URL(base);
  for (const [url] of text.matchAll(new RegExp(`${origin}[^"<>\\s]*`, 'g')))
    t.ok(url === base || url.startsWith(`${base}/`), `${what}: ${url}`);
}

void t.test('an external URL with a path', async (t) => {
  const proxy = await pathProxy(t, '/code');
  const base = proxy.url;
  const api = `${base}/api/v1`;
  const forge = await startTestForge(t, { environment: { HEXFORGE_BASE_URL: base } });
  proxy.target = forge.url;
  const jar = new Jar();
  const { access_token: token } = await jar.json('POST', `${api}/auth/login`, forge.admin);
  const authorization = `Bearer ${token}`;

  await t.test('cookies have paths that the browser sends them to', async (t) => {
    t.equal(jar.cookies.get('svc_access_token')?.path, '/code');
    t.equal(jar.cookies.get('svc_refresh_token')?.path, '/code/api/v1/auth');
    await jar.json('POST', `${api}/auth/refresh`);
    const before = jar.cookies.get('svc_refresh_token')?.value;
    await jar.json('POST', `${api}/auth/refresh`);
    t.not(jar.cookies.get('svc_refresh_token')?.value, before, 'rotated');
    const other = new Jar();
    await other.json('POST', `${api}/auth/login`, forge.admin);
    await other.json('POST', `${api}/auth/logout`);
    t.strictSame(
      [...other.cookies.values()],
      [
        { value: '', path: '/code' },
        { value: '', path: '/code/api/v1/auth' },
      ],
      'cleared where they were set',
    );
  });

  await t.test('documents, repositories, redirects and links', async (t) => {
    for (const path of ['/', '/api/v1/openapi.json', '/.well-known/oauth-authorization-server']) {
      const text = await (await jar.send('GET', base + path)).text();
      t.ok(text.includes(base), path);
      leadsBack(t, text, base, path);
    }
    const { origin } = new URL(base);
    for (const name of ['oauth-authorization-server', 'openid-configuration'])
      t.equal((await jar.json('GET', `${origin}/.well-known/${name}/code`)).issuer, base);
    const repository = await jar.json('POST', `${api}/repos`, { name: 'one' }, { authorization });
    t.equal(repository.clone_url_http, `${base}/admin/one.git`);
    t.equal((await jar.send('GET', `${repository.clone_url_http}/info/refs?service=git-upload-pack`)).status, 401);
    const moved = await jar.send('GET', `${api}/repos/admin/one/pulls/7/files/a%20b%2Fc%25.txt?algorithm=my%65rs`);
    const location = '/code/api/v1/repos/admin/one/merges/7/files/a%20b%2Fc%25.txt?algorithm=my%65rs';
    t.strictSame([moved.status, moved.headers.get('location')], [308, location]);
    t.equal(moved.headers.get('link'), `<${location}>; rel="successor-version"`);
    const label = await jar.json(
      'POST',
      `${api}/repos/admin/one/labels`,
      { name: 'Bug', color: 'ff0000' },
      { authorization },
    );
    const gone = await jar.send('DELETE', `${api}/repos/admin/one/labels/Bug`, { headers: { authorization } });
    t.equal(gone.headers.get('link'), `<${api}/repos/admin/one/labels/${label.id}>; rel="successor-version"`);
    for (const [branch, path] of [
      ['main', 'a.txt'],
      ['topic', 'b.txt'],
    ] as const) {
      if (branch === 'topic')
        await jar.json('POST', `${api}/repos/admin/one/branches`, { name: branch }, { authorization });
      const body = { message: 'm', branch, content: '' };
      await jar.json('PUT', `${api}/repos/admin/one/contents/${path}`, body, { authorization });
    }
    const { url } = await jar.json(
      'POST',
      `${api}/repos/admin/one/merges/prepare-url`,
      { source_branch: 'topic', target_branch: 'main' },
      { authorization },
    );
    t.equal(url, '/code/admin/one/-/merges/new?source_branch=topic&target_branch=main');
  });

  await t.test('a browser signs in and approves an application', async (t) => {
    const app = await jar.json(
      'POST',
      `${api}/user/oauth2/apps`,
      { name: 'An application', redirect_uris: [callback], scopes: ['openid'] },
      { authorization },
    );
    const request = encoded({
      client_id: app.client_id,
      redirect_uri: callback,
      response_type: 'code',
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
    });
    const browser = new Jar();
    const asked = await browser.send('GET', `${base}/-/oauth2/authorize?${request}`);
    const signIn = asked.headers.get('location') ?? '';
    t.ok(signIn.startsWith(`${base}/-/sign-in?return_to=`), signIn);
    const { origin } = new URL(base);
    const headers = { ...formType, origin };
    for (const form of [signIn, signIn.replace('return_to=', 'return_to=%2Fcode')]) {
      const signedIn = await browser.send('POST', form, { headers, body: encoded(forge.admin) });
      const next = /url=(.*)$/.exec(signedIn.headers.get('refresh') ?? '')?.[1] ?? '';
      t.equal(next, `${base}/-/oauth2/authorize?${request}`, form);
    }
    const page = await browser.send('GET', `${base}/-/oauth2/authorize?${request}`);
    const text = await page.text();
    t.match(text, /<form method="post"/);
    leadsBack(t, text, base, 'the page');
    t.notMatch(text, /(?:href|action|src)="\/(?!code\/)/, 'no path that leaves the external URL');
    const action = /<form method="post" action="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    const answer = await browser.send('POST', new URL(action ?? '', page.url).href, {
      headers,
      body: encoded({ decision: 'approve' }),
    });
    const back = new URL(answer.headers.get('location') ?? '');
    t.strictSame([back.origin + back.pathname, back.searchParams.get('iss')], [callback, base]);
  });
});
