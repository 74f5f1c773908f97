// The baseline for the token and introspection endpoints: the statements that any correct implementation needs, each by
// a key. Also makes codes and refresh tokens for the measurements.
import { createHash, generateKeyPair, randomBytes, randomUUID, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { rawSql, type SqlDatabase, type UnitOfWork } from 'hexforge/plugin';

type Form = Readonly<Record<string, string | undefined>>;

/** Copies of a code or refresh token that the forge really issued, under other hashes. */
export interface Copies {
  readonly kind: 'codes' | 'refreshTokens';
  /** The hash of the original. */
  readonly of: string;
  readonly hashes: readonly string[];
  readonly scopes: readonly string[];
}

export interface BareOAuth {
  /** The response of the endpoint of that name; undefined if it refuses. */
  answer(endpoint: string, form: Form, unitOfWork: UnitOfWork): Promise<object | undefined>;
  /**
   * Creates 64 users with the same grant to the client as the administrator, so that requests of different users do not
   * wait for each other's row locks.
   */
  people(clientId: string): Promise<void>;
  fill(copies: Copies): Promise<void>;
}

const people = 64;
const sha256 = (text = '', form: 'hex' | 'base64url' = 'hex'): string => createHash('sha256').update(text).digest(form);
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);

export function bareOAuth(database: SqlDatabase): BareOAuth {
  const db = () => database.kysely<Record<never, never>>();
  const one = async <Row>(query: ReturnType<typeof rawSql<Row>>): Promise<Row | undefined> =>
    (await query.execute(db())).rows[0];
  let key: Promise<KeyObject> | undefined;

  const clientOf = async ({ client_id: id, client_secret: secret }: Form) => {
    const client = await one<{ id: string; secret_hash: string }>(
      rawSql`select id, secret_hash from oauth_server_client where client_id = ${id}`,
    );
    return client?.secret_hash === sha256(secret) ? client : undefined;
  };

  /** Locks the account and the grant until the end of the transaction, so that neither can end meanwhile. */
  const hold = async (found: { readonly user_id: string; readonly grant_id: string }, now: Date): Promise<boolean> => {
    const account = await one<{ status: string }>(
      rawSql`select status from identity_user where id = ${found.user_id} for no key update`,
    );
    await one(rawSql`update oauth_server_grant set updated_at = ${now} where id = ${found.grant_id}`);
    return account?.status === 'active';
  };

  const tokens = async (familyId: string, scopes: readonly string[], now: Date) => {
    const [access, refresh] = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];
    await one(rawSql`insert into oauth_server_access_token (id, hash, family_id, scopes, created_at, expires_at)
      values (${randomUUID()}, ${sha256(access)}, ${familyId}, ${JSON.stringify(scopes)}::jsonb, ${now}, ${after(now, 3600)})`);
    await one(rawSql`insert into oauth_server_refresh_token (hash, family_id, created_at, expires_at)
      values (${sha256(refresh)}, ${familyId}, ${now}, ${after(now, 86_400)})`);
    return { access_token: access, token_type: 'Bearer', expires_in: 3600, refresh_token: refresh };
  };

  const idToken = async (sub: string): Promise<string> => {
    const kept = await one<{ id: string }>(
      rawSql`select id, sealed from oauth_server_key order by created_at desc limit 1`,
    );
    key ??= promisify(generateKeyPair)('rsa', { modulusLength: 2048 }).then(({ privateKey }) => privateKey);
    const text = `${base64url({ alg: 'RS256', kid: kept?.id })}.${base64url({ sub, iat: Date.now() })}`;
    const signature = await promisify(sign)('RSA-SHA256', Buffer.from(text), await key);
    return `${text}.${signature.toString('base64url')}`;
  };

  const exchange = async (form: Form, { run }: Pick<UnitOfWork, 'run'>): Promise<object | undefined> => {
    const client = await clientOf(form);
    const [now, hash, familyId] = [new Date(), sha256(form['code']), randomUUID()];
    const found = await one<Record<'grant_id' | 'user_id' | 'client_id' | 'session_id' | 'challenge', string> & Scoped>(
      rawSql`select c.grant_id, g.user_id, g.client_id, c.session_id, c.challenge, c.scopes from oauth_server_code c join oauth_server_grant g on g.id = c.grant_id where c.hash = ${hash}`,
    );
    if (client === undefined || found?.client_id !== client.id) return undefined;
    if (found.challenge !== sha256(form['code_verifier'], 'base64url')) return undefined;
    const issued = await run(async () => {
      if (!(await hold(found, now))) return undefined;
      const taken = await one(rawSql`update oauth_server_code set taken_at = ${now}, family_id = ${familyId}
        where hash = ${hash} and taken_at is null and expires_at > ${now} returning hash`);
      const session = await one(
        rawSql`select created_at from identity_session where id = ${found.session_id} and expires_at > ${now}`,
      );
      if (taken === undefined || session === undefined) return undefined;
      await one(rawSql`insert into oauth_server_family (id, grant_id, scopes, auth_time, created_at, expires_at)
        values (${familyId}, ${found.grant_id}, ${JSON.stringify(found.scopes)}::jsonb, ${now}, ${now}, ${after(now, 86_400)})`);
      return tokens(familyId, found.scopes, now);
    });
    if (issued === undefined || !found.scopes.includes('openid')) return issued;
    return { ...issued, id_token: await idToken(found.user_id) };
  };

  const refresh = async (form: Form, { run }: Pick<UnitOfWork, 'run'>): Promise<object | undefined> => {
    const client = await clientOf(form);
    const [now, hash] = [new Date(), sha256(form['refresh_token'])];
    const found = await one<Record<'family_id' | 'grant_id' | 'user_id' | 'client_id', string> & Scoped>(
      rawSql`select t.family_id, f.grant_id, g.user_id, g.client_id, f.scopes from oauth_server_refresh_token t join oauth_server_family f on f.id = t.family_id join oauth_server_grant g on g.id = f.grant_id where t.hash = ${hash}`,
    );
    if (client === undefined || found?.client_id !== client.id) return undefined;
    return run(async () => {
      if (!(await hold(found, now))) return undefined;
      const taken = await one<object>(rawSql`update oauth_server_refresh_token set used_at = ${now}
        where hash = ${hash} and used_at is null and expires_at > ${now}
        and exists (select 1 from oauth_server_family f where f.id = family_id and f.ended_at is null) returning hash`);
      return taken && tokens(found.family_id, found.scopes, now);
    });
  };

  const introspect = async (form: Form): Promise<object | undefined> => {
    const client = await clientOf(form);
    const found = await one<Record<'id' | 'user_id' | 'client', string> & Scoped>(
      rawSql`select t.id, t.scopes, t.created_at, t.expires_at, g.user_id, g.resource, c.id as client, c.scopes as registered from oauth_server_access_token t join oauth_server_family f on f.id = t.family_id join oauth_server_grant g on g.id = f.grant_id join oauth_server_client c on c.id = g.client_id where t.hash = ${sha256(form['token'])} and t.expires_at > ${new Date()} and f.ended_at is null and not c.suspended`,
    );
    if (client === undefined || found?.client !== client.id) return undefined;
    const account = await one<{ username: string; status: string }>(
      rawSql`select username, status from identity_user where id = ${found.user_id}`,
    );
    return account?.status === 'active' ? { active: true, username: account.username, ...found } : undefined;
  };

  return {
    async answer(endpoint, form, unitOfWork) {
      if (endpoint === 'introspect') return introspect(form);
      const run = unitOfWork.run.bind(unitOfWork);
      return form['grant_type'] === 'refresh_token' ? refresh(form, { run }) : exchange(form, { run });
    },
    async people(clientId) {
      await one(rawSql`insert into identity_user select (jsonb_populate_record(u, jsonb_build_object(
          'id', gen_random_uuid(), 'username', 'oauth-' || n, 'username_key', 'oauth-' || n,
          'email', 'oauth-' || n || '@example.org', 'email_key', 'oauth-' || n || '@example.org'))).*
        from identity_user u, generate_series(1, ${people}::int) n where u.username_key = 'admin'`);
      await one(rawSql`insert into oauth_server_grant select (jsonb_populate_record(g, jsonb_build_object(
          'id', gen_random_uuid(), 'user_id', u.id))).*
        from oauth_server_grant g join oauth_server_client c on c.id = g.client_id, identity_user u
        where c.client_id = ${clientId} and u.username_key like 'oauth-%'`);
    },
    async fill({ kind, of, hashes, scopes }) {
      const copies = rawSql`jsonb_array_elements_text(${JSON.stringify(hashes)}::jsonb) with ordinality as h (hash, n)
        join (select g.id, row_number() over () - 1 as n from oauth_server_grant g
          join identity_user u on u.id = g.user_id where u.username_key like 'oauth-%') p on p.n = h.n % ${people}::int`;
      const scoped = JSON.stringify(scopes);
      if (kind === 'codes')
        await one(rawSql`insert into oauth_server_code select (jsonb_populate_record(c, jsonb_build_object('hash', h.hash,
            'grant_id', p.id, 'scopes', ${scoped}::jsonb, 'taken_at', null, 'family_id', null))).*
          from oauth_server_code c, ${copies} where c.hash = ${of}`);
      else {
        await one(rawSql`insert into oauth_server_family select (jsonb_populate_record(f, jsonb_build_object(
            'id', md5(h.hash)::uuid, 'grant_id', p.id, 'scopes', ${scoped}::jsonb))).*
          from oauth_server_family f join oauth_server_refresh_token t on t.family_id = f.id, ${copies} where t.hash = ${of}`);
        await one(rawSql`insert into oauth_server_refresh_token select (jsonb_populate_record(t, jsonb_build_object(
            'hash', h.hash, 'family_id', md5(h.hash)::uuid))).*
          from oauth_server_refresh_token t, ${copies} where t.hash = ${of}`);
      }
      await one(rawSql`analyze oauth_server_code, oauth_server_family, oauth_server_refresh_token, oauth_server_grant`);
    },
  };
}

interface Scoped {
  readonly scopes: readonly string[];
}
