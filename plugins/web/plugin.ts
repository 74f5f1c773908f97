// The plugin "web": the frame of all pages, and the pages that belong to no other plugin.
import { definePlugin } from 'hexforge/plugin';
import { assetRoutes, readAssets } from './frame/assets.ts';
import { pageFrame } from './frame/frame.ts';
import { plainMarkup } from './markup/plain.ts';
import { homePages } from './start/pages.ts';

export default definePlugin({
  name: 'web',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['AccessDecision', 'PageRegistry'],
  build({ AccessDecision: access, PageRegistry: registry, instance, log }) {
    const assets = readAssets();
    return { assets, registry, frame: pageFrame({ access, registry, assets, instance, log }) };
  },
  provides: { PageFrame: ({ frame }) => frame, Markup: () => plainMarkup },
  routes: ({ assets }) => assetRoutes(assets),
  pages: ({ registry }, { log }) => homePages({ registry, log }),
});
