// A person at a real browser, signed in.
import type { Browser } from 'playwright-core';
import type { TestHost } from '#host/sdk/testing';
import { signIn, visitor, type Visit, type Visitor } from '../visitor.ts';

export async function signedIn(browser: Browser, forge: TestHost, username: string, visit?: Visit): Promise<Visitor> {
  const { password } = await forge.user(username);
  const who = await visitor(browser, forge.url, visit);
  await signIn(who, { username, password });
  return who;
}
