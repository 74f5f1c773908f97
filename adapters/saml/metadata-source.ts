// The metadata of the configured identity provider: from a text, or from a URL with a cache.
import { BadGateway } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import { isSecureUrl, longestMetadata, readIdentityProvider, type IdentityProvider } from './metadata.ts';

/** The configured metadata. The text takes precedence; if both are empty, nothing is configured. */
export interface MetadataSettings {
  readonly xml: string;
  readonly url: string;
}

export interface MetadataSource {
  /**
   * The identity provider; undefined if nothing is configured. Metadata of a URL are fetched again when they are older
   * than an hour. If that fails, they are used for up to 24 hours.
   * @throws {BadGateway} if no metadata can be used.
   */
  current(settings: MetadataSettings, now: Date): Promise<IdentityProvider | undefined>;
  /**
   * Fetches the metadata again, for a signature by an unknown certificate.
   * @returns undefined if that was done five times in the last minute, if they are the same, or do not come from a URL.
   */
  refreshed(settings: MetadataSettings, now: Date): Promise<IdentityProvider | undefined>;
}

export const timing = { freshMs: 3_600_000, keptMs: 86_400_000, retryMs: 60_000, fetchMs: 5_000 } as const;
const mostRedirects = 3;
/** In a minute: anybody can send a response with an unknown signature. */
const mostSearches = 5;

/** The state of one URL. */
interface Fetched {
  readonly url: string;
  readonly idp: IdentityProvider | undefined;
  readonly fetchedAt: number;
  /** The last attempt, whether it succeeded or not. */
  readonly triedAt: number;
}

/** Reads a body of at most 1 MiB. */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > longestMetadata) throw new Error('the metadata have more than 1 MiB');
  }
  return text + decoder.decode();
}

async function download(url: string, signal: AbortSignal): Promise<string> {
  let at = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    if (!isSecureUrl(at)) throw new Error('a redirect leads to a URL without https');
    // A redirect from the internet must not lead to a service of this machine.
    if (at.startsWith('http:') && !url.startsWith('http:')) throw new Error('a redirect leads to http');
    const response = await fetch(at, {
      redirect: 'manual',
      signal,
      headers: { accept: 'application/xml, text/xml, */*' },
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) {
      if (response.status === 200) return textOf(response);
      await response.body?.cancel();
      throw new Error(`the server answered ${response.status}`);
    }
    await response.body?.cancel();
    if (!URL.canParse(location, at)) throw new Error('a redirect leads nowhere');
    at = new URL(location, at).href;
  }
  throw new Error(`there are more than ${mostRedirects} redirects`);
}

const isValid = ({ validUntil }: IdentityProvider, now: Date): boolean => validUntil === undefined || validUntil > now;

export function metadataSource(log: Log, fetchMs: number = timing.fetchMs): MetadataSource {
  let text: { readonly xml: string; readonly idp: IdentityProvider } | undefined;
  let fetched: Fetched | undefined;
  /** When unknown signatures caused fetches, in the last minute. */
  let searches: number[] = [];
  let running: { readonly url: string; readonly result: Promise<Fetched> } | undefined;

  const warn = ({ warnings }: IdentityProvider): void => {
    for (const warning of warnings) log.warn({}, `SAML: ${warning}`);
  };

  const fetchNow = async (url: string, now: Date): Promise<Fetched> => {
    const before = fetched?.url === url ? fetched : undefined;
    try {
      const idp = readIdentityProvider(await download(url, AbortSignal.timeout(fetchMs)), now);
      warn(idp);
      return { url, idp, fetchedAt: now.getTime(), triedAt: now.getTime() };
    } catch (error) {
      log.warn({ err: error }, 'SAML: the metadata of the identity provider cannot be fetched');
      return { url, idp: before?.idp, fetchedAt: before?.fetchedAt ?? 0, triedAt: now.getTime() };
    }
  };

  /** One request at a time; callers that arrive meanwhile get the same result. */
  const refresh = async (url: string, now: Date): Promise<Fetched> => {
    if (running?.url !== url) {
      const mine = { url, result: fetchNow(url, now) };
      running = mine;
      void mine.result.then((result) => {
        if (running !== mine) return;
        fetched = result;
        running = undefined;
      });
    }
    return running.result;
  };

  const ofText = (xml: string, now: Date): IdentityProvider => {
    if (text?.xml !== xml) {
      try {
        text = { xml, idp: readIdentityProvider(xml, now) };
      } catch (error) {
        throw new BadGateway('The configured metadata of the identity provider cannot be used', {
          code: 'provider_unavailable',
          cause: error,
        });
      }
      warn(text.idp);
    }
    return text.idp;
  };

  return {
    async current({ xml, url }, now) {
      if (xml !== '') return ofText(xml, now);
      if (url === '') return undefined;
      let known = fetched?.url === url ? fetched : undefined;
      const age = now.getTime() - (known?.fetchedAt ?? 0);
      const isFresh = known?.idp !== undefined && age < timing.freshMs && isValid(known.idp, now);
      const isTried = known !== undefined && now.getTime() - known.triedAt < timing.retryMs;
      if (!isFresh && !isTried) known = await refresh(url, now);
      const isKept = now.getTime() - (known?.fetchedAt ?? 0) < timing.keptMs;
      if (known?.idp === undefined || !isKept || !isValid(known.idp, now))
        throw new BadGateway('The metadata of the identity provider are not available', {
          code: 'provider_unavailable',
        });
      return known.idp;
    },

    async refreshed({ xml, url }, now) {
      if (xml !== '' || url === '') return undefined;
      const known = fetched?.url === url ? fetched : undefined;
      searches = searches.filter((at) => now.getTime() - at < timing.retryMs);
      if (searches.length >= mostSearches) return undefined;
      searches.push(now.getTime());
      const { idp } = await refresh(url, now);
      const isSame = idp?.certificates.join() === known?.idp?.certificates.join();
      return isSame ? undefined : idp;
    },
  };
}
