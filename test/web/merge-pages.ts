// Fixtures for specs of the pages of merge requests: files and requests by REST, and forms by their paths.
import type { Browser, Page } from '#host/sdk/testing/browser';
import type { TestHost } from '#host/sdk/testing';

/** A text that would run if it were not escaped, and a character that reverses the text after it. */
export const hostile = '<img src=x onerror="alert(1)">\u{202e}';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The body of an answer. @throws {Error} if the request was refused. */
export function body<T = Readonly<Record<string, unknown>>>({ status, body: answer }: Answer): T {
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(answer)}`);
  return answer as T;
}

/** Writes a file to a branch; a new branch begins at `main`. @returns the commit */
export async function write(
  forge: TestHost,
  { by = 'alice', repository = 'alice/site', branch, path, content }: Written,
): Promise<string> {
  const client = forge.as(by);
  const at = `/repos/${repository}`;
  if (branch !== 'main') await client.post(`${at}/branches`, { json: { name: branch, base_ref: 'main' } });
  const url = `${at}/contents/${path.split('/').map(encodeURIComponent).join('/')}`;
  const known = await client.get(`${url}?ref=${encodeURIComponent(branch)}`);
  const sha = known.status === 200 ? (known.body as { sha: string }).sha : undefined;
  const json = { message: `Write ${path}`, content: Buffer.from(content).toString('base64'), branch, sha };
  return body<{ commit: { sha: string } }>(await client.put(url, { json })).commit.sha;
}

interface Written {
  readonly by?: string;
  readonly repository?: string;
  readonly branch: string;
  readonly path: string;
  readonly content: string;
}

export const open = async (
  forge: TestHost,
  json: Readonly<Record<string, unknown>>,
  repository = 'alice/site',
): Promise<number> =>
  body<{ number: number }>(
    await forge
      .as('alice')
      .post(`/repos/${repository}/merges`, { json: { target_branch: 'main', title: 'A change', ...json } }),
  ).number;

/** Sends the form of the page whose path ends so. */
export async function send(
  browser: Browser,
  page: Page,
  action: string,
  values: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const index = page.forms.findIndex(
    (form) => form.method === 'POST' && form.action.split('?', 1)[0]?.endsWith(action) === true,
  );
  if (index < 0)
    throw new Error(
      `${page.path} (${String(page.status)}) has no form "${action}": ${page.forms.map((form) => form.action).join(' ')}`,
    );
  return browser.submit(page, values, index);
}

/** Whether the page has a form whose path ends so. */
export const offers = ({ forms }: Page, action: string): boolean =>
  forms.some((form) => form.method === 'POST' && form.action.split('?', 1)[0]?.endsWith(action) === true);

/** Sends a form that the page does not offer, as a browser would. */
export const post = async (
  browser: Browser,
  forge: TestHost,
  path: string,
  values: Readonly<Record<string, string>>,
): Promise<number> => {
  await browser.open('/');
  const answer = await browser.request('POST', new URL(path, forge.url), {
    body: new URLSearchParams(values).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  return answer.status;
};
