// The routes of the files of a merge request, and of the diff of one file.
import { api, pageRules, readPage, type Route } from 'hexforge/plugin';
import type { MergeUseCases } from '#core/merges/use-cases';
import { mergesPath, reading } from '../params.ts';
import { mergeParams } from '../params.ts';
import { presentFile, presentFileDiff } from './present.ts';
import { diffQuery, fileDiffJson, fileParams, filesJson, filesQuery, withoutDiff } from './schemas.ts';

const path = `${mergesPath}/{number}/files` as const;

export const fileRoutes = (merges: MergeUseCases): readonly Route[] => [
  api({
    ...reading,
    id: 'mergeFiles',
    summary: 'List the changed files of a merge request',
    method: 'GET',
    path,
    params: mergeParams,
    query: filesQuery,
    refusesTrailingSlash: true,
    result: filesJson,
    statuses: [409, 503],
    errorMembers: withoutDiff,
    async run(_call, { granted, params: { number }, query: { algorithm, ...query } }) {
      const { items, total, page, perPage } = await merges.files(granted, {
        number,
        algorithm,
        ...readPage(pageRules.clamped(50, 200), query),
      });
      return { files: items.map(presentFile), total, page, per_page: perPage };
    },
  }),
  api({
    ...reading,
    id: 'mergeFile',
    summary: 'Structured diff of one file of a merge request',
    method: 'GET',
    path: `${path}/{path*}`,
    params: fileParams,
    query: diffQuery,
    result: fileDiffJson,
    statuses: [409, 503],
    errorMembers: withoutDiff,
    run: async (_call, { granted, params: { number, path: file }, query: { algorithm } }) =>
      presentFileDiff(await merges.file(granted, { number, path: file, algorithm })),
  }),
];
