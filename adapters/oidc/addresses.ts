// The URLs of providers: https, and http on the loopback interface only.
import { isLonger } from '#core/kernel/characters';

/** In characters. */
export const longestAddress = 2048;

const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** Whether an address is http on the loopback interface. */
export function isLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && isLoopbackHost(hostname);
}

/**
 * Describes a valid address of a provider; undefined if this one is valid. An issuer has neither a query nor a fragment
 * (OpenID Connect Discovery 1.0, section 2).
 */
export function addressMisfit(text: string): string | undefined {
  if (isLonger(text, longestAddress)) return `a URL of at most ${longestAddress} characters`;
  const reason = endpointMisfit(text, true);
  if (reason !== undefined) return `a URL: this one ${reason}`;
  return text.includes('?') ? 'a URL: this one has a query' : undefined;
}

/** Parsers of URLs drop other characters, such as line breaks, so that different texts would be the same URL. */
const visible = /^[\x21-\x7e]+$/;

/**
 * Describes why a URL is not requested; undefined if it may be.
 * @param loopback whether http on loopback is allowed.
 */
export function endpointMisfit(text: unknown, loopback: boolean): string | undefined {
  if (typeof text !== 'string' || text.length > longestAddress || !visible.test(text) || !URL.canParse(text))
    return 'is not a URL';
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'https:' && !(loopback && isLoopback(text)))
    return loopback ? 'is neither https nor http on a loopback address' : 'is not https';
  if (username !== '' || password !== '') return 'has a user or password';
  return text.includes('#') ? 'has a fragment' : undefined;
}
