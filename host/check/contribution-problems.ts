// Finds conflicts between contributions: names that two plugins use, and names that no plugin declares.
import { channelPath, pagePath } from '../contributions/mounting.ts';
import type { Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';
import { claimedTwice, doubles } from './claims.ts';
import type { Contributed } from './contributions.ts';
import { heardProblems } from './events.ts';
import { guardProblems, routeProblems } from './routes.ts';

interface Kind {
  readonly code: string;
  /** The word for it in messages. */
  readonly what: string;
  readonly namesOf: (listed: Contributed, plan: Plan) => readonly string[];
}

/** Removes parameter names, so that `{a}` equals `{b}`. */
const unnamed = (path: string): string => path.replaceAll(/\{[^{}*]*(\*?)\}/g, '{$1}');

const kinds: readonly Kind[] = [
  { code: 'duplicate_channel_id', what: 'channel id', namesOf: (of) => of.contributions.channels.map(({ id }) => id) },
  {
    code: 'duplicate_channel',
    what: 'channel',
    namesOf: ({ plugin, contributions: { channels } }, plan) =>
      channels.map(({ path }) => unnamed(channelPath(plugin, path, plan.mountOf(plugin)))),
  },
  { code: 'duplicate_tool', what: 'tool', namesOf: (of) => of.contributions.tools.map(({ name }) => name) },
  { code: 'duplicate_indexer', what: 'indexer', namesOf: (of) => of.contributions.indexers.map(({ name }) => name) },
  { code: 'duplicate_page_id', what: 'page id', namesOf: (of) => of.contributions.pages.map(({ id }) => id) },
  {
    code: 'duplicate_page',
    what: 'page',
    namesOf: ({ plugin, contributions: { pages } }, plan) =>
      pages.map(({ path }) => unnamed(pagePath(plugin, path, plan.mountOf(plugin)))),
  },
  // The following names are unique per plugin, so only duplicates within one plugin are found.
  {
    code: 'duplicate_subscription',
    what: 'subscription',
    namesOf: ({ plugin, contributions: { events } }) => events.map(({ name }) => `${plugin}/${name}`),
  },
  {
    code: 'duplicate_job',
    what: 'job',
    namesOf: ({ plugin, contributions: { jobs } }) => jobs.map(({ name }) => `${plugin}/${name}`),
  },
  {
    code: 'duplicate_probe',
    what: 'probe',
    namesOf: ({ plugin, contributions: { probes } }) => probes.map(({ name }) => `${plugin}/${name}`),
  },
];

export function contributionProblems(plan: Plan, listed: readonly Contributed[]): readonly Problem[] {
  return [
    ...kinds.flatMap(({ code, what, namesOf }) =>
      doubles(
        listed.map((one) => ({ name: one.plugin, names: namesOf(one, plan) })),
        ({ names }) => names,
      ).map(({ name, first, second }) => claimedTwice(code, what, name, first, second)),
    ),
    ...guardProblems(plan, listed),
    ...routeProblems(plan, listed),
    ...heardProblems(plan, listed),
  ];
}
