// The plugin "web": the frame of all pages, and the pages that belong to no other plugin.
import { definePlugin } from 'hexforge/plugin';
import { renderer } from '#adapters/markup/index';
import { assetRoutes, readAssets } from './frame/assets.ts';
import { pageFrame } from './frame/frame.ts';
import { markup } from './markup/markup.ts';
import { finding } from './markup/references.ts';
import { homePages } from './start/pages.ts';

export default definePlugin({
  name: 'web',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['AccessDecision', 'Clock', 'CurrentCaller', 'PageRegistry'],
  late: ['ReferenceFinder'],
  build({ AccessDecision: access, Clock, CurrentCaller, PageRegistry: registry, instance, log, late }) {
    const assets = readAssets();
    const texts = renderer({
      caller: () => CurrentCaller.key(),
      failed: (reason) => log.debug({ reason }, 'a text is shown unformatted'),
    });
    return {
      assets,
      registry,
      frame: pageFrame({ access, registry, assets, instance, log }),
      texts,
      markup: markup({
        renderer: texts,
        find: finding(() => late.ReferenceFinder, log),
        origin: new URL(instance.webUrl).origin,
        now: () => Clock.now().getTime(),
      }),
    };
  },
  provides: { PageFrame: ({ frame }) => frame, Markup: (parts) => parts.markup },
  stop: ({ texts }) => texts.close(),
  routes: ({ assets }) => assetRoutes(assets),
  pages: ({ registry }, { log }) => homePages({ registry, log }),
});
