// Determines the client's address behind trusted proxies, from X-Forwarded-For.
import { BlockList, isIP, isIPv6 } from 'node:net';

export interface TrustedProxies {
  trusts(address: string): boolean;
}

/**
 * Parses addresses and CIDR ranges such as `10.0.0.0/8` or `::1`.
 * @throws {Error} naming the entry that is neither.
 */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.trim().split('/');
    const version = isIP(address);
    const prefix = bits === undefined ? undefined : Number(bits);
    const widest = version === 4 ? 32 : 128;
    const badPrefix = prefix !== undefined && (!/^\d{1,3}$/.test(bits ?? '') || prefix > widest);
    if (version === 0 || badPrefix || rest.length > 0)
      throw new Error(`trusted proxy "${entry}" is neither an address nor a range such as 10.0.0.0/8`);
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, prefix, family);
  }
  return { trusts: (address) => entries.length > 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') };
}

/**
 * The client's address: the nearest hop that is not a trusted proxy. Hops are read from the right, because each proxy
 * appends the address it received from, so an `X-Forwarded-For` made up by the client is ignored.
 */
export function clientAddress(
  remote: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): string {
  let address = plain(remote ?? '') ?? 'unknown';
  if (forwardedFor === undefined || address === 'unknown') return address;
  const hops = forwardedFor.split(',');
  while (hops.length > 0 && proxies.trusts(address)) {
    const hop = plain(hops.pop() ?? '');
    if (hop === undefined) break;
    address = hop;
  }
  return address;
}

/** The address without port, brackets, zone and IPv4-in-IPv6 mapping, or undefined if the text is not an address. */
function plain(text: string): string | undefined {
  const trimmed = text.trim();
  const bare = /^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const unzoned = bare.split('%')[0] ?? '';
  const mapped = /^::ffff:([\d.]+)$/i.exec(unzoned)?.[1] ?? unzoned;
  return isIP(mapped) === 0 ? undefined : mapped.toLowerCase();
}
