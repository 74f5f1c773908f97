// Builds the use cases of the rate limits from their parts, for their own plugin.
import { budgetUseCases } from './budgets.ts';
import { metering } from './metering.ts';
import { overrideUseCases } from './overrides.ts';
import type { LimitParts } from './parts.ts';
import { rulesInEffect } from './rules-in-effect.ts';
import { violationRecorder } from './violation-recorder.ts';
import { violationUseCases } from './violations.ts';

export function limitUseCases(given: LimitParts) {
  const parts = { ...given, rules: rulesInEffect(given) };
  const recorder = violationRecorder(parts);
  const { port: rateBudgets, forgetGroups } = metering(parts, recorder);
  return {
    budgets: budgetUseCases(parts),
    overrides: overrideUseCases(parts),
    violations: violationUseCases(parts, recorder),
    rateBudgets,
    /** Called when another process has changed a rule. */
    forgetRules: parts.rules.forget,
    forgetGroups,
    settled: recorder.settled,
  };
}

export type LimitUseCases = ReturnType<typeof limitUseCases>;
