// Checks a set of plugins and their configuration, so that every problem is found before anything runs. Pure, and never
// throws, whatever a definition contains.
import { claimProblems } from './claims.ts';
import { configurationProblems } from './configuration.ts';
import { contributionProblems } from './contribution-problems.ts';
import { claimed } from './contributions.ts';
import { readDefinition } from './definition-shape.ts';
import { definitionProblems } from './definitions.ts';
import { emissionProblems } from './events.ts';
import { portProblems } from './ports.ts';
import { settingDeclarationProblems } from './settings.ts';
import { tableProblems } from './tables.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';

/** All problems, each with its remedy; empty if the plan can be built. */
export function check(given: Plan): readonly Problem[] {
  const plan = soundPlan(given);
  const listed = plan.enabled.map((definition) => claimed(definition, plan));
  return [
    ...given.enabled.flatMap((definition) => readDefinition(definition).problems),
    ...[definitionProblems, portProblems, claimProblems].flatMap((find) => find(plan)),
    ...listed.flatMap(({ problems }) => problems),
    ...contributionProblems(plan, listed),
    ...[emissionProblems, tableProblems, settingDeclarationProblems, configurationProblems].flatMap((find) =>
      find(plan),
    ),
  ];
}

/** The plan without the ill-formed members of its definitions, for code that checks or shows a plan with problems. */
export function soundPlan(plan: Plan): Plan {
  const sound = (definition: PluginDefinition): readonly PluginDefinition[] => {
    const { sound: read } = readDefinition(definition);
    return read === undefined ? [] : [read];
  };
  return { ...plan, enabled: plan.enabled.flatMap(sound), disabled: plan.disabled.flatMap(sound) };
}
