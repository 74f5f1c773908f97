// Permissions of this area, and the access of its reads and changes. The area repositories assigns the permissions to
// roles, and the area identity has their rows in the scope catalogue. Both tables are complete even if this area is
// disabled.
import { changes, reads } from '#core/kernel/access/access';
import '#core/identity/index';
import '#core/repositories/index';

declare module '#core/kernel/access/access' {
  interface Permissions {
    'issue.read': 'repository';
    'issue.write': 'repository';
  }
}

/** The access rules of issues, each with the scope that a token needs. */
export const issueAccess = {
  reading: { access: reads('repository', 'issue.read'), scope: 'issue.read' },
  /** Requires a user who may read. The use case checks further rights, because they depend on the author. */
  writing: { access: changes('repository', 'issue.read'), scope: 'issue.write' },
  /** Requires the permission to write to any issue. */
  managing: { access: changes('repository', 'issue.write'), scope: 'issue.write' },
} as const;
