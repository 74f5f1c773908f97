// The standard plugins, loaded with this module as a static import would: every test host needs them.
import { standardPlugins } from '#config/standard';

await Promise.all(standardPlugins.map(({ module }) => import(module) as Promise<unknown>));
