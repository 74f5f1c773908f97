// Contract checks for the port PageFrame.
import assert from 'node:assert/strict';
import { html, HtmlPage } from '#adapters/http/descriptor/html';
import type { Around, PageFrame } from '#adapters/http/descriptor/page-frame';
import type { Check } from './checks.ts';

export interface PageFrameUnderTest {
  readonly frame: PageFrame;
  /** An anonymous request. */
  readonly around: Around;
}

const hostile = '"><script>alert(1)</script>';
const page = (title: string): HtmlPage =>
  new HtmlPage({ title, main: html`<p id="content">${title}</p>`, aside: html`<p id="beside"></p>` });

export const pageFrameChecks: readonly Check<PageFrameUnderTest>[] = [
  {
    name: 'a document has the title, the main part and the side column of the page',
    async run({ frame, around }) {
      const { text, headers } = await frame.document(page('Bells'), around);
      assert.match(text, /^<!doctype html>/i);
      assert.match(text, /<title>Bells/);
      assert.ok(text.includes('<p id="content">Bells</p>') && text.includes('<p id="beside"></p>'));
      assert.match(headers['content-type'] ?? '', /^text\/html; ?charset=utf-8$/i);
    },
  },
  {
    name: 'titles and URLs are escaped',
    async run({ frame, around }) {
      const { text } = await frame.document(page(hostile), { ...around, url: `/?q=${hostile}` });
      assert.ok(!text.includes('<script>alert'));
    },
  },
  {
    name: 'the policy allows no inline script and no frame, and forms lead only where the page says',
    async run({ frame, around }) {
      const { headers } = await frame.document(
        new HtmlPage({ title: '', main: html``, formsLeadTo: ['https://app.example/back'] }),
        around,
      );
      const policy = (headers['content-security-policy'] ?? '').split('; ');
      for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self' https://app.example"])
        assert.ok(policy.includes(part), part);
      assert.ok(!policy.some((part) => part.includes("'unsafe-inline'") || part.includes("'unsafe-eval'")));
    },
  },
];
