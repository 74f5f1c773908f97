// The page that shows every component in all its states.
import { html, HtmlPage, type Html, type RefusedForm } from 'hexforge/plugin';
import { formError } from '../../ui/index.ts';
import { controls } from './controls.ts';
import { diffs } from './diffs.ts';
import { others, type Component, type Examples, type States } from './example.ts';
import { things } from './things.ts';

const shown = ([name, states]: readonly [string, States]): Html =>
  html`<section class="component" id="ui-${name}">
    <h2><code>${name}</code></h2>
    ${Object.entries(states).map(
      ([state, example]) =>
        html`<p class="quiet">${state}</p>
          <div class="state">${example}</div>`,
    )}
  </section>`;

export async function componentsPage(now: Date, url: string, refused: RefusedForm | undefined): Promise<HtmlPage> {
  const all: Examples<Component> = { ...controls, ...things(now, url), ...(await diffs(now)) };
  return new HtmlPage({
    title: 'Components',
    width: 'wide',
    main: html`<h1>Components</h1>
      ${formError(refused, 'webTheme')}
      <p class="muted">The functions of <code>hexforge/ui</code>, each in its states.</p>
      ${Object.entries(all).map(shown)}
      <section>
        <h2>Functions without HTML</h2>
        <ul>
          ${Object.entries(others).map(([name, does]) => html`<li id="ui-${name}"><code>${name}</code>: ${does}</li>`)}
        </ul>
      </section>`,
  });
}
