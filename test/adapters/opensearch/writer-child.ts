// Writes to a back end until it is killed, and prints each state before it is written. Arguments: URL, prefix, what.
import { openSearch } from '#adapters/opensearch/index';
import { generation } from './generations.ts';
import { source } from './samples.ts';

const [, , url = '', prefix = '', what = ''] = process.argv;
const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const { backend, open } = openSearch({ url, prefix, shards: 1, timeout: 3000, log });
await open();
const [first] = await backend.indexes();
const last = Number((await first?.state(source)) ?? 0);
for (let number = last + 1; ; number += 1) {
  process.stdout.write(`${number}\n`);
  if (what === 'rebuild') await backend.beginRebuild();
  const index = (await backend.indexes()).at(-1);
  await index?.write(source, generation(number), String(number));
  if (what === 'rebuild') await backend.finishRebuild();
}
