// The pages of the web interface, read through HTTP.
import './support/clients/submitted.ts';
import { run } from './suites.ts';

await run('pages');
