// Starts SimpleSAMLphp as an identity provider for the tests: the package of Debian on the server of PHP, with a
// configuration in a temporary folder.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, install } from './machine.ts';

const home = '/usr/share/simplesamlphp';
const startMs = 10_000;

/** How it answers. It signs assertions for service providers whose metadata want that. */
export interface IdpBehavior {
  readonly signResponse?: boolean;
  /** With AES-128-CBC, the only algorithm that it uses for keys of certificates. */
  readonly encryptAssertion?: boolean;
}

export interface SimpleSamlPhp {
  readonly url: string;
  readonly metadataUrl: string;
  /** Registers service providers by their metadata, in place of the earlier ones. */
  register(...metadata: readonly string[]): void;
  behave(behavior: IdpBehavior): void;
  /**
   * Signs a user in, as a browser would.
   * @param url to which the service provider sends the browser.
   * @returns the fields of the form that is posted to the service provider, and its address.
   */
  signIn(url: string): Promise<{ readonly action: string; readonly fields: Readonly<Record<string, string>> }>;
  stop(): Promise<void>;
}

/** Installs it and `xmlsec1`, a verifier of signatures, if one is missing. @throws {Error} if that fails. */
export function ensureSimpleSamlPhp(): void {
  const hasPhp = spawnSync('php', ['-r', 'exit(extension_loaded("dom") && extension_loaded("mbstring") ? 0 : 1);']);
  const hasVerifier = spawnSync('xmlsec1', ['--version'], { stdio: 'ignore' }).status === 0;
  if (hasPhp.status !== 0 || !hasVerifier || !existsSync(join(home, 'www')))
    install('php-cli', 'php-xml', 'php-mbstring', 'simplesamlphp', 'xmlsec1');
}

const php = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(php).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `[${Object.entries(value)
      .map(([key, one]) => `${/^\d+$/.test(key) ? key : php(key)} => ${php(one)}`)
      .join(', ')}]`;
  return typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : String(value);
};

/** The user that can sign in. */
export const samlUser = {
  name: 'ada',
  password: 'ada-password',
  attributes: { uid: ['ada'], mail: ['ada@example.org'], displayName: ['Ada Lovelace'] },
} as const;

/** @param keys of its signatures: a certificate in base64 and a private key in PEM. */
export async function startSimpleSamlPhp(keys: {
  readonly certificate: string;
  readonly privateKey: string;
}): Promise<SimpleSamlPhp> {
  ensureSimpleSamlPhp();
  const folder = mkdtempSync(join(tmpdir(), 'hexforge-simplesamlphp-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  for (const path of ['metadata', 'cert', 'data', 'temp', 'sessions', 'log']) mkdirSync(join(folder, path));
  write('cert/idp.key', keys.privateKey);
  const lines = keys.certificate.replace(/.{64}/g, '$&\n').trim();
  write('cert/idp.crt', `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`);
  write(
    'authsources.php',
    `<?php\n$config = ${php({
      users: { 0: 'exampleauth:UserPass', [`${samlUser.name}:${samlUser.password}`]: samlUser.attributes },
    })};\n`,
  );

  const register = (...metadata: readonly string[]): void => {
    metadata.forEach((xml, index) => write(`metadata/sp-${index}.xml`, xml));
    const sources = metadata.map((_, index) => ({ type: 'xml', file: join(folder, `metadata/sp-${index}.xml`) }));
    write(
      'config.php',
      `<?php\n$config = ${php({
        baseurlpath: url,
        certdir: `${folder}/cert/`,
        loggingdir: `${folder}/log/`,
        datadir: `${folder}/data/`,
        tempdir: `${folder}/temp`,
        metadatadir: `${folder}/metadata/`,
        secretsalt: 'only-for-tests',
        'auth.adminpassword': 'only-for-tests',
        timezone: 'UTC',
        'logging.handler': 'file',
        'enable.saml20-idp': true,
        'module.enable': { exampleauth: true, core: true, saml: true },
        'session.cookie.secure': false,
        'session.cookie.samesite': null,
        'session.phpsession.savepath': `${folder}/sessions`,
        'metadata.sources': [{ type: 'flatfile' }, ...sources],
        'store.type': 'phpsession',
      })};\n`,
    );
  };
  const behave = ({ signResponse = true, encryptAssertion = false }: IdpBehavior): void =>
    write(
      'metadata/saml20-idp-hosted.php',
      `<?php\n$metadata['__DYNAMIC:1__'] = ${php({
        host: '__DEFAULT__',
        privatekey: 'idp.key',
        certificate: 'idp.crt',
        auth: 'users',
        'signature.algorithm': 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        'saml20.sign.response': signResponse,
        'assertion.encryption': encryptAssertion,
        NameIDFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
        authproc: {
          3: {
            class: 'saml:AttributeNameID',
            attribute: 'mail',
            Format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
          },
        },
      })};\n`,
    );
  register();
  behave({});

  // Without opcache, changes of the configuration apply at once.
  const child = spawn('php', ['-d', 'opcache.enable=0', '-S', `127.0.0.1:${port}`, '-t', join(home, 'www')], {
    stdio: 'ignore',
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: folder },
  });
  const metadataUrl = `${url}saml2/idp/metadata.php`;
  const answers = async (): Promise<boolean> => {
    try {
      const answer = await fetch(metadataUrl);
      await answer.arrayBuffer();
      return answer.status === 200;
    } catch {
      return false;
    }
  };
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  for (const end = performance.now() + startMs; !(await answers()); await sleep(50))
    if (child.exitCode !== null || performance.now() > end) {
      await stop();
      throw new Error(`SimpleSAMLphp does not start on ${url}`);
    }
  return { url, metadataUrl, register, behave, signIn: (start) => signIn(start), stop };
}

/** Follows redirects with a cookie jar, fills in the form of the name and the password, and reads the last form. */
async function signIn(start: string) {
  const cookies = new Map<string, string>();
  const load = async (at: string, body?: URLSearchParams) => {
    let url = at;
    let form = body;
    for (let redirects = 0; redirects < 10; redirects += 1) {
      const answer = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(form !== undefined && { method: 'POST', body: form }),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      const html = await answer.text();
      if (location === null) return { url, html };
      url = new URL(location, url).href;
      form = undefined;
    }
    throw new Error('SimpleSAMLphp redirects endlessly');
  };
  const question = await load(start);
  const fields = fieldsOf(question.html);
  if (fields['AuthState'] === undefined) throw new Error(`SimpleSAMLphp shows no sign-in form at ${question.url}`);
  const named = { ...fields, username: samlUser.name, password: samlUser.password };
  const answer = await load(new URL('?', question.url).href, new URLSearchParams(named));
  const action = unescaped(/<form[^>]*\baction="(?<url>[^"]*)"/.exec(answer.html)?.groups?.['url'] ?? '');
  return { action, fields: fieldsOf(answer.html) };
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#039;', "'")
    .replaceAll('&amp;', '&');

function fieldsOf(html: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const [tag] of html.matchAll(/<input[^>]*>/g)) {
    const name = /\bname="(?<it>[^"]*)"/.exec(tag)?.groups?.['it'];
    if (name !== undefined) fields[name] = unescaped(/\bvalue="(?<it>[^"]*)"/.exec(tag)?.groups?.['it'] ?? '');
  }
  return fields;
}
