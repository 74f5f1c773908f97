// A provider whose certificate is signed by a private authority, which the environment names.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { install } from '../../../tools/peers/machine.ts';

const run = promisify(execFile);
const child = join(import.meta.dirname, 'inspect-child.ts');

void t.test('NODE_EXTRA_CA_CERTS names the authority of a provider', async (t) => {
  if (spawnSync('openssl', ['version'], { stdio: 'ignore' }).status !== 0) install('openssl');
  const folder = t.testdir();
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...ec, '-keyout', key, '-out', certificate, ...subject], {
    stdio: 'ignore',
  });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_request, response) => {
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const inspected = async (environment: NodeJS.ProcessEnv): Promise<unknown> =>
    JSON.parse((await run(process.execPath, [child, address], { env: { ...process.env, ...environment } })).stdout);
  const [trusted, untrusted] = await Promise.all([
    inspected({ NODE_EXTRA_CA_CERTS: certificate }),
    inspected({ NODE_EXTRA_CA_CERTS: undefined }),
  ]);
  t.match(trusted, [{ outcome: 'bad', about: 'its metadata is missing: status 404' }], 'the provider answers');
  t.match(untrusted, [{ outcome: 'bad', about: /cannot be reached \(.*SELF_SIGNED/ }]);
});
