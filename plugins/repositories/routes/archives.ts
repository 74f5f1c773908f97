// The route of document D that hands over all files of a ref as one download.
import { api, ByteStream, reads, reply, type Route } from 'hexforge/plugin';
import type { ArchiveFormat, RepositoryUseCases } from '#core/repositories/index';
import { attachment } from '../media-types.ts';
import { archivePath } from '../schemas/history.ts';
import { revalidated } from './derived.ts';

const types: Readonly<Record<ArchiveFormat, string>> = { 'tar.gz': 'application/gzip', zip: 'application/zip' };

export const archiveRoutes = (useCases: () => RepositoryUseCases): readonly Route[] => [
  api({
    id: 'repositoryArchive',
    summary: 'All files of a ref as .tar.gz or .zip',
    method: 'GET',
    path: '/repos/{owner}/{repo}/archive/{rest*}',
    access: reads('repository', 'repo.read'),
    scope: 'repo.read',
    meter: 'api.read',
    params: archivePath,
    result: 'bytes',
    async run(_call, { granted, params }) {
      const archive = await useCases().archive(granted, params.rest);
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
