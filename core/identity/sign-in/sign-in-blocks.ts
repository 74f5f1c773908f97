// Decides whether an account may be used: for a sign-in, and again for every credential that was issued before.
import { signInBlock, type Account } from '../model/account.ts';
import type { IdentityParts } from '../model/parts.ts';
import type { CredentialOwner } from '../model/ports.ts';

type Blockable = Pick<Account, 'username' | 'status' | 'emailVerified' | 'approval' | 'isAdmin'>;

export interface SignInBlocks {
  /** Returns the reason why an account may not sign in; undefined if it may. */
  blockOf(account: Blockable): Promise<ReturnType<typeof signInBlock>>;
  /** The members of a caller, if the owner of a valid credential may sign in. */
  admitted(owner: CredentialOwner): Promise<Pick<CredentialOwner, 'id' | 'username' | 'isAdmin'> | undefined>;
}

const strictest = { requireEmailVerification: true, requireApproval: true } as const;

export function signInBlocks({ settings }: Pick<IdentityParts, 'settings'>): SignInBlocks {
  const blocks: SignInBlocks = {
    async blockOf(account) {
      // Most accounts are blocked by no setting, so requests of theirs read none.
      if (signInBlock(account, strictest) === undefined) return undefined;
      const [requireEmailVerification, requireApproval] = await Promise.all([
        settings.get('auth.require_email_verification'),
        settings.get('signup.require_approval'),
      ]);
      return signInBlock(account, { requireEmailVerification, requireApproval });
    },
    async admitted({ emailVerified, approval, ...owner }) {
      const { username, isAdmin } = owner;
      const block = await blocks.blockOf({ username, isAdmin, status: 'active', emailVerified, approval });
      return block === undefined ? owner : undefined;
    },
  };
  return blocks;
}
