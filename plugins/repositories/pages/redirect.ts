// Pages that lead to another page.
import { html, HtmlPage, reply, type Reply } from 'hexforge/plugin';

/** @param location a path of this instance. */
export const leadsTo = (location: string, status: 301 | 302 | 303 = 302): Reply<HtmlPage> =>
  reply(new HtmlPage({ title: '', main: html`` }), { status, headers: { location } });
