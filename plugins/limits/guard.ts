// The access rule of the routes that administer rate limits.
import { admin } from 'hexforge/plugin';

/** The admin scope of the user, and the token scope that every admin route requires. */
export const guarded = { access: admin('admin:rate_limit'), scope: 'admin.system' } as const;
