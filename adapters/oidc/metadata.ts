// The metadata of an OpenID provider (OpenID Connect Discovery 1.0, section 3): read, validated and cached.
import { endpointMisfit, isLoopback } from './addresses.ts';
import { Fault } from './faults.ts';
import type { Provider } from './provider.ts';
import { jsonObject, request, type RequestLimits } from './requests.ts';

/** The members that are used. Endpoints are in the form of URL parsers. */
export interface Metadata {
  /** May be a template (see `isTemplate`). */
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
  readonly userinfo_endpoint?: string;
  /** Only signatures with public keys. */
  readonly id_token_signing_alg_values_supported: readonly string[];
  readonly userinfo_signing_alg_values_supported: readonly string[];
  readonly token_endpoint_auth_methods_supported: readonly string[];
  readonly code_challenge_methods_supported: readonly string[];
  readonly authorization_response_iss_parameter_supported: boolean;
}

/** Metadata, and the reasons why it cannot be used. */
export interface ReadMetadata {
  readonly metadata: Metadata;
  readonly problems: readonly string[];
}

/** Signatures whose keys are public. `none` and those with a shared secret are never accepted. */
const algorithms: ReadonlySet<string> = new Set(
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' '),
);

/** The most items of a list in the metadata, and the most characters of one. */
const most = { items: 100, length: 100 } as const;

const tenant = '{tenantid}';

/** Whether the issuers of the tokens differ by tenant: each has the claim `tid` in place of `{tenantid}`. */
export const isTemplate = (issuer: string): boolean => issuer.includes(tenant);

/** Whether an issuer is the template with some tenant. */
export function isOfTemplate(template: string, issuer: string): boolean {
  const [before = '', after = ''] = template.split(tenant);
  return (
    issuer.startsWith(before) &&
    issuer.endsWith(after) &&
    /^[\w.-]{1,128}$/.test(issuer.slice(before.length, issuer.length - after.length))
  );
}

/** @throws {Fault} if the provider cannot be asked or answers no metadata. */
export async function fetchMetadata(provider: Provider, limits: Pick<RequestLimits, 'signal'>): Promise<ReadMetadata> {
  const { address } = provider;
  const url = `${address.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const loopback = isLoopback(address);
  const answer = await request(url, { headers: { accept: 'application/json' } }, { loopback, signal: limits.signal });
  if (answer.status !== 200) throw new Fault('unavailable', `its metadata is missing: status ${answer.status}`);
  return readMetadata(provider, await jsonObject(answer, 'unavailable'), loopback);
}

function readMetadata(provider: Provider, json: Readonly<Record<string, unknown>>, loopback: boolean): ReadMetadata {
  const problems: string[] = [];
  const endpoint = (name: string): string => {
    const misfit = endpointMisfit(json[name], loopback);
    if (misfit === undefined) return new URL(String(json[name])).href;
    problems.push(json[name] === undefined ? `"${name}" is missing` : `"${name}" ${misfit}`);
    return '';
  };
  const texts = (name: string): readonly string[] | undefined => {
    const value = json[name];
    if (!Array.isArray(value)) return undefined;
    return value.slice(0, most.items).filter((one) => typeof one === 'string' && one.length <= most.length);
  };
  const signing = (name: string): readonly string[] => (texts(name) ?? ['RS256']).filter((alg) => algorithms.has(alg));
  const { issuer } = json;
  if (typeof issuer !== 'string' || !isIssuerOf(provider, issuer))
    problems.push('"issuer" is another one than the configured issuer');
  const metadata = {
    issuer: String(issuer),
    authorization_endpoint: endpoint('authorization_endpoint'),
    token_endpoint: endpoint('token_endpoint'),
    jwks_uri: endpoint('jwks_uri'),
    ...(json['userinfo_endpoint'] !== undefined && { userinfo_endpoint: endpoint('userinfo_endpoint') }),
    id_token_signing_alg_values_supported: signing('id_token_signing_alg_values_supported'),
    userinfo_signing_alg_values_supported: signing('userinfo_signing_alg_values_supported'),
    token_endpoint_auth_methods_supported: texts('token_endpoint_auth_methods_supported') ?? ['client_secret_basic'],
    code_challenge_methods_supported: texts('code_challenge_methods_supported') ?? [],
    authorization_response_iss_parameter_supported: json['authorization_response_iss_parameter_supported'] === true,
  } satisfies Metadata;
  if (metadata.id_token_signing_alg_values_supported.length === 0)
    problems.push('it offers no signature of ID tokens with a public key');
  if (authenticationOf(metadata) === undefined) problems.push('it offers neither client_secret_basic nor _post');
  return { metadata, problems };
}

/**
 * How this instance proves its identity. `client_secret_post` is preferred, because many servers do not decode the
 * percent-encoding that RFC 6749, section 2.3.1 requires in `client_secret_basic`.
 */
export function authenticationOf(metadata: Metadata): 'client_secret_post' | 'client_secret_basic' | undefined {
  const offered = metadata.token_endpoint_auth_methods_supported;
  return (['client_secret_post', 'client_secret_basic'] as const).find((method) => offered.includes(method));
}

/**
 * The issuer must be the configured one (OpenID Connect Discovery 1.0, section 4.3). Microsoft's differs from it in the
 * first segment of the path, which is a name there, such as `common`, and a tenant id or `{tenantid}` here.
 */
function isIssuerOf({ address, kind }: Provider, issuer: string): boolean {
  if (kind !== 'microsoft' && isTemplate(issuer)) return false;
  if (endpointMisfit(issuer.replace(tenant, 'tenant'), true) !== undefined) return false;
  if (new URL(issuer).href === new URL(address).href) return true;
  const [wanted, given] = [address, issuer].map((url) => /^(https?:\/\/[^/]+\/)([^/]+)(\/.*)?$/.exec(url));
  return kind === 'microsoft' && !!wanted && !!given && wanted[1] === given[1] && wanted[3] === given[3];
}

/** The metadata, if it can be used. @throws {Fault} with all problems. */
export function usable({ metadata, problems }: ReadMetadata): Metadata {
  if (problems.length > 0) throw new Fault('unavailable', `its metadata cannot be used: ${problems.join('; ')}`);
  return metadata;
}
