// The module "hexforge/testing/contracts": the contract suite of each port, for testing a provider in any test runner.
import { accountRecoveryChecks, userGroupsChecks, userReferencesChecks, usersChecks } from '#test/contracts/accounts';
import { limited, type Check } from '#test/contracts/checks';
import {
  accountStandingChecks,
  credentialReaderChecks,
  passwordHasherChecks,
  passwordSignInChecks,
  sealedRecordsChecks,
  sealerChecks,
} from '#test/contracts/credentials';
import { gitBackendChecks } from '#test/contracts/git-backend';
import { openBench, type Bench, type MakeGitBackend } from '#test/contracts/git/provider';
import {
  adminGrantsChecks,
  meteredTargetsChecks,
  rateBudgetsChecks,
  resourceResolverChecks,
} from '#test/contracts/guards';
import { mergeHeadsChecks } from '#test/contracts/merge-heads';
import { mergingChecks } from '#test/contracts/merging';
import {
  auditTrailChecks,
  issuedCredentialsChecks,
  signingKeyRotationChecks,
  vouchingChecks,
} from '#test/contracts/issued-credentials';
import { passwordDirectoryChecks } from '#test/contracts/password-directory';
import { pipelineVerdictsChecks } from '#test/contracts/pipeline-verdicts';
import { milestoneCountsChecks, planningPortChecks } from '#test/contracts/planning-ports';
import { rateCounterChecks } from '#test/contracts/rate-counter';
import { auditLogChecks, settingsChecks } from '#test/contracts/stores/records';
import { pushesChecks, repositoriesChecks, repositoryCountersChecks } from '#test/contracts/stores/repositories';

/** One check of a contract suite. */
export interface Promised {
  /** The promised behaviour. */
  readonly name: string;
  /** Rejects if the provider violates it, or takes longer than 20 s. */
  readonly run: () => Promise<void>;
}

export type { GitBackendUnderTest } from '#test/contracts/git/provider';
export type { DirectoryUnderTest } from '#test/contracts/password-directory';

/**
 * Port to the checks of its contract suite. Each runs on the result of `make`, which may be new for each check or
 * always the same.
 *
 * @example
 *   for (const { name, run } of contracts.Sealer(() => mySealer)) test(name, run);
 */
export const contracts = {
  AccountRecovery: suite(accountRecoveryChecks),
  AccountStanding: suite(accountStandingChecks),
  AdminGrants: suite(adminGrantsChecks),
  AuditLog: suite(auditLogChecks),
  AuditTrail: suite(auditTrailChecks),
  CredentialReader: suite(credentialReaderChecks),
  /**
   * All checks share one back end in its own folder, with the git program as client. All of them must run, because the
   * last one closes the back end. `make` receives the folder.
   */
  GitBackend: gitBackendSuite,
  MergeHeads: suite(mergeHeadsChecks),
  Merging: suite(mergingChecks),
  IssuedCredentials: suite(issuedCredentialsChecks),
  MeteredTargets: suite(meteredTargetsChecks),
  MilestoneCounts: suite(milestoneCountsChecks),
  PasswordDirectory: suite(passwordDirectoryChecks),
  PasswordHasher: suite(passwordHasherChecks),
  PasswordSignIn: suite(passwordSignInChecks),
  PipelineVerdicts: suite(pipelineVerdictsChecks),
  Planning: suite(planningPortChecks),
  Pushes: suite(pushesChecks),
  RateBudgets: suite(rateBudgetsChecks),
  RateCounter: suite(rateCounterChecks),
  Repositories: suite(repositoriesChecks),
  RepositoryCounters: suite(repositoryCountersChecks),
  ResourceResolver: suite(resourceResolverChecks),
  SealedRecords: suite(sealedRecordsChecks),
  Sealer: suite(sealerChecks),
  Settings: suite(settingsChecks),
  UserGroups: suite(userGroupsChecks),
  SigningKeyRotation: suite(signingKeyRotationChecks),
  UserReferences: suite(userReferencesChecks),
  Users: suite(usersChecks),
  Vouching: suite(vouchingChecks),
} as const;

const timeLimit = 20_000;

/** Makes the provider that a suite runs on. */
type Make<P> = () => P | Promise<P>;

function suite<P>(checks: readonly Check<P>[]): (make: Make<P>) => readonly Promised[] {
  return (make) => checks.map(({ name, run }) => ({ name, run: async () => limited(run(await make()), timeLimit) }));
}

function gitBackendSuite(make: MakeGitBackend): readonly Promised[] {
  let bench: Promise<Bench> | undefined;
  let left = gitBackendChecks.length;
  return gitBackendChecks.map(({ name, run }) => ({
    name,
    async run() {
      try {
        await limited(run(await (bench ??= openBench(make))), timeLimit);
      } finally {
        left -= 1;
        if (left === 0) await (await bench)?.dispose();
      }
    },
  }));
}
