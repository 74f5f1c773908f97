// Makes the ports that the host itself provides.
import { accessDecision } from '#core/kernel/access/access';
import { authenticator, type Sealer } from '#core/kernel/access/credentials';
import type { CurrentCaller } from '#core/kernel/access/current-caller';
import type { Ports } from '#core/kernel/ports';
import type { RateCounter } from '#core/kernel/rate';
import type { Clock, Ids } from '#core/kernel/time';
import type { BootOptions } from './boot.ts';
import { credentialReaders } from './credential-readers.ts';
import { livingPermissions, livingScopes } from '../contributions/scopes.ts';
import { configuredSettings, livingRepositorySettings, livingSettings } from '../contributions/settings.ts';
import { livingIndexers, livingPages, livingTools } from '../contributions/registries.ts';
import { livingInventory } from './inventory.ts';
import { parkedCounts } from '../storage/dead-letters.ts';
import { passwordDirectories } from './password-directories.ts';
import { hostBot } from '../plugin/bots.ts';
import type { HostPort, Plan } from '../plugin/plan.ts';
import type { OpenStorage } from '../storage/storage.ts';

export interface HostParts {
  readonly plan: Plan;
  readonly storage: OpenStorage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sealer: Sealer;
  readonly rateCounter: RateCounter;
  readonly currentCaller: CurrentCaller;
}

/** Plural ports are passed as functions, because plugins provide them later. */
export function hostProviders(parts: HostParts): BootOptions['own'] {
  const { plan, storage, clock, ids, sealer, rateCounter } = parts;
  return ({ lives, reader, providers, log }) => {
    const scopes = livingScopes(lives);
    const settings = livingSettings(lives, plan.settings);
    const permissions = livingPermissions(lives);
    return {
      Clock: clock,
      Ids: ids,
      CurrentCaller: parts.currentCaller,
      UnitOfWork: storage.unitOfWork,
      Events: storage.events,
      PendingEvents: storage.pendingEvents,
      Intents: storage.intents,
      Locks: storage.locks,
      AccessDecision: accessDecision({
        scopes,
        adminGrants: reader('AdminGrants'),
        isPermission: (name) => permissions.has(name),
        resolvers: reader('ResourceResolver'),
      }),
      Bot: hostBot({
        accounts: reader('BotAccounts'),
        budgets: reader('RateBudgets'),
        rateCounter: reader('RateCounter'),
        clock,
        ids,
      }),
      Authenticator: authenticator({
        readers: credentialReaders({
          readers: reader('CredentialReader'),
          provided: () => providers('CredentialReader'),
          isOutside: plan.isOutside,
          standing: reader('AccountStanding'),
          log,
        }),
        passwordSignIn: reader('PasswordSignIn'),
      }),
      PasswordDirectories: passwordDirectories({ directories: () => providers('PasswordDirectory'), log }),
      ScopeCatalogue: scopes,
      PermissionTable: permissions,
      ToolRegistry: livingTools(lives),
      IndexerRegistry: livingIndexers(lives),
      PageRegistry: livingPages(lives, plan.mountOf),
      Sealer: sealer,
      SettingCatalogue: settings,
      RepositorySettingCatalogue: livingRepositorySettings(lives),
      Settings: configuredSettings(settings),
      RateCounter: rateCounter,
      PluginInventory: {
        list: async () => livingInventory(plan, lives, await parkedCounts(storage)),
      },
    } satisfies Pick<Ports, HostPort>;
  };
}
