// Every form of every page works without scripts: a spec of this suite sent it with the fields that its page has.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { submitted } from '#test/support/clients/submitted';

/** Forms that are sent in another way. */
const others: Readonly<Record<string, string>> = {
  repositoryUploadForm: 'sends files',
  repositorySettingsForm: 'is sent with a box that is not ticked',
};

/** Whether a path belongs to a pattern such as `/{owner}/{repo}/-/tree/{target*}`. */
function belongs(path: string, pattern: string): boolean {
  const [parts, wanted] = [path.split('/'), pattern.split('/')];
  const isRest = wanted.at(-1)?.endsWith('*}') === true;
  if (isRest ? parts.length < wanted.length : parts.length !== wanted.length) return false;
  return wanted.every((one, index) => one.startsWith('{') || one === parts[index]);
}

void t.test('every form was sent', async (t) => {
  await using forge = await testHost([]);
  const paths = [...submitted];
  const forms = forge
    .port('PageRegistry')
    .pages()
    .flatMap(({ one }) => one.forms ?? []);
  t.ok(forms.length > 50, `${String(forms.length)} forms`);
  for (const { id, path } of forms)
    if (others[id] === undefined)
      t.ok(
        paths.some((one) => belongs(one, path)),
        `${id} ${path}`,
      );
});
