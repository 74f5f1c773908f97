// Converts request bodies and queries to commands. An absent member stays absent.
import { pageRules, readPage, type PageRequest } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import type { ArrayQuery, IssueListQuery } from './schemas.ts';

/** Members of a body whose name in the command is not the same in camel case. */
const names = { issue_type_id: 'typeId', issue_status: 'status' } as const;
type Names = typeof names;

type Camel<S> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type Renamed<Body> = { [M in keyof Body as M extends keyof Names ? Names[M] : Camel<M>]: Body[M] };

/** Renames the present members of a body to those of the command. */
export const renamed = <Body extends object>(body: Body): Renamed<Body> =>
  Object.fromEntries(
    Object.entries(body).map(([member, value]) => [
      names[member as keyof Names] ?? member.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as Renamed<Body>;

/** Converts a flag for "has no value" to the bound's flag for "has a value". */
const unless = (none: boolean | undefined): boolean | undefined => (none === undefined ? undefined : !none);

/** The issue list accepts any positive `per_page`. */
export const listCommand = (query: IssueListQuery): Parameters<IssueUseCases['list']>[1] => ({
  page: readPage(pageRules.uncapped(), query),
  state: query.state === 'all' ? undefined : query.state,
  status: query.status,
  type: query.type,
  priority: query.priority,
  label: query.label,
  milestoneId: query.milestone_id,
  hasParent: query.has_parent,
  component: query.component,
  fixVersion: query.fix_version,
  affectsVersion: query.affects_version,
  overdue: query.overdue,
  q: query.q,
  ranges: {
    dueDate: { min: query.due_after, max: query.due_before },
    storyPoints: { min: query.story_points_min, max: query.story_points_max, set: unless(query.unestimated) },
    inputTokens: { min: query.tokens_min, max: query.tokens_max, set: unless(query.untokenized) },
    outputTokens: {
      min: query.output_tokens_min,
      max: query.output_tokens_max,
      set: unless(query.no_output_tokens),
    },
  },
});

/** The page of a list that is returned as a plain JSON array: `per_page` is 1 to 100, default 100. */
export const arrayPage = (query: ArrayQuery): PageRequest => readPage(pageRules.orDefault(100), query);
