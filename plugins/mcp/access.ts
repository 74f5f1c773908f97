// The access rules of this plugin.
import { changes, reads } from 'hexforge/plugin';

/** Read access for callers with a credential alone, also to a public repository. */
export const readsAsUser = { ...reads('repository', 'repo.read', { anonymous: 401 }), needsUser: true } as const;
/** Callers who do not administer the repository get 404. */
export const switches = changes('repository', 'repo.admin', { lacking: 404 });
