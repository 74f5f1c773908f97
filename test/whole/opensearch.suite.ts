// The search back end on a real OpenSearch.
import { run } from '../suites.ts';

await run('whole/opensearch');
