// The module "hexforge/testing/contracts": the contract suite of each port, for testing a provider in any test runner.
import type { Issues } from '#core/issues/index';
import type { MergeRequests } from '#core/merges/index';
import {
  accountRecoveryChecks,
  profileListsChecks,
  userGroupsChecks,
  userReferencesChecks,
  usersChecks,
} from './accounts.ts';
import { botAccountsChecks } from './bots.ts';
import { limited, type Check } from './checks.ts';
import {
  accountStandingChecks,
  credentialReaderChecks,
  pageSessionsChecks,
  passwordHasherChecks,
  passwordSignInChecks,
  sealedRecordsChecks,
  sealerChecks,
} from './credentials.ts';
import { discussionChecks, type DiscussionsUnderTest } from './discussions.ts';
import { gitBackendChecks } from './git-backend.ts';
import { openBench, type Bench, type MakeGitBackend } from './git/provider.ts';
import { adminGrantsChecks, meteredTargetsChecks, rateBudgetsChecks, resourceResolverChecks } from './guards.ts';
import { keptRequestsChecks } from './kept-requests.ts';
import { mergeHeadsChecks } from './merge-heads.ts';
import { mergingChecks } from './merging.ts';
import {
  auditTrailChecks,
  issuedCredentialsChecks,
  signingKeyRotationChecks,
  vouchingChecks,
} from './issued-credentials.ts';
import { markupChecks } from './markup.ts';
import { pageFrameChecks } from './page-frame.ts';
import { passwordDirectoryChecks } from './sign-in/password-directory.ts';
import { pipelineVerdictsChecks } from './pipeline-verdicts.ts';
import { milestoneCountsChecks, planningPortChecks } from './planning-ports.ts';
import { rateCounterChecks } from './rate-counter.ts';
import { referenceFinderChecks } from './reference-finder.ts';
import { indexQueueChecks, searchIndexingChecks } from './search/indexing.ts';
import { searchBackendChecks } from './search/search-backend.ts';
import { externalSignInChecks } from './sign-in/external-sign-in.ts';
import { settingFormsChecks } from './stores/setting-forms.ts';
import { signInFlowChecks } from './sign-in/sign-in-flow.ts';
import {
  auditLogChecks,
  repositorySettingsChecks,
  repositorySettingWriterChecks,
  settingsChecks,
} from './stores/records.ts';
import { pushesChecks, repositoriesChecks, repositoryCountersChecks } from './stores/repositories.ts';

/** One check of a contract suite. */
export interface Promised {
  /** The promised behaviour. */
  readonly name: string;
  /** Rejects if the provider violates it, or takes longer than 20 s. */
  readonly run: () => Promise<void>;
}

export type { GitBackendUnderTest } from './git/provider.ts';
export type { DirectoryUnderTest } from './sign-in/password-directory.ts';
export type { ExternalSignInUnderTest } from './sign-in/external-sign-in.ts';
export type { SettingFormsUnderTest } from './stores/setting-forms.ts';
export type { SignInFlowUnderTest } from './sign-in/sign-in-flow.ts';
export type { SearchBackendUnderTest, SearchWorld } from './search/search-backend.ts';

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
  BotAccounts: suite(botAccountsChecks),
  CredentialReader: suite(credentialReaderChecks),
  /**
   * All checks share one back end in its own folder, with the git program as client. All of them must run, because the
   * last one closes the back end. `make` receives the folder.
   */
  GitBackend: gitBackendSuite,
  MergeHeads: suite(mergeHeadsChecks),
  Merging: suite(mergingChecks),
  IndexQueue: suite(indexQueueChecks),
  IssuedCredentials: suite(issuedCredentialsChecks),
  Issues: suite<DiscussionsUnderTest<Issues>>(discussionChecks),
  MergeRequests: suite<DiscussionsUnderTest<MergeRequests>>(discussionChecks),
  KeptRequests: suite(keptRequestsChecks),
  MeteredTargets: suite(meteredTargetsChecks),
  MilestoneCounts: suite(milestoneCountsChecks),
  Markup: suite(markupChecks),
  PageFrame: suite(pageFrameChecks),
  PageSessions: suite(pageSessionsChecks),
  PasswordDirectory: suite(passwordDirectoryChecks),
  PasswordHasher: suite(passwordHasherChecks),
  PasswordSignIn: suite(passwordSignInChecks),
  PipelineVerdicts: suite(pipelineVerdictsChecks),
  Planning: suite(planningPortChecks),
  ProfileLists: suite(profileListsChecks),
  Pushes: suite(pushesChecks),
  RateBudgets: suite(rateBudgetsChecks),
  RateCounter: suite(rateCounterChecks),
  ReferenceFinder: suite(referenceFinderChecks),
  Repositories: suite(repositoriesChecks),
  RepositoryCounters: suite(repositoryCountersChecks),
  RepositorySettings: suite(repositorySettingsChecks),
  RepositorySettingWriter: suite(repositorySettingWriterChecks),
  ResourceResolver: suite(resourceResolverChecks),
  SearchBackend: suite(searchBackendChecks),
  SearchIndexing: suite(searchIndexingChecks),
  SealedRecords: suite(sealedRecordsChecks),
  Sealer: suite(sealerChecks),
  Settings: suite(settingsChecks),
  UserGroups: suite(userGroupsChecks),
  ExternalSignIn: suite(externalSignInChecks),
  SettingForms: suite(settingFormsChecks),
  SignInFlow: suite(signInFlowChecks),
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
