// Records the forms that the specs of this process submit as a browser without scripts does: with the fields of the
// page. Imported before the first of them.
import { Browser } from '#host/sdk/testing/browser';

/** The paths of the forms that were sent and not refused. */
export const submitted = new Set<string>();

// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its browser
const { submit } = Browser.prototype;
Browser.prototype.submit = async function recorded(page, values, index = 0) {
  const answer = await submit.call(this, page, values, index);
  const form = page.forms[index];
  if (form?.method === 'POST' && answer.status < 400) submitted.add(new URL(form.action, 'http://forge').pathname);
  return answer;
};
