// The result of a test of a provider, for administrators: its answer, and the account that a sign-in would lead to.
import type { Identified, SignInStep } from '#core/kernel/access/sign-in-flows';
import { HexforgeError } from '#core/kernel/errors';
import { signInRefusal } from '../sign-in/blocked.ts';
import type { AdmittedUser } from '../model/external-identity.ts';
import { printable } from '../model/printable.ts';
import type { Outcome } from './accounts.ts';

/** The result of a test. It is kept in the browser, so its texts are short. */
export interface TestReport {
  readonly provider: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly steps: readonly SignInStep[];
  /** The members of the provider's answer. */
  readonly claims: readonly { readonly name: string; readonly value: string }[];
}

const most = { claims: 20, name: 40, value: 80, about: 200 } as const;

const member = (title: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`${title} ${printable(value, most.value)}`];

/** The step that shows what was read from the answer. */
const userStep = ({ subject, username, email, emailVerified, displayName, isAdmin }: AdmittedUser): SignInStep => ({
  title: 'User',
  outcome: 'good',
  about: [
    ...member('subject', subject),
    ...member('username', username),
    ...member('e-mail', email),
    ...(email === undefined ? ['no e-mail address'] : [emailVerified ? 'which is verified' : 'which is not verified']),
    ...member('name', displayName),
    ...(isAdmin === undefined ? [] : [isAdmin ? 'an administrator' : 'no administrator']),
  ].join(', '),
});

/** The step that shows the account. */
export function accountStep(outcome: Outcome): SignInStep {
  const title = 'Account';
  switch (outcome.kind) {
    case 'new':
      return { title, outcome: 'good', about: `A sign-in would create the account "${outcome.username}"` };
    case 'known': {
      const { account, block } = outcome;
      return block === undefined
        ? { title, outcome: 'good', about: `A sign-in would lead to the account "${account.username}"` }
        : { title, outcome: 'bad', about: `"${account.username}": ${signInRefusal(block)?.message ?? block}` };
    }
    case 'refused': {
      const { account, block } = outcome;
      const words = signInRefusal(block)?.message ?? block;
      return { title, outcome: 'bad', about: account === undefined ? words : `${words}: "${account.username}"` };
    }
  }
}

/** The steps of a user whom a provider has identified. */
export const userSteps = (user: AdmittedUser, outcome: Outcome): readonly SignInStep[] => [
  userStep(user),
  accountStep(outcome),
];

/** @param answer the user and the account, or the error that refused the answer. */
export function testReport(
  provider: string,
  now: Date,
  answer: { readonly identified: Identified; readonly outcome: Outcome } | HexforgeError,
): TestReport {
  const title = 'Answer';
  if (answer instanceof HexforgeError) {
    const { message, code, detail = '' } = answer;
    const about = printable(`${message}. ${detail} (${code})`, most.about);
    return { provider, at: now.getTime(), steps: [{ title, outcome: 'bad', about }], claims: [] };
  }
  const { identified, outcome } = answer;
  return {
    provider,
    at: now.getTime(),
    steps: [{ title, outcome: 'good', about: 'It was checked and accepted' }, ...userSteps(identified.user, outcome)],
    claims: Object.entries(identified.claims ?? {})
      .slice(0, most.claims)
      .map(([name, value]) => ({
        name: printable(name, most.name),
        value: printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), most.value),
      })),
  };
}
