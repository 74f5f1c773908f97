// Checks the setting `oauth2.enabled` of the authorization server.
import type { Settings } from '#core/kernel/services/settings';
import { TemporarilyUnavailable } from './errors.ts';

/**
 * Called first at every protocol endpoint. Users and administrators can still manage applications and grants while it
 * is disabled.
 * @throws {TemporarilyUnavailable} if the setting is false.
 */
export async function checkEnabled(settings: Settings): Promise<void> {
  if (!(await settings.get('oauth2.enabled')))
    throw new TemporarilyUnavailable('The authorization server is switched off on this instance');
}
