// How OAuth2 endpoints word what they refuse: `{ error, error_description }` (RFC 6749, section 5.2).
import { InvalidClient, OAuthRefusal } from 'hexforge/oauth';
import { maybe, shape, word, type RouteSpec } from 'hexforge/plugin';

type Wording = NonNullable<RouteSpec<never, never, never, 'empty', { readonly who: 'anyone' }>['refusal']>;

/** Members beside `error`, for the OpenAPI document. */
export const errorMembers = shape({ error_description: maybe(word()) });

/** RFC 6749, section 5.2: ASCII without quotes and backslashes. */
const described = (text: unknown): string => String(text).replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");

/**
 * Refusals of the protocol and of its input. What is refused before that (a bad credential, a spent budget, a page of
 * another site) keeps the envelope of all operations.
 * @param malformed the error of an input that no rule of the protocol looked at.
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
      const { 'www-authenticate': _bearer, ...others } = headers;
      return {
        ...refused,
        headers: error.challenged
          ? { ...others, 'www-authenticate': 'Basic realm="hexforge", charset="UTF-8"' }
          : others,
      };
    }
    // Document D: a wrong content type is 400.
    if (status === 415) return told('invalid_request', body['detail'], 400);
    if (status === 400 || status === 413) return told(malformed, body['detail'] ?? body['error']);
    if (status === 500) return told('server_error', body['detail']);
    return status === 503 ? told('temporarily_unavailable', body['error']) : { status, headers, body };
  };

/** Of the endpoints under /oauth2. */
export const oauthRefusals = { refusal: wording('invalid_request'), errorMembers } as const;
