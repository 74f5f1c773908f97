// Rejects requests that a browser was led to by a foreign name (DNS rebinding).

/** The host name in a Host header, without its port. */
const nameOf = (host: string): string =>
  (host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : (host.split(':', 1)[0] ?? '')).toLowerCase();

/**
 * Whether a Host header names a domain other than those of the instance. An attacker can let their domain name lead to
 * any address, so that a browser takes the server for a part of the attacker's site. Addresses cannot be taken over in
 * this way, and neither can names without a dot, which no one can register.
 * @param own the URLs of the instance.
 */
export function isForeignHost(host: string | undefined, own: readonly string[]): boolean {
  const name = nameOf(host ?? '').replace(/\.$/, '');
  if (!name.includes('.') || name.startsWith('[') || /^[0-9.]+$/.test(name)) return false;
  return !own.some((url) => nameOf(new URL(url).host) === name);
}
