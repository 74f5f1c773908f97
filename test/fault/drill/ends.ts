// The scenario of a graceful stop: SIGTERM during quick and slow requests.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { ChurnGit } from '../churn-git.ts';
import type { Client } from './load/client.ts';
import { absent, Register, something } from './register.ts';
import { both, pause, type Scenario } from './scenario.ts';
import type { Estate } from './load/workers.ts';

/** How long slow requests continue after SIGTERM, well within their grace period of 10 s. */
const slowMs = 1500;
/** Requests sent this long before SIGTERM have certainly been received. */
const receivedMs = 500;
const zeros = '0'.repeat(40);

/** `begun` is called when a slow request has started; the request continues when `goOn` resolves. */
interface Pace {
  readonly begun: () => void;
  readonly goOn: Promise<void>;
}

/** An answer, or undefined if the connection broke. */
type Slow = { readonly status: number; readonly body: string } | undefined;

function open(client: Client, method: string, path: string, headers: Readonly<Record<string, string>>): ClientRequest {
  const { hostname, port } = new URL(client.url());
  const sending = request({ method, path, hostname, port, headers, agent: false });
  sending.on('error', () => undefined);
  return sending;
}

async function answerTo(sending: ClientRequest, slowly?: Pace): Promise<Slow> {
  try {
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    slowly?.begun();
    await slowly?.goOn;
    let body = '';
    for await (const chunk of response.setEncoding('latin1')) body += String(chunk);
    return { status: response.statusCode ?? 0, body };
  } catch {
    return undefined;
  }
}

/** Sends the body in two halves. */
async function inHalves(sending: ClientRequest, body: Buffer, { begun, goOn }: Pace): Promise<Slow> {
  const answer = answerTo(sending);
  const half = Math.floor(body.length / 2);
  sending.write(body.subarray(0, half), () => begun());
  await goOn;
  sending.end(body.subarray(half));
  return answer;
}

/** A request that must be answered, with its answer. */
type Settled = { readonly what: string; readonly answer: Slow };

async function slowCreation({ client, spares }: Estate, name: string, pace: Pace): Promise<Settled> {
  const body = Buffer.from(JSON.stringify({ name, description: 'x'.repeat(500) }));
  const register = new Register(`repository ${client.username}/${name}`);
  (spares as Map<string, Register>).set(name, register);
  const traces = [`event repository.created ${name}`, `audit repository.created ${name}`];
  register.unanswered(something);
  const answer = await inHalves(
    open(client, 'POST', '/api/v1/repos', {
      authorization: `Bearer ${client.token}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    }),
    body,
    pace,
  );
  if (answer?.status === 201) {
    register.acknowledged(String((JSON.parse(answer.body) as { id: unknown }).id));
    client.figures.acknowledge('repository created slowly', traces);
  } else if (answer === undefined) client.figures.leaveOpen('repository created slowly', traces);
  else {
    client.figures.refuse('repository created slowly', String(answer.status), traces);
    register.acknowledged(absent);
    register.refused(something, String(answer.status));
  }
  return { what: 'a creation whose body came slowly', answer };
}

/** Pushes the pack of one commit with plain HTTP, because the stock client cannot pause. */
async function slowPush({ client, home, refs }: Estate, folder: string, number: number, pace: Pace): Promise<Settled> {
  const oid = await client.git.commit('slow', [], 300_000);
  const listed = execFile('git', ['pack-objects', '--stdout', '--revs', '-q'], {
    cwd: folder,
    encoding: 'buffer',
    maxBuffer: 2 ** 26,
  });
  const chunks: Buffer[] = [];
  listed.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  listed.stdin?.end(`${oid}\n`);
  await once(listed, 'close');
  const ref = `refs/heads/slow-${number}`;
  const line = `${zeros} ${oid} ${ref}\0 report-status\n`;
  const body = Buffer.concat([Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`), ...chunks]);
  const register = new Register(`${home} ${ref}`);
  (refs as Map<string, Register>).set(ref, register);
  register.unanswered(oid);
  const answer = await inHalves(
    open(client, 'POST', `/${home}.git/git-receive-pack`, {
      authorization: `Basic ${Buffer.from(`${client.username}:${client.token}`).toString('base64')}`,
      'content-type': 'application/x-git-receive-pack-request',
      'content-length': String(body.length),
    }),
    body,
    pace,
  );
  if (answer?.status === 200 && answer.body.includes(`ok ${ref}`)) {
    register.acknowledged(oid);
    client.figures.acknowledge('pushed slowly');
  } else if (answer === undefined || !/ng |unpack [^o]/.test(answer.body)) client.figures.leaveOpen('pushed slowly');
  else {
    client.figures.refuse('pushed slowly', `${answer.status}`);
    register.acknowledged(absent);
    register.refused(oid, `${answer.status}`);
  }
  return { what: 'a push whose pack came slowly', answer };
}

/** Reads a file slowly that is larger than the kernel buffers between two processes. */
async function slowReading({ client, home }: Estate, pace: Pace): Promise<Settled> {
  const reading = open(client, 'GET', `/api/v1/repos/${home}/raw/large/large`, {
    authorization: `Bearer ${client.token}`,
  });
  reading.end();
  return { what: 'a file that was read slowly', answer: await answerTo(reading, pace) };
}

const large = 'refs/heads/large';
const largeBytes = 16_000_000;

async function layLarge({ client, home, refs }: Estate, folder: string): Promise<void> {
  if (refs.has(large)) return;
  const git = await ChurnGit.create(folder, 'large', 120);
  const oid = await git.commit('large', [], largeBytes);
  const remote = `${client.url().replace('://', `://${client.username}:${client.token}@`)}/${home}.git`;
  await git.sure('push', '-q', remote, `${oid}:${large}`);
  (refs as Map<string, Register>).set(large, new Register(`${home} ${large}`, oid));
}

function orderly(): Scenario {
  let number = 0;
  return {
    name: 'sigterm',
    says: 'SIGTERM while quick and slow requests are under way; in every fourth round some never end',
    engines: both,
    quick: 'postgresql',
    async disturb({ forge, figures, estates, random }) {
      const [first, second, third] = estates;
      if (first === undefined || second === undefined || third === undefined) throw new Error('three estates');
      number += 1;
      await layLarge(first, `${forge.root}/clients/large`);
      const goOn = Promise.withResolvers<void>();
      const begun: Promise<void>[] = [];
      const pace = (): Pace => {
        const one = Promise.withResolvers<void>();
        begun.push(one.promise);
        return { begun: one.resolve, goOn: goOn.promise };
      };
      const slow = Promise.all([
        slowCreation(second, `slow-${number}`, pace()),
        slowPush(third, `${forge.root}/clients/${third.client.username}`, number, pace()),
        slowReading(first, pace()),
      ]);
      await Promise.race([Promise.all(begun), pause(30_000)]);
      const endless =
        number % 4 === 0
          ? [
              open(first.client, 'POST', '/api/v1/repos', {
                authorization: `Bearer ${first.client.token}`,
                'content-type': 'application/json',
                'content-length': '1000',
              }),
            ]
          : [];
      for (const sending of endless) sending.write('{');
      await pause(receivedMs + 200 + random() * 500);
      figures.unansweredSince = [];
      const at = Date.now();
      const stopped = forge.stop();
      await pause(slowMs);
      goOn.resolve();
      figures.find(...(await stopped));
      for (const { what, answer } of await slow)
        if (answer === undefined)
          figures.find({ kind: 'cut', text: `${what} was under way at SIGTERM and not answered` });
      for (const { kind, from } of figures.unansweredSince)
        if (from < at - receivedMs)
          figures.find({ kind: 'cut', text: `${kind}, sent ${at - from} ms before SIGTERM, was not answered` });
      for (const sending of endless) sending.destroy();
    },
    restore: ({ forge }) => forge.start(),
  };
}

export const ends: readonly Scenario[] = [orderly()];
