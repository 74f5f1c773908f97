// The check of a set of plugins and their configuration: every problem is found before anything runs. Pure.
import { claimProblems } from './check/claims.ts';
import { configurationProblems } from './check/configuration.ts';
import { definitionProblems } from './check/definitions.ts';
import { portProblems } from './check/ports.ts';
import { routeProblems } from './check/routes.ts';
import { settingDeclarationProblems } from './check/settings.ts';
import { tableProblems } from './check/tables.ts';
import type { Plan } from './plan.ts';
import type { Problem } from './problem.ts';

/** All problems, each with its remedy; none where the plan can be built. */
export function check(plan: Plan): readonly Problem[] {
  return [
    definitionProblems,
    portProblems,
    claimProblems,
    routeProblems,
    tableProblems,
    settingDeclarationProblems,
    configurationProblems,
  ].flatMap((find) => find(plan));
}
