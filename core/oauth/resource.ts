// The resources a token can be bound to (RFC 8707): the MCP endpoints of repositories, each known by its URL.

const path = '/api/v1/mcp';
/** As usernames and names of repositories are; whether there is such a repository is nobody's to know here. */
const endpoint = /^\/([A-Za-z0-9][A-Za-z0-9._-]{0,38})\/([A-Za-z0-9._-]{1,100})$/;

/** The canonical MCP audience of a repository (document A, "Protected-resource metadata"). */
export const mcpResource = (baseUrl: string, owner: string, repo: string): string =>
  `${baseUrl}${path}/${owner}/${repo}`;

/**
 * The resource that is meant, in the form by which resources are compared: names of owners and repositories are so in
 * any case. Undefined where it is none of this instance.
 */
export function canonicalResource(baseUrl: string, resource: string): string | undefined {
  const prefix = `${baseUrl}${path}`;
  if (!resource.startsWith(prefix)) return undefined;
  const [, owner, repo] = endpoint.exec(resource.slice(prefix.length)) ?? [];
  return owner === undefined || repo === undefined || repo === '.' || repo === '..'
    ? undefined
    : mcpResource(baseUrl, owner.toLowerCase(), repo.toLowerCase());
}

/** Whether a token bound to `audience` is good at `resource`. */
export const isSameResource = (baseUrl: string, audience: string, resource: string): boolean => {
  const meant = canonicalResource(baseUrl, audience);
  return meant !== undefined && meant === canonicalResource(baseUrl, resource);
};
