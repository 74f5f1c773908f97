// Tests of password directories, for administrators.
import type { Call, User } from '#core/kernel/caller';
import type { SignInStep } from '#core/kernel/access/sign-in-flows';
import { found } from '#core/kernel/errors';
import type { IdentityParts } from '../model/parts.ts';
import { signInKey, throttle } from '../sign-in/sign-in-throttle.ts';
import type { ExternalAccounts } from './accounts.ts';
import { userSteps } from './test-report.ts';

export function directoryTrials(
  {
    directories,
    directorySeconds,
    rateCounter,
  }: Pick<IdentityParts, 'directories' | 'directorySeconds' | 'rateCounter'>,
  externals: ExternalAccounts,
) {
  const guard = throttle(rateCounter);
  return {
    /**
     * The steps of a sign-in that is not made. Wrong passwords count as at a sign-in.
     * @throws {NotFound} if the directory offers no test. @throws {RateLimited}
     */
    async run(
      call: Call<User>,
      {
        directory,
        username,
        password,
      }: { readonly directory: string; readonly username: string; readonly password?: string },
    ): Promise<readonly SignInStep[]> {
      const inspected = async () =>
        found(
          await directories.inspect(directory, username, password, directorySeconds),
          'There is no such directory, or it offers no test',
        );
      let tested: Awaited<ReturnType<typeof inspected>> | undefined;
      if (password !== undefined)
        await guard.attempt(signInKey(username, call.ip), call.now, async () => {
          tested = await inspected();
          return tested.user;
        });
      const { steps, user } = tested ?? (await inspected());
      if (user?.subject === undefined) return steps;
      const { subject } = user;
      const external = { ...user, subject, emailVerified: true };
      return [...steps, ...userSteps(external, await externals.outcome(directory, external))];
    },
  };
}
