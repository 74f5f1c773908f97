// The raw bytes of a file for browsers, which authenticate by the session cookie: images of pages, and downloads.
import { api, ByteStream, Joi, maybe, reply, shape, tagged, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { revalidated } from '../conditional.ts';
import { inRepository, reading, rest } from '../shapes.ts';
import { attachment, browserType } from './media-types.ts';

/** A file must never run or load anything in the forge's origin, and pages of other sites must not show it. */
const inert = {
  ...revalidated,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
} as const;

export const rawPageRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'repositoryRawPage',
    summary: 'Raw bytes of a file, for browsers',
    method: 'GET',
    mount: 'root',
    path: '/{owner}/{repo}/-/raw/{target*}',
    ...reading,
    params: shape({ ...inRepository, target: rest('A ref and the path of a file') }),
    query: shape({ download: maybe(Joi.string()) }),
    cookies: true,
    requires: ['PageFrame'],
    hidden: true,
    result: 'bytes',
    statuses: [304],
    async run(_call, { granted, params, query }) {
      const file = await useCases.rawFile(granted, { target: params.target });
      return tagged(
        `${file.oid}${query.download === '1' ? '-download' : ''}`,
        async () => {
          const { isBinary, size, bytes } = await file.open();
          const { type, attachment: download } = browserType(file.path, isBinary);
          return reply(
            new ByteStream(bytes, { type, length: size }),
            download || query.download === '1' ? { headers: { 'content-disposition': attachment(file.path) } } : {},
          );
        },
        inert,
      );
    },
  }),
];
