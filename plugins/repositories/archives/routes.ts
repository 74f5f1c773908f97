// The routes that download all files of a ref as an archive: of REST, and of pages, where the session cookie
// authenticates.
import { api, ByteStream, reply, shape, type Granted, type Reply, type Route } from 'hexforge/plugin';
import type { ArchiveFormat, Repository } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { revalidated } from '../conditional.ts';
import { attachment } from '../contents/media-types.ts';
import { inRepository, reading, rest } from '../shapes.ts';

const types: Readonly<Record<ArchiveFormat, string>> = { 'tar.gz': 'application/gzip', zip: 'application/zip' };

const archiveParams = shape({
  ...inRepository,
  rest: rest('REF.tar.gz or REF.zip: a branch, tag or commit, which may hold slashes'),
});

const common = {
  summary: 'All files of a ref as .tar.gz or .zip',
  method: 'GET',
  ...reading,
  params: archiveParams,
  result: 'bytes',
} as const;

export function archiveRoutes(useCases: RepositoryUseCases): readonly Route[] {
  const download = async (granted: Granted<Repository, 'repo.read'>, target: string): Promise<Reply<ByteStream>> => {
    const archive = await useCases.archive(granted, { target });
    return reply(new ByteStream(await archive.open(), { type: types[archive.format] }), {
      headers: {
        ...revalidated,
        'x-content-type-options': 'nosniff',
        'content-disposition': attachment(archive.fileName),
      },
    });
  };
  return [
    api({
      ...common,
      id: 'repositoryArchive',
      path: '/repos/{owner}/{repo}/archive/{rest*}',
      run: (_call, { granted, params }) => download(granted, params.rest),
    }),
    api({
      ...common,
      id: 'repositoryArchiveDownload',
      mount: 'root',
      path: '/{owner}/{repo}/-/archive/{rest*}',
      cookies: true,
      hidden: true,
      requires: ['PageFrame'],
      run: (_call, { granted, params }) => download(granted, params.rest),
    }),
  ];
}
