// A server that records the requests it has done: SIGTERM stops it, and it sends the list to its parent process.
import Joi from 'joi';
import { api, object } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { startRig } from './rig.ts';

const done: string[] = [];
const body = object<{ id: string }>({ id: Joi.string().required() });
const mark = api({
  access: anyone,
  scope: null,
  meter: 'none',
  summary: 'For a test',
  id: 'mark',
  method: 'POST',
  path: '/marks',
  body,
  result: body,
  async run(_call, { body: { id } }) {
    done.push(id);
    await new Promise((resolve) => setTimeout(resolve, 2));
    return { id };
  },
});

const rig = await startRig({ teardown: () => undefined }, [mark]);
process.once('SIGTERM', () => {
  void rig.server.stop(9_000).then(() => process.send?.({ done }, () => process.exit(0)));
});
process.send?.({ port: rig.port });
