// The paths by which clients reach the server. Behind a proxy that removes the path of the external URL, the server
// does not see that path in requests, but has to write it into responses.

export interface ExternalPaths {
  /** The value of a header, with the external path before each path of the server in it. */
  header(name: string, value: string): string;
  /** As `header`, of a page: its paths are those of the web interface. */
  pageHeader(name: string, value: string): string;
  /** The `Path` of a cookie. `/` covers the API and the pages. */
  cookie(path: string): string;
}

/** A path, and neither the start of a URL without a scheme (`//host`) nor what browsers take for one (`/\host`). */
const ownPath = /^\/(?![/\\])/;

/** How the headers that refer to other resources contain paths (RFC 9110, sections 8.7 and 10.2.2; RFC 8288). */
const references: Readonly<Record<string, (value: string, outside: (path: string) => string) => string>> = {
  location: (value, outside) => outside(value),
  'content-location': (value, outside) => outside(value),
  link: (value, outside) => value.replaceAll(/<(\/[^<>]*)>/g, (_, path: string) => `<${outside(path)}>`),
};

export function externalPaths({
  baseUrl,
  webUrl,
}: {
  readonly baseUrl: string;
  readonly webUrl: string;
}): ExternalPaths {
  const base = pathOf(baseUrl);
  const web = pathOf(webUrl);
  const both = shared(base, web);
  const below =
    (prefix: (path: string) => string) =>
    (path: string): string =>
      ownPath.test(path) ? prefix(path) + path : path;
  // Pages of the instance are below /-/.
  const outside = below((path) => (path.startsWith('/-/') ? web : base));
  const outsideOfPages = below((path) => (path.startsWith('/api/') ? base : web));
  return {
    header: (name, value) => references[name.toLowerCase()]?.(value, outside) ?? value,
    pageHeader: (name, value) => references[name.toLowerCase()]?.(value, outsideOfPages) ?? value,
    cookie: (path) => (path === '/' ? both : outside(path)),
  };
}

/** Without a trailing slash, so empty for a URL without a path. */
const pathOf = (url: string): string => new URL(url).pathname.replace(/\/$/, '');

/** The longest path that contains both. */
function shared(one: string, other: string): string {
  const others = other.split('/');
  const segments = one.split('/');
  const differing = segments.findIndex((segment, index) => segment !== others[index]);
  const path = segments.slice(0, differing === -1 ? undefined : differing).join('/');
  return path === '' ? '/' : path;
}
