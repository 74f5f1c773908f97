// The plugin "saml": sign-in with a SAML 2.0 identity provider.
import { definePlugin } from 'hexforge/plugin';
import { metadataSource } from '#adapters/saml/index';
import { samlKeys } from './keys.ts';
import { migrations, tables } from './migrations.ts';
import { samlRoutes } from './routes.ts';
import { samlSettings } from './settings.ts';
import { samlSignIn } from './sign-in.ts';
import { keyRows, KeyTable } from './tables.ts';

export default definePlugin({
  name: 'saml',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['Clock', 'ExternalSignIn', 'Ids', 'Locks', 'Sealer', 'Settings', 'UnitOfWork'],
  stores: { keys: keyRows },
  entities: [KeyTable],
  tables,
  migrations,
  settings: samlSettings,
  build(context) {
    const keys = samlKeys({
      keys: context.stores.keys,
      sealer: context.Sealer,
      locks: context.Locks,
      unitOfWork: context.UnitOfWork,
    });
    const signIn = samlSignIn({
      settings: context.Settings,
      source: metadataSource(context.log),
      keys: keys.current,
      sealer: context.Sealer,
      ids: context.Ids,
      clock: context.Clock,
      external: () => context.ExternalSignIn,
      webUrl: () => context.instance.webUrl,
    });
    return { keys, signIn };
  },
  provides: {
    SignInFlow: ({ signIn }) => signIn.flow,
    SealedRecords: ({ keys }) => keys.sealed,
  },
  routes: ({ signIn }) => samlRoutes(() => signIn),
  start: async ({ keys }) => void (await keys.sealed.reseal()),
});
