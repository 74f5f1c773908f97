// Contract checks for ExternalSignIn: starts and ends of sign-ins by redirect, at one enabled provider.
import assert from 'node:assert/strict';
import type { Call } from '#core/kernel/caller';
import { Forbidden, NotFound } from '#core/kernel/errors';
import type { BrowserStep, ExternalSignIn, ExternalUser } from '#core/kernel/access/sign-in-flows';
import type { Check } from '../checks.ts';

/** An `ExternalSignIn` that the contract suite runs on. */
export interface ExternalSignInUnderTest {
  readonly signIn: ExternalSignIn;
  /** The id of an enabled provider whose redirect URL has the state as `state` or `RelayState`. */
  readonly provider: string;
  /** A new call of an anonymous caller. */
  readonly call: () => Call;
}

/** The header `Cookie` of a browser that received these cookies alone. */
const cookieOf = ({ cookies }: BrowserStep): string => cookies.map(({ name, value }) => `${name}=${value}`).join('; ');

const stateOf = ({ location }: BrowserStep): string => {
  const { searchParams } = new URL(location);
  return searchParams.get('state') ?? searchParams.get('RelayState') ?? '';
};

let users = 0;
/** A user whom no other check has used. */
const someone = (): ExternalUser => {
  users += 1;
  return { subject: `contract ${users} ${Math.random()}`, username: `contract-${users}`, emailVerified: false };
};

const start = ({ signIn, provider, call }: ExternalSignInUnderTest, returnTo?: string): Promise<BrowserStep> =>
  signIn.start(call(), provider, { cookie: undefined, returnTo });

export const externalSignInChecks: readonly Check<ExternalSignInUnderTest>[] = [
  {
    name: 'the browser that started a sign-in finishes it once, and no other does',
    async run(made) {
      const { signIn, provider, call } = made;
      const started = await start(made, '/contract?x=1');
      const other = await start(made);
      const [state, cookie] = [stateOf(started), cookieOf(started)];
      const { now } = call();
      assert.equal(signIn.expects(provider, state, cookie, now), true);
      for (const wrong of [undefined, '', cookieOf(other)]) {
        assert.equal(signIn.expects(provider, state, wrong, now), false);
        const finished = signIn.finish(call(), provider, {
          state,
          cookie: wrong,
          browser: false,
          identify: () => Promise.reject(new Error('the answer is read')),
        });
        await assert.rejects(finished, Forbidden);
      }
      const user = someone();
      const finish = (): Promise<BrowserStep> =>
        signIn.finish(call(), provider, { state, cookie, browser: false, identify: async () => ({ user }) });
      const end = await finish();
      assert.ok(end.location.endsWith('/contract?x=1'), end.location);
      assert.ok(end.cookies.length > 0);
      await assert.rejects(finish(), Forbidden);
    },
  },
  {
    name: 'a key of an answer is used once',
    async run(made) {
      const { signIn, provider, call } = made;
      const once = { key: `key ${Math.random()}`, until: new Date(call().now.getTime() + 60_000) };
      const finish = async (): Promise<BrowserStep> => {
        const started = await start(made);
        const identify = async () => ({ user: someone(), once });
        return signIn.finish(call(), provider, {
          state: stateOf(started),
          cookie: cookieOf(started),
          browser: false,
          identify,
        });
      };
      assert.equal(await signIn.isUsed(provider, once.key), false);
      await finish();
      assert.equal(await signIn.isUsed(provider, once.key), true);
      await assert.rejects(finish(), Forbidden);
    },
  },
  {
    name: 'a refusal rejects with its code, or leads a browser to a page that names it',
    async run(made) {
      const { signIn, provider, call } = made;
      const finish = async (browser: boolean): Promise<BrowserStep> => {
        const started = await start(made);
        return signIn.finish(call(), provider, {
          state: stateOf(started),
          cookie: cookieOf(started),
          browser,
          identify: () => Promise.reject(new Forbidden('No', { code: 'contract_refusal' })),
        });
      };
      await assert.rejects(finish(false), { code: 'contract_refusal' });
      assert.match((await finish(true)).location, /error=contract_refusal/);
    },
  },
  {
    name: 'a provider that does not exist is rejected with NotFound',
    async run({ signIn, call }) {
      const from = { cookie: undefined, returnTo: undefined };
      for (const id of ['no-such-provider', '__proto__', ''])
        await assert.rejects(async () => signIn.start(call(), id, from), NotFound, id);
    },
  },
];
