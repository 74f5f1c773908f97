// The route that downloads all files of a ref as an archive.
import { api, ByteStream, reply, shape, type Route } from 'hexforge/plugin';
import type { ArchiveFormat } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { revalidated } from '../conditional.ts';
import { attachment } from '../contents/media-types.ts';
import { inRepository, reading, rest } from '../shapes.ts';

const types: Readonly<Record<ArchiveFormat, string>> = { 'tar.gz': 'application/gzip', zip: 'application/zip' };

const archiveParams = shape({
  ...inRepository,
  rest: rest('REF.tar.gz or REF.zip: a branch, tag or commit, which may hold slashes'),
});

export const archiveRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'repositoryArchive',
    summary: 'All files of a ref as .tar.gz or .zip',
    method: 'GET',
    path: '/repos/{owner}/{repo}/archive/{rest*}',
    ...reading,
    params: archiveParams,
    result: 'bytes',
    async run(_call, { granted, params }) {
      const archive = await useCases.archive(granted, { target: params.rest });
      return reply(new ByteStream(await archive.open(), { type: types[archive.format] }), {
        headers: {
          ...revalidated,
          'x-content-type-options': 'nosniff',
          'content-disposition': attachment(archive.fileName),
        },
      });
    },
  }),
];
