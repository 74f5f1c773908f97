// Who may administer rate limits (document C, "Administration").
import { admin } from 'hexforge/plugin';

/** The admin scope, and for a token that of every admin route. */
export const guarded = { access: admin('admin:rate_limit'), scope: 'admin.system' } as const;
