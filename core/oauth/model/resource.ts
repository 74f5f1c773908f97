// The resources that a token can be bound to (RFC 8707): the MCP endpoints of repositories, identified by URL.

const path = '/api/v1/mcp';
/** Valid names of owners and repositories. Whether the repository exists is not checked, so that it is not revealed. */
const endpoint = /^\/([A-Za-z0-9][A-Za-z0-9._-]{0,38})\/([A-Za-z0-9._-]{1,100})$/;

/** The MCP audience of a repository. */
export const mcpResource = (baseUrl: string, owner: string, repo: string): string =>
  `${baseUrl}${path}/${owner}/${repo}`;

/**
 * Returns the canonical form of a resource, by which resources are compared: names of owners and repositories are
 * case-insensitive. Undefined if the resource does not belong to this instance.
 */
export function canonicalResource(baseUrl: string, resource: string): string | undefined {
  const prefix = `${baseUrl}${path}`;
  if (!resource.startsWith(prefix)) return undefined;
  const [, owner, repo] = endpoint.exec(resource.slice(prefix.length)) ?? [];
  return owner === undefined || repo === undefined || repo === '.' || repo === '..'
    ? undefined
    : mcpResource(baseUrl, owner.toLowerCase(), repo.toLowerCase());
}

/** Whether a token bound to `audience` is valid for `resource`. */
export const isSameResource = (baseUrl: string, audience: string, resource: string): boolean => {
  const meant = canonicalResource(baseUrl, audience);
  return meant !== undefined && meant === canonicalResource(baseUrl, resource);
};

/**
 * The URL of the metadata of a repository's MCP endpoint (RFC 9728, section 3.1): the path of the resource follows the
 * well-known name.
 */
export function resourceMetadataUrl(baseUrl: string, owner: string, repo: string): string {
  const { origin } = new URL(baseUrl);
  return `${origin}/.well-known/oauth-protected-resource${mcpResource(baseUrl, owner, repo).slice(origin.length)}`;
}
