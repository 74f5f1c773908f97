// Permissions of this area, and the access of its reads and changes. The area repositories assigns the permissions to
// roles. Its table is complete even if this area is disabled.
import { changes, reads } from '#core/kernel/access/access';
import '#core/repositories/index';

declare module '#core/kernel/access/access' {
  interface Permissions {
    'merge.open': 'repository';
    'merge.update': 'repository';
    'merge.merge': 'repository';
  }
}

/** The access rules of merge requests, each with the scope that a token needs. */
export const mergeAccess = {
  reading: { access: reads('repository', 'repo.read'), scope: 'repo.read' },
  writing: { access: changes('repository', 'repo.write'), scope: 'repo.write' },
} as const;
