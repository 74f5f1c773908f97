// Parses form bodies (application/x-www-form-urlencoded) as strictly as JSON bodies: UTF-8 only, nothing is guessed.
import type { IncomingMessage } from 'node:http';
import { UnsupportedMediaType, ValidationFailed } from '#core/kernel/errors';
import { collect, parametersGood } from './json-body.ts';
import { carriesBody } from './request-body.ts';

/** Forms of OAuth2 have a few hundred bytes. */
export const formMaxBytes = 64 * 1024;

const formType = 'application/x-www-form-urlencoded';
const mostFields = 100;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns texts by field name, with a list of texts for a repeated field. Empty fields are absent.
 * @param take is called with the size of each received chunk, and may throw to refuse it.
 */
export async function readForm(
  message: IncomingMessage,
  maxBytes: number,
  take: (bytes: number) => void,
): Promise<unknown> {
  if (!carriesBody(message)) return {};
  const [type = '', ...parameters] = (message.headers['content-type'] ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() !== formType || !parametersGood(parameters))
    throw new UnsupportedMediaType('The body must be a form', { detail: `Send it with Content-Type: ${formType}` });
  const fields = new Map<string, string | string[]>();
  const pairs = decode(await collect(message, maxBytes, take)).split('&');
  if (pairs.length > mostFields) throw malformed(`It has more than ${mostFields} fields`);
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = unescaped(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : unescaped(pair.slice(equals + 1));
    const before = fields.get(name);
    if (value !== '') fields.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(fields);
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('It is not UTF-8');
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('A "%" begins no percent-encoded UTF-8');
  }
}

const malformed = (detail: string): ValidationFailed => new ValidationFailed('The form is not valid', { detail });
