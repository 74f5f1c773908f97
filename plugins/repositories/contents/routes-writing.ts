// The routes that create, replace or remove one file as a commit.
import { api, parseInstant, reply, ValidationFailed, type Route } from 'hexforge/plugin';
import type { WriteCommand } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { writing } from '../shapes.ts';
import { presentWritten } from './present.ts';
import { contentsParams, removeBody, writeBody, writtenJson, type WriteBody } from './schemas.ts';

/** The most bytes of a request that writes a file. */
export const maxBytes = 50 * 1024 * 1024;
const common = {
  path: '/repos/{owner}/{repo}/contents/{path*}',
  ...writing,
  params: contentsParams,
  result: writtenJson,
} as const;

export const contentsWritingRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    ...common,
    id: 'contentsWrite',
    summary: 'Create or replace a file',
    method: 'PUT',
    body: writeBody,
    maxBytes,
    statuses: [201, 409, 422],
    async run(_call, { granted, params: { path }, body }) {
      const command = { ...body, path, author: authorOf(body), content: await decoded(body.content) };
      const written = await useCases.writeContents(granted, command);
      return reply(presentWritten(written), { status: written.created ? 201 : 200 });
    },
  }),
  api({
    ...common,
    id: 'contentsRemove',
    summary: 'Remove a file',
    method: 'DELETE',
    body: removeBody,
    statuses: [409, 422],
    async run(_call, { granted, params: { path }, body }) {
      const command = { ...body, path, author: authorOf(body), content: undefined };
      return presentWritten(await useCases.writeContents(granted, command));
    },
  }),
];

/** @throws {ValidationFailed} if git cannot store the date. */
function authorOf({ author }: Pick<WriteBody, 'author'>): WriteCommand['author'] {
  if (author?.date === undefined) return author && { ...author, date: undefined };
  const date = parseInstant(author.date);
  if (date !== undefined && date.getTime() >= 0) return { ...author, date, offset: offsetOf(author.date) };
  throw new ValidationFailed('The request is not valid', {
    detail: 'Field "author.date" must be a time such as 2026-01-31T12:00:00Z, of 1970 or later',
  });
}

/** The offset of an RFC 3339 time, as git writes it: `+0530`. */
const offsetOf = (time: string): string => /[+-]\d{2}:\d{2}$/.exec(time)?.[0].replace(':', '') ?? '+0000';

/** How many characters are decoded before other requests are served. */
const slice = 1024 ** 2;

/**
 * Decodes base64 with padding (RFC 4648, section 4), on one line or, like the output of `base64`, on several. @throws
 * {ValidationFailed}
 */
async function decoded(lines: string): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let text = '';
  for (let at = 0; at < lines.length; at += slice) {
    text = (text + lines.slice(at, at + slice)).replaceAll(/\r?\n/g, '');
    const last = at + slice >= lines.length;
    // The last group may have padding, and a line break may be split. Both are kept for the next slice.
    const whole = last ? text : text.slice(0, Math.max(0, text.length - 4 - (text.length % 4)));
    if (!(last ? isEnd(whole) : /^[A-Za-z0-9+/]*$/.test(whole)))
      throw new ValidationFailed('The content is not base64', {
        detail: 'Field "content" must be base64 with its padding, and nothing else but line breaks',
      });
    parts.push(Buffer.from(whole, 'base64'));
    text = text.slice(whole.length);
    if (!last) await new Promise((resolve) => setImmediate(resolve));
  }
  return Buffer.concat(parts);
}

/** Only the last group can have unused bits that are not zero. Encoding it again shows the difference. */
function isEnd(text: string): boolean {
  const last = text.slice(-4);
  return (
    text.length % 4 === 0 &&
    /^[A-Za-z0-9+/]*={0,2}$/.test(text) &&
    Buffer.from(last, 'base64').toString('base64') === last
  );
}
