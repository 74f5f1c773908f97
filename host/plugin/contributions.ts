// The contributions of a plugin: what its builders return for the host to serve, call or run.
import type { LiveChannel } from '#adapters/http/live/channel';
import type { Route } from '#adapters/http/descriptor/route';
import type { Subscription } from '#core/kernel/storage/events';
import type { Job, Probe } from './definition.ts';
import type { Indexer } from './indexers.ts';
import type { DashboardCard, MenuEntry, RepositoryTab, SidePanel, WebPage } from './pages.ts';
import type { Tool } from './tools.ts';

export interface Contributions {
  readonly routes: readonly Route[];
  readonly channels: readonly LiveChannel[];
  readonly tools: readonly Tool[];
  readonly indexers: readonly Indexer[];
  readonly pages: readonly WebPage[];
  readonly tabs: readonly RepositoryTab[];
  readonly menu: readonly MenuEntry[];
  readonly cards: readonly DashboardCard[];
  readonly panels: readonly SidePanel[];
  readonly events: readonly Subscription[];
  readonly jobs: readonly Job[];
  readonly probes: readonly Probe[];
}
