// The route of blame: the commit and author of each line of a file.
import { api, Joi, list, shape, text, time, type Route, type TypeOf } from 'hexforge/plugin';
import type { BlamedLine } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { derived } from '../conditional.ts';
import { fileAtRefParams, reading, sha } from '../shapes.ts';

const blameLineJson = shape({
  line_number: Joi.number().integer().min(1),
  content: text(),
  sha: sha(),
  author_name: text(),
  author_email: text(),
  author_date: time(),
}).id('BlameLine');

export const blameRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'repositoryBlame',
    summary: 'Blame',
    method: 'GET',
    path: '/repos/{owner}/{repo}/blame/{ref}/{path*}',
    ...reading,
    params: fileAtRefParams,
    result: list(blameLineJson),
    statuses: [304, 422],
    sameForAll: true,
    run: async (_call, { granted, params: { ref, path } }) =>
      derived(await useCases.blame(granted, { target: `${ref}/${path}` }), presentBlame),
  }),
];

function presentBlame(lines: readonly BlamedLine[]): readonly TypeOf<typeof blameLineJson>[] {
  // Lines of the same commit share one Date object. Formatting it once per commit halves the work.
  const dates = new Map<Date, string>();
  return lines.map(({ content, oid, author }, index) => {
    const date = dates.get(author.date) ?? author.date.toISOString();
    dates.set(author.date, date);
    return {
      line_number: index + 1,
      content,
      sha: oid,
      author_name: author.name,
      author_email: author.email,
      author_date: date,
    };
  });
}
