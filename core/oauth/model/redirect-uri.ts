// Redirect URIs: which may be registered, and which a request may use (RFC 6749, section 3.1.2; RFC 8252, section 7.3).
import { isLonger } from '#core/kernel/characters';

/** Maximum number per client, and maximum length of each. */
export const redirectLimits = { count: 10, length: 2048 } as const;

const loopbackAddresses = ['127.0.0.1', '[::1]'];
const loopbackHosts = [...loopbackAddresses, 'localhost'];
const portEnd = /^:([1-9]\d{0,4})(?=[/?]|$)/;

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);
const isLoopback = (url: URL): boolean => url.protocol === 'http:' && loopbackHosts.includes(url.hostname);

/**
 * Describes why a URI cannot be registered; undefined if it can. The URI must be in the normalized form of URL parsers,
 * so that no component reads a different host from it than the browser.
 */
export function redirectUriMisfit(uri: string): string | undefined {
  if (isLonger(uri, redirectLimits.length)) return `has more than ${redirectLimits.length} characters`;
  const url = parsed(uri);
  if (url === undefined) return 'is no URL';
  if (url.protocol !== 'https:' && !isLoopback(url)) return 'is neither https nor http on a loopback address';
  if (uri.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user or password';
  if (uri.includes('*')) return 'has a wildcard';
  if (/%2e|%2f|%5c/i.test(url.pathname)) return 'has an encoded dot or slash in its path';
  if (url.hostname.endsWith('.')) return 'has a host that ends in a dot';
  if (url.href !== uri && url.href !== `${uri}/`) return 'is not in the form that parsers of URLs give it';
  return undefined;
}

/**
 * Whether a request may use this URI: it must equal a registered one byte for byte. Exception: an http URI of a
 * loopback IP address matches any port, registered with one or without, because applications on the user's machine
 * choose one at run time (RFC 8252, section 7.3).
 */
export const isRegistered = (registered: readonly string[], uri: string): boolean =>
  registered.some((one) => one === uri || isPortOf(one, uri));

function isPortOf(registered: string, uri: string): boolean {
  const url = parsed(registered);
  if (url === undefined || !isLoopback(url) || !loopbackAddresses.includes(url.hostname)) return false;
  const origin = `http://${url.hostname}`;
  const rest = withoutPort(registered, origin);
  return rest !== undefined && rest === withoutPort(uri, origin);
}

/** The part after the port; undefined if the URI has another origin, or a port over 65535. */
function withoutPort(uri: string, origin: string): string | undefined {
  if (!uri.startsWith(origin)) return undefined;
  const rest = uri.slice(origin.length);
  const [port = '', number = '0'] = portEnd.exec(rest) ?? [];
  return Number(number) <= 65_535 ? rest.slice(port.length) : undefined;
}

/** The parsed setting `oauth2.dcr.redirect_allowlist`. */
interface Allowlist {
  /** A description of a valid value; undefined if the value is valid. */
  readonly misfit: string | undefined;
  readonly allows: (uri: string) => boolean;
}

/** In UTF-16 code units. Limits the list to a few hundred entries, which are checked in one event loop iteration. */
export const longestAllowlist = 8192;

/** The most recently parsed text, cached because the setting is read often and changes rarely. */
let last: { readonly text: string; readonly list: Allowlist } | undefined;

function allowlistOf(text: string): Allowlist {
  if (last?.text !== text) last = { text, list: readAllowlist(text) };
  return last.list;
}

/** Describes a valid value of the setting; undefined if this text is valid. An entry is a redirect URI or an origin. */
export const allowlistMisfit = (text: string): string | undefined => allowlistOf(text).misfit;

/** Returns a function that checks whether the setting allows a URI to be registered. */
export const allowlist = (text: string): ((uri: string) => boolean) => allowlistOf(text).allows;

/** Entries are separated by commas or new lines. A loopback origin without a port matches all its ports. */
function readAllowlist(text: string): Allowlist {
  const entries = new Set(text.split(/[,\n]/).map((entry) => entry.trim()));
  entries.delete('');
  const origins = new Set<string>();
  const loopbacks = new Set<string>();
  let misfit: string | undefined;
  for (const entry of entries) {
    const wrong = misfit === undefined ? redirectUriMisfit(entry) : undefined;
    if (wrong !== undefined)
      misfit = `redirect URIs or origins with commas or new lines between; "${entry.slice(0, 200).toWellFormed()}" ${wrong}`;
    const url = parsed(entry);
    if (url === undefined || (entry !== url.origin && entry !== `${url.origin}/`)) continue;
    origins.add(url.origin);
    if (isLoopback(url) && url.port === '') loopbacks.add(url.hostname);
  }
  return {
    misfit,
    allows(uri) {
      const url = parsed(uri);
      if (url === undefined) return false;
      if (entries.size === 0) return isLoopback(url);
      return entries.has(uri) || origins.has(url.origin) || (isLoopback(url) && loopbacks.has(url.hostname));
    },
  };
}

/** Appends parameters to the query of the URI. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const added = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  if (!uri.includes('?')) return `${uri}?${added}`;
  return uri.endsWith('?') || uri.endsWith('&') ? uri + added : `${uri}&${added}`;
}

/** Scheme, host and port of a URI. A remembered consent is valid for one origin. */
export const originOf = (uri: string): string => parsed(uri)?.origin ?? uri;
