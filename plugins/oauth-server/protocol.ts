// The common members of OAuth2 endpoints: headers, and errors as `{ error, error_description }` (RFC 6749, section
// 5.2).
import { InvalidClient, OAuthRefusal } from 'hexforge/oauth';
import { maybe, shape, word, type RouteSpec } from 'hexforge/plugin';

type Wording = NonNullable<RouteSpec<never, never, never, 'empty', { readonly who: 'anyone' }>['refusal']>;

/** Members in addition to `error`, for the OpenAPI document. */
export const errorMembers = shape({ error_description: maybe(word()) });

/** Replaces characters that RFC 6749, section 5.2 does not allow: only ASCII without quotes and backslashes. */
const described = (text: unknown): string => String(text).replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");

/**
 * Converts errors of the protocol and of invalid input. Errors raised earlier (a bad credential, an exhausted budget, a
 * request from another site) keep the JSON of all other operations.
 * @param malformed The `error` of input that fails validation.
 */
export const wording =
  (malformed: string): Wording =>
  ({ status, headers, body }, error) => {
    const told = (code: string, description: unknown, as = status): ReturnType<Wording> => ({
      status: as,
      headers,
      body: { error: code, error_description: described(description) },
    });
    if (error instanceof OAuthRefusal) {
      const refused = told(error.code, error.message);
      if (!(error instanceof InvalidClient)) return refused;
      // The challenge of clients, also if the client has sent its secret in the body (RFC 6749, section 5.2).
      return status === 401
        ? { ...refused, headers: { ...headers, 'www-authenticate': 'Basic realm="hexforge", charset="UTF-8"' } }
        : refused;
    }
    // A wrong content type is answered with 400, like any malformed request.
    if (status === 415) return told('invalid_request', body['detail'], 400);
    if (status === 400 || status === 413) return told(malformed, body['detail'] ?? body['error']);
    if (status === 500) return told('server_error', body['detail']);
    return status === 503 ? told('temporarily_unavailable', body['error']) : { status, headers, body };
  };

/** Required for responses with tokens (RFC 6749, section 5.1). */
export const uncached = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** The common members of the routes under /oauth2. */
export const oauthRefusals = { refusal: wording('invalid_request'), errorMembers } as const;
