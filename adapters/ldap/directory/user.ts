// The user that an entry of the directory describes.
import { clip } from '#core/kernel/clipping';
import type { DirectoryUser } from '#core/kernel/access/password-directories';
import type { Options } from '../options.ts';
import type { Found } from '../wire/connection.ts';

/** Characters. */
const longest = { username: 256, displayName: 100, email: 254, subject: 1024 } as const;

/** Bit ACCOUNTDISABLE of `userAccountControl` in Active Directory. */
const disabledBit = 2;

/** An entry that cannot be an account: a fault of the entry or of the configuration, not of the directory. */
export class UnusableEntry extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'UnusableEntry';
  }
}

/** The attributes to ask for. */
export const wanted = ({ attributes, adminGroup }: Pick<Options, 'attributes' | 'adminGroup'>): readonly string[] => [
  ...new Set([
    attributes.username,
    attributes.email,
    attributes.displayName,
    'entryUUID',
    'objectGUID',
    'userAccountControl',
    ...(adminGroup === undefined ? [] : ['memberOf']),
  ]),
];

/** Whether Active Directory has disabled the account. */
export function isDisabled(entry: Found): boolean {
  const control = Number(firstText(entry, 'userAccountControl') ?? 0);
  return Number.isSafeInteger(control) && (control & disabledBit) !== 0;
}

/** @throws {UnusableEntry} */
export function userOf(entry: Found, { attributes }: Pick<Options, 'attributes'>): DirectoryUser {
  const email = firstText(entry, attributes.email)?.trim();
  const displayName = displayNameOf(firstText(entry, attributes.displayName));
  return {
    username: usernameOf(entry, attributes.username),
    subject: subjectOf(entry),
    ...(email !== undefined && isPlausible(email) && { email }),
    ...(displayName !== undefined && { displayName }),
  };
}

export function usernameOf(entry: Found, attribute: string): string {
  const name = firstText(entry, attribute)?.trim() ?? '';
  if (name === '') throw new UnusableEntry(`The entry has no attribute "${attribute}", or it is not text`);
  if (name.length > longest.username || /\p{C}/u.test(name))
    throw new UnusableEntry(`The attribute "${attribute}" of the entry is too long, or has control characters`);
  return name;
}

/** The permanent id: `entryUUID` (RFC 4530), else `objectGUID`, else the DN. */
function subjectOf(entry: Found): string {
  const uuid = firstText(entry, 'entryUUID');
  if (uuid !== undefined && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uuid)) return uuid.toLowerCase();
  const [guid] = entry.values('objectGUID');
  if (guid !== undefined) return guidText(typeof guid === 'string' ? Buffer.from(guid, 'utf8') : guid);
  const dn = normalisedDn(entry.dn);
  if (dn.length > longest.subject) throw new UnusableEntry('The entry has no entryUUID, and its name is too long');
  return dn;
}

/** The text form of a GUID, whose first three groups are stored with the lowest byte first. */
export function guidText(guid: Buffer): string {
  if (guid.length !== 16) throw new UnusableEntry('The objectGUID of the entry has not 16 bytes');
  const hex = (...order: readonly number[]): string =>
    order.map((index) => (guid[index] ?? 0).toString(16).padStart(2, '0')).join('');
  return [hex(3, 2, 1, 0), hex(5, 4), hex(7, 6), hex(8, 9), hex(10, 11, 12, 13, 14, 15)].join('-');
}

/** A DN (RFC 4514) in lower case and without spaces around separators, for comparing. */
export const normalisedDn = (dn: string): string =>
  dn
    .toLowerCase()
    .replaceAll(/\\([0-9a-f]{2})/g, (hex, code: string) => {
      const char = String.fromCharCode(Number.parseInt(code, 16));
      return /[ "#+,;<=>\\]/.test(char) ? `\\${char}` : hex;
    })
    .replaceAll(/(?<![\\ ]) {1,16}(?=[,+=])/g, '')
    .replaceAll(/(?<!\\)([,+=]) {1,16}/g, '$1');

const isPlausible = (email: string): boolean =>
  email.length <= longest.email && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email);

function displayNameOf(text: string | undefined): string | undefined {
  const clean = text
    ?.slice(0, 4 * longest.displayName)
    .replaceAll(/\p{C}/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (clean === undefined || clean === '') return undefined;
  return clip(clean, longest.displayName);
}

function firstText(entry: Found, attribute: string): string | undefined {
  const [value] = entry.values(attribute);
  return typeof value === 'string' ? value : undefined;
}
