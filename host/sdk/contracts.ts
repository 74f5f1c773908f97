// "hexforge/testing/contracts": what each port promises, as tests for a provider of one's own, in any test runner.
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
import { auditLogChecks, settingsChecks } from '#test/contracts/records';
import { pushesChecks, repositoriesChecks, repositoryCountersChecks } from '#test/contracts/repositories';

/** One promise of a port. */
export interface Promised {
  /** What is promised. */
  readonly name: string;
  /** Rejects where the provider breaks it, or has not answered after 20 s. */
  readonly run: () => Promise<void>;
}

export type { GitBackendUnderTest } from '#test/contracts/git/provider';
export type { DirectoryUnderTest } from '#test/contracts/password-directory';

/**
 * Port → the promises of one, to be run on what `make` yields, a fresh one for each or always the same.
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
   * On one back end for all, in a folder of its own, with the git program as its client: all of them are to be run, for
   * the last closes it. `make` receives the folder.
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

const patience = 20_000;

/** Makes what a suite is run on. */
type Make<P> = () => P | Promise<P>;

function suite<P>(checks: readonly Check<P>[]): (make: Make<P>) => readonly Promised[] {
  return (make) => checks.map(({ name, run }) => ({ name, run: async () => limited(run(await make()), patience) }));
}

function gitBackendSuite(make: MakeGitBackend): readonly Promised[] {
  let bench: Promise<Bench> | undefined;
  let left = gitBackendChecks.length;
  return gitBackendChecks.map(({ name, run }) => ({
    name,
    async run() {
      try {
        await limited(run(await (bench ??= openBench(make))), patience);
      } finally {
        left -= 1;
        if (left === 0) await (await bench)?.dispose();
      }
    },
  }));
}
