// Answers to browsers that sign in with SAML.
import { Forbidden, sendTo, type BrowserStep, type Reply } from 'hexforge/plugin';

/**
 * Sends the browser to the next step, or to the sign-in page with the code of a refusal. Other clients get the error.
 * @param browser whether the client shows pages.
 */
export async function answered(browser: boolean, next: () => Promise<BrowserStep>): Promise<Reply<undefined>> {
  try {
    return sendTo(await next(), 303);
  } catch (error) {
    if (!browser || !(error instanceof Forbidden)) throw error;
    return sendTo({ location: `/-/sign-in?error=${encodeURIComponent(error.code)}`, cookies: [] }, 303);
  }
}
