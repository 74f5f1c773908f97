// The switch of the authorization server (setting `oauth2.enabled`).
import type { Settings } from '#core/kernel/settings';
import { TemporarilyUnavailable } from './errors.ts';

/** @throws {TemporarilyUnavailable} where it is off. */
export async function checkEnabled(settings: Settings): Promise<void> {
  if (!(await settings.get('oauth2.enabled')))
    throw new TemporarilyUnavailable('The authorization server is switched off on this instance');
}
