// The routes of the plugin "saml", with responses of the signing oracle and accounts in memory.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { makeSamlKeys, type SamlKeys } from '#adapters/saml/index';
import { bareHost } from '#host/sdk/testing/bare-host';
import saml from '#plugins/saml/plugin';
import {
  assertion,
  base64,
  encrypted,
  facts,
  honest,
  idpMetadata,
  response,
  signed,
} from '#test/support/servers/saml-oracle';
import { cookieOf, externalSignIn } from './external-sign-in.ts';

const [first, second] = await Promise.all([
  makeSamlKeys('Test', facts.now, 2048),
  makeSamlKeys('Test', facts.now, 2048),
]);
const metadataOf = (keys: SamlKeys): string => idpMetadata({ keys: [['signing', keys.certificate]] });
const html = { accept: 'text/html,*/*;q=0.8' };

async function start(t: Test, settings: Readonly<Record<string, unknown>>) {
  const clock = { time: facts.now, now: () => clock.time };
  const accounts = externalSignIn();
  const host = await bareHost([accounts.plugin, saml], { settings, clock });
  t.teardown(() => host.stop());
  const url = await host.listen();
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(url + path, { redirect: 'manual', headers });
  const post = (form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}/saml/acs`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: 'https://idp.example', 'sec-fetch-site': 'cross-site', ...headers },
      body: new URLSearchParams(form),
    });
  const begin = async (query = '') => {
    const answer = await get(`/api/v1/auth/saml/start${query}`);
    const sent = new URL(answer.headers.get('location') ?? '');
    const state = sent.searchParams.get('RelayState') ?? '';
    const xml = inflateRawSync(Buffer.from(sent.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
    return { answer, sent, state, request: /\bID="(?<id>[^"]+)"/.exec(xml)?.groups?.['id'] ?? '' };
  };
  /** An honest assertion for this forge. */
  const assertionFor = (request: string, keys = first): string =>
    signed(
      assertion({
        id: `_a${request}`,
        confirmation: honest.confirmation.replace(facts.acsUrl, `${url}/saml/acs`).replace(facts.request, request),
        conditions: honest.conditions.replace(facts.entityId, `${url}/saml/metadata`),
      }),
      keys,
    );
  const responseFor = (content: string, request: string): string =>
    base64(
      response(content, {
        attributes: `Destination="${url}/saml/acs" `,
        inResponseTo: `InResponseTo="${request}" `,
      }),
    );
  return { url, host, clock, accounts, get, post, begin, assertionFor, responseFor };
}

const codeOf = async (answer: Response): Promise<unknown> =>
  ((await answer.json()) as { readonly error_code: unknown }).error_code;

/** One forge for most tests, because keys take long to make. */
const enabled = await start(t, { 'saml.enabled': true, 'saml.idp_metadata': metadataOf(first) });
function enabledForge() {
  enabled.clock.time = facts.now;
  enabled.accounts.finished.length = 0;
  return enabled;
}

void t.test('a sign-in in two steps', async (t) => {
  const { url, accounts, get, post, begin, assertionFor, responseFor } = enabledForge();
  const { answer, sent, state, request } = await begin('?return_to=/ada/site');
  t.equal(answer.status, 302);
  t.equal(sent.origin + sent.pathname, facts.sso);
  t.match(answer.headers.get('set-cookie'), /^started=.*HttpOnly; SameSite=Lax/);

  // The browser sends a form of another site without the cookie.
  const posted = await post({ SAMLResponse: responseFor(assertionFor(request), request), RelayState: state }, html);
  t.equal(posted.status, 303);
  const location = posted.headers.get('location') ?? '';
  t.match(location, /^\/saml\/acs\?ticket=v2\./);
  t.ok(location.length < 4_200, `a short ticket: ${location.length}`);
  t.equal(posted.headers.get('referrer-policy'), 'no-referrer');
  t.strictSame(accounts.finished, []);

  const stolen = await get(location, html);
  t.equal(stolen.headers.get('location'), '/-/sign-in?error=state_mismatch', 'the ticket is of no use elsewhere');

  const done = await get(location, { ...html, cookie: cookieOf(state) });
  t.equal(done.status, 303);
  t.equal(done.headers.get('location'), '/ada/site');
  t.match(accounts.finished, [
    {
      user: {
        subject: 'email:ada@example.org',
        username: 'ada',
        email: 'ada@example.org',
        emailVerified: true,
        displayName: 'Ada Lovelace',
      },
      once: { key: `_a${request}` },
      claims: { name_id: 'ada@example.org', attributes: { displayName: ['Ada Lovelace'] } },
      returnTo: '/ada/site',
    },
  ]);

  const again = await post({ SAMLResponse: responseFor(assertionFor(request), request), RelayState: state });
  t.equal(again.status, 403);
  t.equal(await codeOf(again), 'saml_replayed');
  t.equal(url.startsWith('http://127.0.0.1'), true);
});

void t.test('a sign-in in one step, if the browser sends the cookie', async (t) => {
  const { accounts, post, begin, assertionFor, responseFor } = enabledForge();
  const { state, request } = await begin();
  const done = await post(
    { SAMLResponse: responseFor(assertionFor(request), request), RelayState: state },
    { cookie: cookieOf(state) },
  );
  t.equal(done.status, 303);
  t.equal(done.headers.get('location'), '/');
  t.equal(accounts.finished.length, 1);
});

void t.test('the answer to another request is refused', async (t) => {
  const { accounts, get, post, begin, assertionFor, responseFor } = enabledForge();
  const [mine, other] = [await begin(), await begin()];
  const form = { SAMLResponse: responseFor(assertionFor(other.request), other.request), RelayState: mine.state };
  const once = await post(form, { cookie: cookieOf(mine.state) });
  t.equal(await codeOf(once), 'saml_in_response_to');
  const twice = await post(form);
  const last = await get(twice.headers.get('location') ?? '', { cookie: cookieOf(mine.state) });
  t.equal(last.status, 403);
  t.equal(await codeOf(last), 'saml_in_response_to');
  for (const RelayState of ['', 'x', '/evil'])
    t.equal(await codeOf(await post({ ...form, RelayState })), 'saml_in_response_to', `RelayState "${RelayState}"`);
  t.strictSame(accounts.finished, []);
});

void t.test('a ticket expires, and cannot be made elsewhere', async (t) => {
  const { clock, get, post, begin, assertionFor, responseFor } = enabledForge();
  const { state, request } = await begin();
  const posted = await post({ SAMLResponse: responseFor(assertionFor(request), request), RelayState: state });
  const location = posted.headers.get('location') ?? '';
  clock.time = new Date(facts.now.getTime() + 60_000);
  t.equal(await codeOf(await get(location, { cookie: cookieOf(state) })), 'saml_expired');
  const forged = `${location.slice(0, -6)}AAAAAA`;
  t.equal(await codeOf(await get(forged, { cookie: cookieOf(state) })), 'saml_malformed');
});

void t.test('refusals lead browsers to the sign-in page', async (t) => {
  const { get, post, begin, assertionFor, responseFor } = enabledForge();
  const { state, request } = await begin();
  const form = { SAMLResponse: responseFor(assertionFor(request, second), request), RelayState: state };
  const page = await post(form, html);
  t.equal(page.status, 303);
  t.match(page.headers.get('location'), /^\/saml\/acs\?ticket=/, 'the refusal is told to the browser that began');
  const told = await get(page.headers.get('location') ?? '', { ...html, cookie: cookieOf(state) });
  t.equal(told.headers.get('location'), '/-/sign-in?error=saml_signature');
  const stateless = await post({ ...form, RelayState: 'x' }, html);
  t.equal(stateless.headers.get('location'), '/-/sign-in?error=saml_signature');
  const json = await post(form);
  t.equal(json.status, 403);
  t.notMatch(await json.text(), /ada@example|AAAA|_a_/, 'nothing of the response is shown');
  t.equal((await post({ SAMLResponse: 'A'.repeat(600_000) })).status, 413);
});

void t.test('while it is disabled, it offers metadata, and a test', async (t) => {
  const { url, host, get, post } = await start(t, { 'saml.idp_metadata': metadataOf(first) });
  const metadata = await get('/saml/metadata');
  t.equal(metadata.headers.get('content-type'), 'application/samlmetadata+xml');
  const xml = await metadata.text();
  t.match(xml, `entityID="${url}/saml/metadata"`);
  t.match(xml, `Location="${url}/saml/acs"`);
  t.equal((await get('/api/v1/auth/saml/start')).status, 404);
  const [flow] = host.port('SignInFlow');
  t.strictSame(await flow?.providers(), []);
  t.match(await flow?.start('saml', 's'.repeat(43)), { redirectUrl: /^https:\/\/idp\.example\/sso\?SAMLRequest=/ });
  await t.rejects(async () => void (await flow?.start('other', 's'.repeat(43))), { code: 'not_found' });
  t.equal(await codeOf(await post({ SAMLResponse: 'AAAA' })), 'saml_malformed');
});

void t.test('without metadata of the identity provider, nothing is offered', async (t) => {
  const { host, get, post } = await start(t, { 'saml.enabled': true });
  t.strictSame(await host.port('SignInFlow')[0]?.providers(), []);
  t.equal((await get('/api/v1/auth/saml/start')).status, 404);
  t.equal((await post({ SAMLResponse: 'AAAA' })).status, 404);
});

void t.test('one pair of each key is made, and that for encryption decrypts assertions', async (t) => {
  const { accounts, get, post, begin, assertionFor, responseFor } = enabledForge();
  const all = await Promise.all(Array.from({ length: 5 }, async () => (await get('/saml/metadata')).text()));
  t.equal(new Set(all).size, 1);
  const certificate = /use="encryption".*?<ds:X509Certificate>(?<it>[^<]+)/.exec(all[0] ?? '')?.groups?.['it'] ?? '';
  const { state, request } = await begin();
  const form = {
    SAMLResponse: responseFor(encrypted(assertionFor(request), certificate), request),
    RelayState: state,
  };
  t.equal((await post(form, { cookie: cookieOf(state) })).status, 303);
  t.match(accounts.finished, [{ user: { subject: 'email:ada@example.org' } }]);
});

void t.test('metadata of a URL', async (t) => {
  let keys = first;
  let status = 200;
  let requests = 0;
  const server = createServer((request, answer) => {
    requests += 1;
    if (request.url === '/old') answer.writeHead(302, { location: '/metadata' }).end();
    else if (request.url === '/away') answer.writeHead(302, { location: 'http://idp.example/' }).end();
    else if (request.url === '/loop') answer.writeHead(302, { location: '/loop' }).end();
    else if (request.url === '/large') answer.end('x'.repeat(1_100_000));
    else answer.writeHead(status).end(metadataOf(keys));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (path: string) => start(t, { 'saml.enabled': true, 'saml.idp_metadata_url': origin + path });

  await t.test('is fetched once, also through a redirect', async (t) => {
    const { begin } = await at('/old');
    requests = 0;
    await Promise.all([begin(), begin(), begin()]);
    t.equal((await begin()).sent.host, 'idp.example');
    t.equal(requests, 2);
  });

  await t.test('is fetched again for an unknown certificate, at most five times a minute', async (t) => {
    const { clock, post, begin, assertionFor, responseFor } = await at('/metadata');
    const { state, request } = await begin();
    keys = second;
    const form = { SAMLResponse: responseFor(assertionFor(request, second), request), RelayState: state };
    const cookie = { cookie: cookieOf(state) };
    requests = 0;
    t.equal((await post(form, cookie)).status, 303);
    t.equal(requests, 1);
    const other = await begin();
    const unknown = { SAMLResponse: responseFor(assertionFor(other.request), other.request), RelayState: other.state };
    for (let time = 0; time < 6; time += 1) t.equal(await codeOf(await post(unknown)), 'saml_signature');
    t.equal(requests, 5);
    clock.time = new Date(facts.now.getTime() + 60_000);
    t.equal(await codeOf(await post(unknown)), 'saml_signature');
    t.equal(requests, 6);
    keys = first;
  });

  await t.test('is kept for a day while the URL is down', async (t) => {
    const { clock, get, begin } = await at('/metadata');
    await begin();
    status = 500;
    const later = (hours: number): void => {
      clock.time = new Date(facts.now.getTime() + hours * 3_600_000);
    };
    requests = 0;
    later(1);
    await begin();
    await begin();
    t.equal(requests, 1, 'tried once a minute');
    later(24);
    const answer = await get('/api/v1/auth/saml/start');
    t.equal(answer.status, 502);
    t.equal(await codeOf(answer), 'provider_unavailable');
    const shown = await get('/api/v1/auth/saml/start', html);
    t.equal(shown.status, 502);
    t.match(shown.headers.get('content-type'), /^text\/html/);
    status = 200;
    clock.time = new Date(clock.time.getTime() + 60_000);
    t.equal((await begin()).answer.status, 302);
  });

  await t.test('redirects to http elsewhere, endless ones, and large bodies are refused', async (t) => {
    for (const path of ['/away', '/loop', '/large'])
      t.equal((await (await at(path)).get('/api/v1/auth/saml/start')).status, 502, path);
  });
});
