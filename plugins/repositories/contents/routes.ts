// The routes that read files and folders: contents and raw.
import { api, ByteStream, reply, tagged, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { revalidated, truncatedMark } from '../conditional.ts';
import { fileAtRefParams, reading } from '../shapes.ts';
import { attachment, mediaType } from './media-types.ts';
import { presentBlob, presentEntry } from './present.ts';
import { contentsJson, contentsParams, contentsQuery, type BlobJson, type EntryJson } from './schemas.ts';

/** A file must never run or load anything in the forge's origin. */
const inert = {
  ...revalidated,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
} as const;

export const contentsRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'repositoryContents',
    summary: 'File or directory at a ref',
    method: 'GET',
    path: '/repos/{owner}/{repo}/contents/{path*}',
    ...reading,
    params: contentsParams,
    query: contentsQuery,
    result: contentsJson,
    statuses: [304],
    sameForAll: true,
    async run(_call, { granted, params, query }) {
      const found = await useCases.contents(granted, { path: params.path, ref: query.ref });
      return tagged<readonly EntryJson[] | BlobJson>(
        found.tag,
        async () => {
          if (found.kind === 'file') return presentBlob(await found.read());
          const { items, truncated } = await found.read();
          const provisional = items.some(({ lastCommit }) => lastCommit === undefined);
          return reply(items.map(presentEntry), {
            ...(truncated && { headers: truncatedMark }),
            ...(provisional && { provisional }),
          });
        },
        revalidated,
      );
    },
  }),
  api({
    id: 'repositoryRaw',
    summary: 'Raw bytes of a file',
    method: 'GET',
    path: '/repos/{owner}/{repo}/raw/{ref}/{path*}',
    ...reading,
    params: fileAtRefParams,
    result: 'bytes',
    statuses: [304],
    async run(_call, { granted, params }) {
      const file = await useCases.rawFile(granted, { target: `${params.ref}/${params.path}` });
      return tagged(
        file.oid,
        async () => {
          const { isBinary, size, bytes } = await file.open();
          const { type, attachment: download } = mediaType(file.path, isBinary);
          return reply(
            new ByteStream(bytes, { type, length: size }),
            download ? { headers: { 'content-disposition': attachment(file.path) } } : {},
          );
        },
        inert,
      );
    },
  }),
];
