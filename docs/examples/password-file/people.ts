// Reads the file of people: one line each, `username:salt:hash`, with salt and scrypt hash in base64.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const length = 32;
const hashed = promisify<string, Buffer, number, Buffer>(scrypt);

/** The line for one person. */
export async function lineOf(username: string, password: string): Promise<string> {
  const salt = randomBytes(16);
  return [username, salt.toString('base64'), (await hashed(password, salt, length)).toString('base64')].join(':');
}

interface Person {
  readonly username: string;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Compared if the name is unknown, so that the response takes as long as for a known name. */
const nobody: Person = { username: '', salt: Buffer.alloc(16), hash: Buffer.alloc(length) };

/** Reads the whole file on every check: it is small, and a removed person is locked out at once. */
async function people(file: string): Promise<readonly Person[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line, index) => {
      const [username = '', salt = '', hash = ''] = line.split(':');
      const person = { username, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
      if (username !== '' && person.hash.length === length) return person;
      throw new Error(`entry ${index + 1} of the file of people is not "username:salt:hash"`);
    });
}

/** The name as spelled in the file; undefined if the password is wrong or the name is unknown. */
export async function personOf(file: string, username: string, password: string): Promise<string | undefined> {
  const wanted = username.toLowerCase();
  const person = (await people(file)).find((one) => one.username.toLowerCase() === wanted) ?? nobody;
  const same = timingSafeEqual(await hashed(password, person.salt, length), person.hash);
  return same && person !== nobody ? person.username : undefined;
}

/** Why the file cannot be read, as a sentence; undefined if it can. */
export const unreadable = (file: string): Promise<string | undefined> =>
  people(file).then(
    () => undefined,
    (error: unknown) => `the file of people cannot be read: ${error instanceof Error ? error.message : String(error)}`,
  );
