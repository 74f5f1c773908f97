// Loads the standard plugins with this module, because every test host needs them.
import { standardPlugins } from '#config/standard';

await Promise.all(standardPlugins.map(({ module }) => import(module) as Promise<unknown>));
