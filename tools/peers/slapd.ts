// Starts OpenLDAP's slapd for the tests: on free ports of the loopback address, with seeded entries, ended by `stop`.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, install, isRoot, killed, run } from './machine.ts';
import { baseDn, readers, seed } from './slapd-seed.ts';

export interface Slapd {
  /** ldap://127.0.0.1:PORT, also for StartTLS by the name `localhost`. */
  readonly url: string;
  readonly port: number;
  /** ldaps://localhost:PORT. The certificate is valid for `localhost` only, not for 127.0.0.1. */
  readonly ldapsUrl: string;
  readonly ldapsPort: number;
  readonly caFile: string;
  /** A certificate that did not sign the server's. */
  readonly otherCaFile: string;
  /** Kills the server. Its entries are kept. */
  stop(): Promise<void>;
  /** Starts it again on the same ports. */
  start(): Promise<void>;
  /** Suspends the server: connections are accepted but not answered until `resume`. */
  freeze(): Promise<void>;
  resume(): void;
  /** Stops the server and removes its files. */
  remove(): Promise<void>;
}

const startMs = 10_000;
const program = '/usr/sbin/slapd';
/** The user that runs the server where the tests run as root: nobody. */
const nobody = 65_534;

/** Installs the server if it is missing, without a running daemon. @throws {Error} if it cannot be installed. */
export function ensureSlapd(): void {
  if (existsSync(program)) return;
  // Debian's package starts its own server, unless a policy forbids it.
  const policy = '/usr/sbin/policy-rc.d';
  const own = isRoot && !existsSync(policy);
  if (own) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    install('slapd');
  } finally {
    if (own) rmSync(policy);
  }
}

/** Starts a server. @param referTo the port of another server, to which the entry `ou=elsewhere` refers. */
export async function startSlapd({ referTo = 9 }: { readonly referTo?: number } = {}): Promise<Slapd> {
  ensureSlapd();
  const folder = mkdtempSync(join(tmpdir(), 'slapd-'));
  const [port, ldapsPort] = [await freePort(), await freePort()];
  makeCertificates(folder);
  mkdirSync(join(folder, 'data'));
  const configuration = join(folder, 'slapd.conf');
  writeFileSync(configuration, configurationOf(folder));
  writeFileSync(join(folder, 'directory.schema'), directorySchema);
  writeFileSync(join(folder, 'seed.ldif'), seed(referTo));
  const as = isRoot ? { uid: nobody, gid: nobody } : {};
  if (isRoot) for (const name of ['.', ...readdirSync(folder)]) chownSync(join(folder, name), nobody, nobody);
  const added = spawnSync(program, ['-Ta', '-f', configuration, '-l', join(folder, 'seed.ldif')], {
    ...as,
    encoding: 'utf8',
  });
  if (added.status !== 0) throw new Error(`slapadd failed: ${added.stderr.slice(-2000)}`);

  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const addresses = `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${ldapsPort}`;
    const running = spawn(program, ['-d', '0', '-f', configuration, '-h', addresses], { stdio: 'ignore', ...as });
    child = running;
    for (const end = performance.now() + startMs; !(await accepts(port)); await sleep(20))
      if (running.exitCode !== null || performance.now() > end) throw new Error(`slapd does not start on ${port}`);
  };
  const stop = async (): Promise<void> => {
    const running = child;
    child = undefined;
    await killed(running);
  };
  await start();
  return {
    url: `ldap://127.0.0.1:${port}`,
    port,
    ldapsUrl: `ldaps://localhost:${ldapsPort}`,
    ldapsPort,
    caFile: join(folder, 'ca.pem'),
    otherCaFile: join(folder, 'other.pem'),
    start,
    stop,
    async freeze() {
      child?.kill('SIGSTOP');
      // The signal stops the threads one after the other.
      while (child?.pid !== undefined && !areStopped(child.pid)) await sleep(5);
    },
    resume: () => void child?.kill('SIGCONT'),
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function makeCertificates(folder: string): void {
  const openssl = (...given: readonly string[]): void => void run('openssl', given, { cwd: folder });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'] as const;
  for (const [name, subject] of [
    ['ca', '/CN=Directory test CA'],
    ['other', '/CN=Another CA'],
  ] as const)
    openssl('req', '-x509', ...key, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '2', '-subj', subject);
  const extensions = ['subjectAltName=DNS:localhost', 'basicConstraints=critical,CA:FALSE'] as const;
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', ...extensions.flatMap((one) => ['-addext', one])];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'server.key',
    '-out',
    'server.pem',
    '-days',
    '2',
    '-subj',
    '/CN=d',
    ...signed,
  );
}

const configurationOf = (folder: string): string => `
${['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include /etc/ldap/schema/${name}.schema`).join('\n')}
include ${folder}/directory.schema
pidfile ${folder}/slapd.pid
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCACertificateFile ${folder}/ca.pem
TLSCertificateFile ${folder}/server.pem
TLSCertificateKeyFile ${folder}/server.key
database mdb
suffix "${baseDn}"
directory ${folder}/data
maxsize 16777216
index objectClass,uid,mail eq
limits dn.exact="${readers.limited}" size=1
access to attrs=userPassword by anonymous auth by * none
access to attrs=entryUUID by dn.exact="${readers.activeDirectory}" none by dn.exact="${readers.plain}" none by * read
access to attrs=objectGUID by dn.exact="${readers.plain}" none by * read
access to dn.exact="cn=hidden,ou=groups,${baseDn}" by dn.exact="${readers.plain}" none by * read
access to * by * read
`;

/** Attributes of Active Directory, and `memberOf` as an attribute that is not computed. */
const directorySchema = `
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' EQUALITY caseIgnoreMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.2.102 NAME 'memberOf' EQUALITY distinguishedNameMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 )
objectclass ( 1.2.840.113556.1.5.9 NAME 'user' SUP inetOrgPerson STRUCTURAL
  MAY ( objectGUID $ userAccountControl $ sAMAccountName $ memberOf ) )
`;

function areStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).every((task) => / [Tt] /.test(readFileSync(join(tasks, task, 'stat'), 'utf8')));
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
