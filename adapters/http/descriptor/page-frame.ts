// The port for the frame of the web interface: the document around every page, with the navigation.
import type { Call } from '#core/kernel/caller';
import { declarePort } from '#core/kernel/ports';
import { pageHeaders, pageText, type HtmlPage } from './html.ts';

/** The request whose answer is a page. */
export interface Around {
  readonly call: Call;
  /** The path and the query of the request, percent-encoded, without the path of the external URL. */
  readonly url: string;
  readonly status: number;
  /** Cookies of the request. */
  readonly cookies: Readonly<Record<string, string>>;
  /** The resource of the page's access rule, if the rule is about one and the caller may read it. */
  readonly granted?: { readonly resource: unknown; readonly may: (permission: string) => boolean } | undefined;
}

/** A whole document with its headers. */
export interface PageDocument {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes documents of pages. */
export interface PageFrame {
  /** The page within the frame. Must not fail: what cannot be read for the frame is left out. */
  document(page: HtmlPage, around: Around): Promise<PageDocument>;
}

declare module '#core/kernel/ports' {
  interface OptionalPorts {
    PageFrame: PageFrame;
  }
}

declarePort('PageFrame', { arity: 'optional', component: 'web interface', critical: false, absent: 'hidden' });

/** Pages of a forge without a web interface, such as errors. */
export const plainFrame: PageFrame = {
  document: async (page) => ({ text: pageText(page), headers: pageHeaders(page) }),
};
