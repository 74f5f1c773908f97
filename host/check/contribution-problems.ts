// Finds conflicts between contributions: names that two plugins use, and names that no plugin declares.
import { channelPath, pagePath } from '../contributions/mounting.ts';
import type { Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';
import { duplicates, type Kind } from './claims.ts';
import type { Contributed } from './contributions.ts';
import { heardProblems } from './events.ts';
import { guardProblems, routeProblems, unnamed } from './routes.ts';

const kindsIn = ({ mountOf }: Plan): readonly Kind<Contributed>[] => [
  { code: 'duplicate_channel_id', what: 'channel id', namesOf: (of) => of.contributions.channels.map(({ id }) => id) },
  {
    code: 'duplicate_channel',
    what: 'channel',
    namesOf: ({ plugin, contributions: { channels } }) =>
      channels.map(({ path }) => unnamed(channelPath(plugin, path, mountOf(plugin)))),
  },
  { code: 'duplicate_tool', what: 'tool', namesOf: (of) => of.contributions.tools.map(({ name }) => name) },
  { code: 'duplicate_indexer', what: 'indexer', namesOf: (of) => of.contributions.indexers.map(({ name }) => name) },
  {
    code: 'duplicate_page_id',
    what: 'page id',
    namesOf: (of) => of.contributions.pages.flatMap(({ id, forms }) => [id, ...forms.map((form) => form.id)]),
  },
  {
    code: 'duplicate_page',
    what: 'page',
    namesOf: ({ plugin, contributions: { pages } }) =>
      pages.map((page) => unnamed(pagePath(plugin, page, mountOf(plugin)))),
  },
  {
    code: 'duplicate_form',
    what: 'form',
    namesOf: ({ plugin, contributions: { pages } }) =>
      pages.flatMap(({ forms }) => forms.map((form) => unnamed(pagePath(plugin, form, mountOf(plugin))))),
  },
  { code: 'duplicate_tab', what: 'tab', namesOf: (of) => of.contributions.tabs.map(({ id }) => id) },
  { code: 'duplicate_menu_entry', what: 'menu entry', namesOf: (of) => of.contributions.menu.map(({ id }) => id) },
  { code: 'duplicate_card', what: 'card', namesOf: (of) => of.contributions.cards.map(({ id }) => id) },
  { code: 'duplicate_panel', what: 'panel', namesOf: (of) => of.contributions.panels.map(({ id }) => id) },
  // The following names are unique per plugin, so only duplicates within one plugin are found.
  ...(
    [
      ['subscription', 'events'],
      ['job', 'jobs'],
      ['probe', 'probes'],
    ] as const
  ).map(([what, kind]): Kind<Contributed> => ({
    code: `duplicate_${what}`,
    what,
    namesOf: ({ plugin, contributions }) => contributions[kind].map(({ name }) => `${plugin}/${name}`),
  })),
];

export const contributionProblems = (plan: Plan, listed: readonly Contributed[]): readonly Problem[] => [
  ...duplicates(
    kindsIn(plan),
    listed.map((claimant) => ({ plugin: claimant.plugin, claimant })),
  ),
  ...guardProblems(plan, listed),
  ...routeProblems(plan, listed),
  ...heardProblems(plan, listed),
];
