// The HTTP specs of labels and milestones.
import { run } from './suites.ts';

await run('api-planning');
