// Contract checks for SignInFlow: the offered providers, the start of a sign-in, and the view of administrators.
import assert from 'node:assert/strict';
import type { SignInFlow } from '#core/kernel/access/sign-in-flows';
import { NotFound } from '#core/kernel/errors';
import type { Check } from '../checks.ts';

/** A flow that the contract suite runs on. Its provider can be asked, if it must be. */
export interface SignInFlowUnderTest {
  readonly flow: SignInFlow;
  /** The id of an enabled provider. */
  readonly provider: string;
}

const states = ['a', 'b'].map((letter) => letter.repeat(43)) as [string, string];
const mostKept = 1000;

export const signInFlowChecks: readonly Check<SignInFlowUnderTest>[] = [
  {
    name: 'the enabled providers have different ids, names, and paths of this instance',
    async run({ flow, provider }) {
      const all = await flow.providers();
      assert.ok(all.some(({ id }) => id === provider));
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length, 'no id is used twice');
      for (const { id, displayName, startPath } of all) {
        assert.match(id, /^[a-z0-9-]{1,32}$/);
        assert.ok(displayName.trim() !== '' && displayName.length <= 100, displayName);
        assert.match(startPath, /^\/[\x21-\x7e]*$/);
      }
    },
  },
  {
    name: 'a start leads to a URL with the state, and keeps at most 1,000 characters',
    async run({ flow, provider }) {
      for (const state of states) {
        const { redirectUrl, kept } = await flow.start(provider, state);
        const { protocol, searchParams } = new URL(redirectUrl);
        assert.match(protocol, /^https?:$/);
        assert.ok([...searchParams.values()].includes(state), 'the state is a parameter');
        assert.equal(typeof kept, 'string');
        assert.ok(kept.length <= mostKept, `${kept.length} characters`);
      }
    },
  },
  {
    name: 'two starts share no secret',
    async run({ flow, provider }) {
      const [first, second] = await Promise.all(states.map((state) => flow.start(provider, state)));
      assert.notEqual(first?.kept, second?.kept);
    },
  },
  {
    name: 'a provider that does not exist is rejected with NotFound',
    async run({ flow }) {
      for (const id of ['no-such-provider', '__proto__', ''])
        await assert.rejects(async () => flow.start(id, states[0]), NotFound, id);
    },
  },
  {
    name: 'administrators see the enabled providers as enabled, and steps of a check',
    async run({ flow, provider }) {
      const configured = await flow.configured?.();
      if (configured !== undefined) {
        const enabled = configured.filter((one) => one.enabled).map(({ id }) => id);
        assert.deepEqual(
          enabled,
          (await flow.providers()).map(({ id }) => id),
        );
        for (const { settings, registration } of configured) {
          assert.equal(new Set(settings).size, settings.length, 'no setting is shown twice');
          assert.ok(registration.every(({ title, value }) => title !== '' && value !== ''));
        }
      }
      for (const { title, outcome, about } of (await flow.inspect?.(provider)) ?? []) {
        assert.ok(title !== '' && about !== '');
        assert.ok(['good', 'bad', 'unknown'].includes(outcome), outcome);
      }
    },
  },
];
