// Pages and journeys in a real browser.
import { run } from '../suites.ts';

await run('whole/browser');
