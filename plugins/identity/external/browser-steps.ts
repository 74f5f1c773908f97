// Implements the port `ExternalSignIn`: turns what becomes of a sign-in by redirect into cookies and the next location.
import { Conflict, Forbidden, Unprocessable } from 'hexforge/plugin';
import type { BrowserStep, Cookie, ExternalSignIn, Sealer } from 'hexforge/plugin';
import { returnPath } from 'hexforge/identity';
import { flowSeconds, type Arrival, type IdentityUseCases, type TestReport } from '#core/identity/use-cases';
import { pageCookies } from '../sessions/cookies.ts';

/** The cookie of the sign-ins that a browser has started. Other sites lead back to this one, so it is not Strict. */
const flowCookie = { name: 'svc_sign_in', sameSite: 'Lax', path: '/' } as const;
/** The cookie of the result of a test, for the page of the provider. */
const reportCookie = { name: 'svc_sign_in_test', sameSite: 'Lax', path: '/-/admin' } as const;
const reportSeconds = 300;
/** Sealing adds a third, and cookies have 4 KB. */
const reportBytes = 2800;
const aboutReports = 'sign-in-tests';

/** The value of one cookie of the header `Cookie`. */
const cookieOf = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** The sign-ins that the browser has started, from its header `Cookie`. */
export const startedFlows = (header: string | undefined): string | undefined => cookieOf(header, flowCookie.name);

/** The cookie that keeps started sign-ins. */
export const keptFlows = (value: string): Cookie => ({
  ...flowCookie,
  value,
  maxAgeSeconds: value === '' ? 0 : flowSeconds,
});

/** The result of the last test of a provider by this browser. */
export function lastReport(header: string | undefined, sealer: Sealer): TestReport | undefined {
  const value = cookieOf(header, reportCookie.name);
  if (value === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(sealer.open(value, aboutReports))) as TestReport;
  } catch {
    return undefined;
  }
}

/** The last members of an answer are left out if the cookie would be too large: browsers drop such a cookie. */
function keptReport(report: TestReport, sealer: Sealer): Cookie {
  const encoded = (count: number): Uint8Array =>
    new TextEncoder().encode(JSON.stringify({ ...report, claims: report.claims.slice(0, count) }));
  let count = report.claims.length;
  while (count > 0 && encoded(count).length > reportBytes) count -= 1;
  return { ...reportCookie, value: sealer.seal(encoded(count), aboutReports), maxAgeSeconds: reportSeconds };
}

/** Whether a page explains the error to the user. A fault of the provider is an error page. */
const isRefusal = (error: unknown): error is Conflict | Forbidden | Unprocessable =>
  error instanceof Forbidden || error instanceof Conflict || error instanceof Unprocessable;

/** The path of the page of a provider. */
export const providerPath = (provider: string): string => `/-/admin/sign-in/${provider}`;

export function externalSignIn(
  { redirects }: Pick<IdentityUseCases, 'redirects'>,
  { sealer, urls }: { readonly sealer: Sealer; readonly urls: { readonly baseUrl: string; readonly webUrl: string } },
): ExternalSignIn {
  /** A page of this instance: a path where REST and pages have the same address. */
  const page = (path: string): string => {
    const { baseUrl, webUrl } = urls;
    return webUrl === baseUrl ? path : webUrl + path;
  };
  const returnTo = (text: string): string =>
    page(returnPath(text, new URL(urls.webUrl).pathname.replace(/\/$/, '')) ?? '/');

  const arrived = (provider: string, arrival: Arrival): BrowserStep => {
    const flows = keptFlows(arrival.flows);
    switch (arrival.kind) {
      case 'signed in':
        return { location: returnTo(arrival.returnTo), cookies: [flows, ...pageCookies(arrival.opened)] };
      case 'linked':
        return { location: page('/-/settings/identities?done=linked'), cookies: [flows] };
      case 'tested':
        return { location: page(providerPath(provider)), cookies: [flows, keptReport(arrival.report, sealer)] };
    }
  };

  return {
    async start(call, provider, { cookie, returnTo: path }) {
      const { redirectUrl, flows } = await redirects.start(call, {
        provider,
        cookie: startedFlows(cookie),
        returnTo: path,
      });
      return { location: redirectUrl, cookies: [keptFlows(flows)] };
    },
    expects: (provider, state, cookie, now) =>
      redirects.pending({ provider, state, cookie: startedFlows(cookie) }, now) !== undefined,
    isUsed: (provider, key) => redirects.isUsed(provider, key),
    async finish(call, provider, { state, cookie, browser, identify }) {
      const returning = { provider, state, cookie: startedFlows(cookie) };
      try {
        return arrived(provider, await redirects.finish(call, returning, identify));
      } catch (error) {
        if (!browser || !isRefusal(error)) throw error;
        const links = redirects.pending(returning, call.now)?.purpose === 'link';
        const path = links ? '/-/settings/identities' : '/-/sign-in';
        return { location: page(`${path}?error=${encodeURIComponent(error.code)}`), cookies: [] };
      }
    },
  } satisfies ExternalSignIn;
}
