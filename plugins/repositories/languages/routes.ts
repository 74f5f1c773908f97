// The route of the number of bytes of each language in a repository.
import { api, Joi, word, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { derived } from '../conditional.ts';
import { reading } from '../shapes.ts';

/** Language to bytes. */
const languagesJson = Joi.object<Readonly<Record<string, number>>>()
  .pattern(word(), Joi.number().integer().min(1))
  .id('Languages');

export const languageRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'repositoryLanguages',
    summary: 'Bytes of each language',
    method: 'GET',
    path: '/repos/{owner}/{repo}/languages',
    ...reading,
    result: languagesJson,
    statuses: [304],
    sameForAll: true,
    run: async (_call, { granted }) => derived(await useCases.languages(granted), (sizes) => Object.fromEntries(sizes)),
  }),
];
