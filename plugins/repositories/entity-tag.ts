// The entity tag of a JSON body: a digest, so that it changes whenever anything the caller sees does.

export async function entityTag(body: object): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(body)));
  return Buffer.from(digest).toString('base64url').slice(0, 27);
}
