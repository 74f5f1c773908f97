// Derives the statuses an operation can answer with from its descriptor, for the OpenAPI document and the tests.
import type Joi from 'joi';
import type { Route } from './route.ts';

/**
 * Every status an operation can answer with, in ascending order: success, those it declares, those its descriptor
 * implies. Without 500 and 507, which no operation declares, and without the 503 of an absent port, which depends on
 * the instance.
 */
export function impliedStatuses(route: Route): readonly number[] {
  const { access, body, meter } = route;
  const changing = route.method !== 'GET';
  const narrowed =
    access.who === 'session' ||
    access.who === 'admin' ||
    access.who === 'super-admin' ||
    (access.who === 'permitted' && access.needsUser && (access.lacking === 403 || access.hidden === 403));
  const statuses = new Set([
    route.success ?? 200,
    ...(route.statuses ?? []),
    ...when(body !== undefined || canFail(route.params, 'path') || canFail(route.query, 'query'), 400),
    // Every operation rejects a bad credential.
    401,
    ...when(route.scope !== null || narrowed || (route.cookies === true && changing), 403),
    ...when(access.who === 'permitted', 404),
    ...when(route.open !== undefined, 503),
    ...when(body !== undefined, 413),
    // A protocol with its own error format uses 400 for it (RFC 6749, section 5.2).
    ...when(body !== undefined && route.refusal === undefined, 415),
    ...when(meter !== 'none', 429),
  ]);
  return [...statuses].sort((a, b) => a - b);
}

const when = (condition: boolean, ...statuses: readonly number[]): readonly number[] => (condition ? statuses : []);

interface Described {
  readonly type?: string;
  readonly flags?: { readonly presence?: string; readonly only?: boolean };
  readonly keys?: Readonly<Record<string, Described>>;
  readonly rules?: readonly unknown[];
  readonly whens?: readonly unknown[];
  readonly invalid?: readonly unknown[];
}

/**
 * Whether a text can fail the schema. A path segment is one non-empty string; a query parameter may be absent, repeated
 * or empty.
 */
function canFail(schema: Joi.ObjectSchema | undefined, place: 'path' | 'query'): boolean {
  const described = schema?.describe() as Described | undefined;
  return Object.values(described?.keys ?? {}).some(({ type, flags, rules, whens, invalid }) => {
    const takesAnything =
      place === 'path' ? type === 'string' || type === 'any' : type === 'any' && flags?.presence !== 'required';
    return (
      !takesAnything || rules !== undefined || whens !== undefined || invalid !== undefined || flags?.only === true
    );
  });
}
