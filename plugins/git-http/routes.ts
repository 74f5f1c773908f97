// The three routes of smart HTTP (gitprotocol-http): the advertisement of refs, and the two services.
import {
  anyone,
  api,
  ByteStream,
  Forbidden,
  maybe,
  reply,
  shape,
  UnsupportedMediaType,
  type Input,
  type RawBody,
  type Route,
  word,
  changes,
  reads,
  type AccessDecision,
  type Call,
  type GrantOf,
  type ScopeName,
} from 'hexforge/plugin';
import type { GitBackend, GitService, Pushes } from 'hexforge/repositories';

interface RepositoryParams {
  readonly owner: string;
  readonly repo: string;
}

/**
 * The routes decide access themselves, because the rule depends on the requested service. Anonymous callers are
 * challenged with 401, also if the repository does not exist. A caller who may not read gets 404; one who may read but
 * not push gets 403.
 */
const rules = {
  fetch: reads('repository', 'repo.read', { anonymous: 401 }),
  push: changes('repository', 'repo.write'),
} as const;
const scopes = { fetch: 'repo.read', push: 'repo.write' } as const satisfies Record<keyof typeof rules, ScopeName>;

/** The `.git` of a clone URL is optional, and no repository name ends with it. */
const named = ({ owner, repo }: RepositoryParams) => ({ owner, repo: repo.replace(/\.git$/, '') });

/** @throws {Unauthorized | InsufficientScope | Forbidden | NotFound} */
function admitted<K extends keyof typeof rules>(
  { access }: Pick<GitRoutesParts, 'access'>,
  call: Call,
  kind: K,
  path: RepositoryParams,
): Promise<GrantOf<(typeof rules)[K]>> {
  return access.decide(call, rules[kind], scopes[kind], named(path));
}

export interface GitRoutesParts {
  readonly access: AccessDecision;
  readonly git: GitBackend;
  readonly pushes: Pushes;
  readonly maxPushBytes: number;
}

const kinds = { 'git-upload-pack': 'fetch', 'git-receive-pack': 'push' } as const satisfies Record<GitService, string>;
const isService = (text: string | undefined): text is GitService => text !== undefined && Object.hasOwn(kinds, text);

/** The largest fetch request, which is a list of object ids. A clone of ten thousand refs sends half a megabyte. */
const maxFetchBytes = 64 * 1024 * 1024;

/** Refs change, so no cache may store a response (gitprotocol-http, "Smart Clients"). */
const uncached = {
  'cache-control': 'no-cache, max-age=0, must-revalidate',
  pragma: 'no-cache',
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
} as const;

const query = shape({ service: maybe(word()) });

/**
 * These routes are not part of the REST API. `run` asks for the access decision, since its rule depends on the service.
 */
const common = {
  mount: 'root',
  access: anyone,
  scope: null,
  result: 'bytes',
  basic: true,
  hidden: true,
} as const;

/**
 * Wraps the body and keeps its error: git only reports that its input ended early, but the client must receive the
 * cause, such as an invalid gzip body.
 */
function heard(body: RawBody): { readonly body: RawBody; readonly rethrow: (error: unknown) => never } {
  let failure: { readonly error: unknown } | undefined;
  const listen = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  return {
    body: listen(),
    rethrow: (error) => {
      throw failure === undefined ? error : failure.error;
    },
  };
}

export function gitRoutes(parts: GitRoutesParts): readonly Route[] {
  const { git, pushes } = parts;
  const answer = (service: GitService, part: 'advertisement' | 'result', source: AsyncIterable<Uint8Array>) =>
    reply(new ByteStream(source, { type: `application/x-${service}-${part}` }), { headers: uncached });

  type Body = Input<RepositoryParams, unknown, RawBody, typeof anyone>;
  const checkType = (service: GitService, { header }: Pick<Body, 'header'>): void => {
    const wanted = `application/x-${service}-request`;
    const [type = ''] = (header('content-type') ?? '').split(';', 1);
    if (type.trim().toLowerCase() !== wanted)
      throw new UnsupportedMediaType('The content type is not that of a git request', {
        detail: `Send "Content-Type: ${wanted}"`,
      });
  };

  return [
    api({
      ...common,
      id: 'gitAdvertise',
      summary: 'The refs of a repository, for a fetch or a push',
      method: 'GET',
      path: '/{owner}/{repo}/info/refs',
      query,
      async run(call, { params: path, query: { service }, header, charge }) {
        const granted = await admitted(parts, call, isService(service) ? kinds[service] : 'fetch', path);
        await charge(granted);
        // The same status as git's http-backend. The message is for users who set GIT_SMART_HTTP=0 or wrote a client.
        if (service === undefined)
          throw new Forbidden('The dumb HTTP protocol is not served', {
            detail: 'Use a git client that speaks smart HTTP',
          });
        if (!isService(service))
          throw new Forbidden('There is no such git service', {
            detail: '"service" must be git-upload-pack or git-receive-pack',
          });
        return answer(
          service,
          'advertisement',
          await git.advertise(granted.resource.id, { service, protocol: header('git-protocol'), signal: call.signal }),
        );
      },
    }),
    api({
      ...common,
      id: 'gitUploadPack',
      summary: 'Fetch',
      method: 'POST',
      path: '/{owner}/{repo}/git-upload-pack',
      meter: 'api.read',
      body: 'raw',
      maxBytes: maxFetchBytes,
      async run(call, input: Body) {
        const granted = await admitted(parts, call, 'fetch', input.params);
        await input.charge(granted);
        checkType('git-upload-pack', input);
        const { body, rethrow } = heard(input.body);
        const request = {
          service: 'git-upload-pack',
          protocol: input.header('git-protocol'),
          body,
          signal: call.signal,
        } as const;
        return answer('git-upload-pack', 'result', await git.uploadPack(granted.resource.id, request).catch(rethrow));
      },
    }),
    api({
      ...common,
      id: 'gitReceivePack',
      summary: 'Push',
      method: 'POST',
      path: '/{owner}/{repo}/git-receive-pack',
      body: 'raw',
      maxBytes: parts.maxPushBytes,
      async run(call, input: Body) {
        const granted = await admitted(parts, call, 'push', input.params);
        await input.charge(granted);
        checkType('git-receive-pack', input);
        return answer(
          'git-receive-pack',
          'result',
          await pushes.receive(granted, {
            protocol: input.header('git-protocol'),
            body: input.body,
            signal: call.signal,
          }),
        );
      },
    }),
  ];
}
