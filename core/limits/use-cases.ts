// Builds the use cases of the rate limits from their parts, for their own plugin.
import type { Log } from '#core/kernel/services/log';
import type { Ids } from '#core/kernel/time';
import { groupBudgets, type GroupBudgetParts } from './budgets.ts';
import { metering, type MeteringParts } from './metering.ts';
import { overrideUseCases, type OverrideParts } from './overrides.ts';
import { rulesInEffect } from './rules-in-effect.ts';
import { violationRecorder } from './violation-recorder.ts';
import { violationUseCases, type ViolationParts } from './violations.ts';

export type LimitParts = Omit<
  GroupBudgetParts & OverrideParts & MeteringParts & ViolationParts,
  'rules' | 'recorder' | 'violations'
> &
  Pick<ViolationParts, 'violations'> & { readonly ids: Ids; readonly log: Log };

export function limitUseCases({ violations: store, ids, log, ...given }: LimitParts) {
  const rules = rulesInEffect(given);
  const recorder = violationRecorder({ store, ids, log, unitOfWork: given.unitOfWork });
  const parts = { ...given, rules };
  const metered = metering({ ...parts, violations: recorder });
  return {
    budgets: groupBudgets(parts),
    overrides: overrideUseCases(parts),
    violations: violationUseCases({ ...given, violations: store, recorder }),
    rateBudgets: metered.port,
    /** Called when another process has changed a rule. */
    forgetRules: () => rules.forget(),
    forgetGroups: (userId?: string) => metered.forgetGroups(userId),
    settled: () => recorder.settled(),
  };
}

export type LimitUseCases = ReturnType<typeof limitUseCases>;
