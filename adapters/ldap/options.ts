// The options of the directory, and what is refused at start because it cannot work or is not safe.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import type { Log } from '#core/kernel/services/log';
import { filterTemplate, type FilterTemplate } from './filter.ts';

export interface Options {
  /** ldap://host[:port] or ldaps://host[:port]. */
  readonly url: string;
  readonly startTls: boolean;
  /** A file of the certificates (PEM) to trust instead of those that Node trusts. */
  readonly caFile?: string | undefined;
  /** Allows plain ldap:// to another machine, where others may read passwords. */
  readonly allowCleartext: boolean;
  /** The service account that searches; absent: anonymous. */
  readonly bindDn?: string | undefined;
  readonly bindPassword?: string | undefined;
  readonly baseDn: string;
  readonly userFilter: string;
  readonly attributes: { readonly username: string; readonly email: string; readonly displayName: string };
  /** The DN of the group of administrators; absent: the directory does not decide who is one. */
  readonly adminGroup?: string | undefined;
  readonly timeoutSeconds: number;
  /** The most checks at a time. Each uses one service connection and one connection for the user's bind. */
  readonly connections: number;
  /** The most checks that are queued. */
  readonly queue: number;
  readonly log: Log;
}

/** A configuration that is refused, with the remedy for the operator. */
export class Misconfigured extends Error {
  readonly code = 'bad_configuration';
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'Misconfigured';
    this.remedy = remedy;
  }
}

/** The address of the directory, and the encryption of connections. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly security: 'none' | 'starttls' | 'ldaps';
  /** Certificates (PEM); undefined: those that Node trusts. */
  readonly ca: string | undefined;
}

export interface Checked {
  readonly address: Address;
  readonly filter: FilterTemplate;
}

/** Validates what the rules of single values cannot. @throws {Misconfigured} */
export function checked(options: Options): Checked {
  const address = addressOf(options);
  if (options.bindPassword !== undefined && options.bindDn === undefined)
    throw new Misconfigured(
      'plugins.ldap.bind_password (LDAP_BIND_PASSWORD) is set without LDAP_BIND_DN',
      'Set LDAP_BIND_DN, or unset both',
    );
  // A bind with a DN and no password succeeds as anonymous on many servers (RFC 4513, 5.1.2).
  if (options.bindDn !== undefined && options.bindPassword === undefined)
    throw new Misconfigured(
      'plugins.ldap.bind_dn (LDAP_BIND_DN) is set without LDAP_BIND_PASSWORD',
      'Set LDAP_BIND_PASSWORD, or unset both',
    );
  return { address, filter: filterOf(options.userFilter) };
}

function filterOf(template: string): FilterTemplate {
  try {
    return filterTemplate(template);
  } catch (error) {
    throw new Misconfigured(
      `plugins.ldap.user_filter (LDAP_USER_FILTER) cannot be used: ${error instanceof Error ? error.message : 'it is not a filter'}`,
      'Set it to a filter in parentheses (RFC 4515) that contains {username}, such as (uid={username})',
    );
  }
}

function addressOf({ url, startTls, caFile, allowCleartext }: Options): Address {
  const parsed = URL.parse(url);
  const secure = parsed?.protocol === 'ldaps:';
  // The host of an IPv6 address is in brackets.
  const host = parsed?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (
    parsed === null ||
    (!secure && parsed.protocol !== 'ldap:') ||
    host === '' ||
    !['', '/'].includes(parsed.pathname) ||
    parsed.search !== '' ||
    parsed.hash !== '' ||
    parsed.username !== '' ||
    parsed.password !== '' ||
    parsed.port === '0'
  )
    throw new Misconfigured(
      'plugins.ldap.url (LDAP_URL) is not the address of a directory',
      'Set it to ldap://HOST[:PORT] or ldaps://HOST[:PORT], without a path, a user or a query',
    );
  if (secure && startTls)
    throw new Misconfigured(
      'plugins.ldap.starttls (LDAP_STARTTLS) is set, and LDAP_URL begins with ldaps://, which is encrypted from the start',
      'Unset LDAP_STARTTLS, or let LDAP_URL begin with ldap://',
    );
  if (!secure && !startTls && !allowCleartext && !isLoopback(host))
    throw new Misconfigured(
      'plugins.ldap.url (LDAP_URL) begins with ldap://, so passwords would be sent to another machine without encryption',
      'Let it begin with ldaps://, or set LDAP_STARTTLS=true, or accept it with plugins.ldap.allow_cleartext: true',
    );
  return {
    host,
    port: parsed.port === '' ? (secure ? 636 : 389) : Number(parsed.port),
    security: secure ? 'ldaps' : startTls ? 'starttls' : 'none',
    ca: certificatesOf(caFile),
  };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

export function isLoopback(host: string): boolean {
  const kind = isIP(host);
  if (kind === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, kind === 4 ? 'ipv4' : 'ipv6');
}

function certificatesOf(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  let pem: string;
  try {
    pem = readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new Misconfigured(
      `plugins.ldap.ca_file (LDAP_CA_FILE) cannot be read (${code})`,
      'Set it to a readable file of certificates (PEM), or unset it for those that Node trusts',
    );
  }
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const valid = blocks.every((block) => {
    try {
      return new X509Certificate(block).subject !== undefined;
    } catch {
      return false;
    }
  });
  if (blocks.length > 0 && valid) return blocks.join('\n');
  throw new Misconfigured(
    `plugins.ldap.ca_file (LDAP_CA_FILE) contains ${blocks.length === 0 ? 'no certificate' : 'a certificate that cannot be read'}`,
    'Set it to a file of certificates (PEM), or unset it for those that Node trusts',
  );
}
