// Routes of document B that read what a repository holds: contents and raw.
import { api, ByteStream, notModified, reads, reply, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/index';
import { attachment, mediaType } from '../media-types.ts';
import type { Presenter } from '../present.ts';
import { contentsJson, contentsPath, contentsQuery, rawPath, type BlobJson, type EntryJson } from '../schemas.ts';
import { revalidated } from './repositories.ts';

/** Whatever a file holds, it neither runs nor loads anything in the forge's origin. */
const inert = { ...revalidated, 'x-content-type-options': 'nosniff', 'content-security-policy': "sandbox; default-src 'none'" } as const;

export const contentRoutes = (useCases: () => RepositoryUseCases, present: () => Presenter): readonly Route[] => [
  api({
    id: 'repositoryContents', summary: 'File or directory at a ref', method: 'GET', path: '/repos/{owner}/{repo}/contents/{path*}',
    access: reads('repository', 'repo.read'), scope: 'repo.read', meter: 'api.read', params: contentsPath, query: contentsQuery, result: contentsJson,
    statuses: [304],
    async run(_call, { granted, params, query, unchanged }) {
      const found = await useCases().contents(granted, { path: params.path, ref: query.ref });
      if (unchanged(found.tag)) return notModified(found.tag, revalidated);
      if (found.kind === 'file') return reply<EntryJson[] | BlobJson>(present().blob(await found.read()), { headers: revalidated, etag: found.tag });
      const entries = await found.read();
      // Where last commits are missing still, the same folder will read otherwise later.
      const complete = entries.every(({ lastCommit }) => lastCommit !== undefined);
      return reply<EntryJson[] | BlobJson>(entries.map(present().entry), { headers: revalidated, ...complete && { etag: found.tag } });
    },
  }),
  api({
    id: 'repositoryRaw', summary: 'Raw bytes of a file', method: 'GET', path: '/repos/{owner}/{repo}/raw/{ref}/{path*}',
    access: reads('repository', 'repo.read'), scope: 'repo.read', meter: 'api.read', params: rawPath, result: 'bytes',
    statuses: [304],
    async run(_call, { granted, params, unchanged }) {
      const file = await useCases().rawFile(granted, `${params.ref}/${params.path}`);
      if (unchanged(file.oid)) return notModified(file.oid, inert);
      const { isBinary, size, bytes } = await file.open();
      const { type, attachment: download } = mediaType(file.path, isBinary);
      return reply(new ByteStream(bytes, { type, length: size }), {
        headers: { ...inert, ...download && { 'content-disposition': attachment(file.path) } }, etag: file.oid,
      });
    },
  }),
];
