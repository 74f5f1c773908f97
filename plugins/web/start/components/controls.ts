// Examples of controls and forms.
import { html, type RefusedForm } from 'hexforge/plugin';
import * as ui from '../../ui/index.ts';
import { bidiName, longText, together, type Examples } from './example.ts';

const choices = [
  { value: 'one', label: 'One' },
  { value: 'two', label: 'Two' },
];
const manyChoices = Array.from({ length: 101 }, (_, index) => ({
  value: String(index),
  label: `Choice ${String(index)}`,
}));

/** A refusal because of this field. */
const refusedBecause = (field: string, typed = ''): RefusedForm => ({
  form: 'example',
  error: 'The request is not valid',
  detail: `Field "${field}" is required`,
  field,
  values: { [field]: typed },
});

type Names =
  | 'button'
  | 'linkButton'
  | 'confirmButton'
  | 'signInButton'
  | 'typedConfirmation'
  | 'typedDeletion'
  | 'copyField'
  | 'commentForm'
  | 'commentEdit'
  | 'commentDeletion'
  | 'notice'
  | 'field'
  | 'textArea'
  | 'select'
  | 'checkBox'
  | 'picks'
  | 'formError'
  | 'done'
  | 'shownValues'
  | 'filterBar'
  | 'searchField'
  | 'searchBox'
  | 'filterChoice'
  | 'listLinks';

const here = '/-/ui';
const long = { label: longText, hint: longText };

export const controls: Examples<Names> = {
  button: {
    'three kinds': together(
      ui.button('Plain'),
      ui.button('Primary', { kind: 'primary' }),
      ui.button('Danger', { kind: 'danger' }),
    ),
    'with a key': ui.button('Comment', { key: 'r' }),
    'a long label': ui.button(longText),
  },
  linkButton: {
    'three kinds': together(
      ui.linkButton('Plain', here),
      ui.linkButton('Primary', here, { kind: 'primary' }),
      ui.linkButton('Danger', here, { kind: 'danger' }),
    ),
    'with a key': ui.linkButton('Edit', here, { key: 'e' }),
  },
  signInButton: { 'for signed-out readers': ui.signInButton('Sign in to comment', here) },
  confirmButton: {
    closed: ui.confirmButton('Revoke', { action: here, about: 'It cannot be undone.', confirm: 'Revoke it' }),
  },
  typedConfirmation: {
    closed: ui.typedConfirmation('Delete…', {
      form: 'example-deletion',
      action: here,
      name: 'confirm',
      asks: 'Type the name to delete it',
      typed: 'ada/site',
      refused: undefined,
    }),
    refused: ui.typedConfirmation('Delete…', {
      form: 'example',
      action: here,
      name: 'confirmation',
      asks: 'Type the name to delete it',
      typed: 'ada/site',
      refused: refusedBecause('confirmation', 'ada/other'),
    }),
  },
  typedDeletion: {
    closed: ui.typedDeletion({
      form: 'example-group',
      action: here,
      noun: 'example',
      about: 'It cannot be restored.',
      typed: 'its name',
      refused: undefined,
    }),
  },
  commentForm: { empty: ui.commentForm({ form: 'example', action: here, refused: undefined }) },
  commentEdit: {
    filled: ui.commentEdit({ form: 'example-edit', action: here, value: longText, cancel: here, refused: undefined }),
  },
  commentDeletion: { closed: ui.commentDeletion(here) },
  copyField: {
    'a line': ui.copyField({ id: 'copy-line', label: 'Clone URL', value: 'https://forge.example/ada/engine.git' }),
    'a secret': ui.copyField({
      id: 'copy-secret',
      label: 'Token',
      value: 'svc_example',
      hint: 'It is not shown again.',
    }),
    'several lines': ui.copyField({ id: 'copy-lines', label: 'Commands', value: 'git add .\ngit commit' }),
    'a long text': ui.copyField({ id: 'copy-long', label: 'Long', value: longText }),
  },
  notice: { short: ui.notice('It is suspended.'), 'a long text': ui.notice(longText, true) },
  field: {
    empty: ui.field({ label: 'Title', name: 'empty', hint: 'One line', placeholder: 'A title', required: true }),
    filled: ui.field({ label: 'Owner', name: 'filled', value: bidiName, suggestions: ['ada', 'bo'] }),
    refused: ui.field({ label: 'Title', name: 'title', hint: 'One line', refused: refusedBecause('title', 'Typed') }),
    'a long text': ui.field({ ...long, name: 'long', value: longText }),
    'other types': together(
      ui.field({ label: 'Day', name: 'day', type: 'date', value: '2026-01-31' }),
      ui.field({ label: 'Password', name: 'password', type: 'password', autocomplete: 'off' }),
    ),
  },
  textArea: {
    empty: ui.textArea({ label: 'About', name: 'about', rows: 3 }),
    refused: ui.textArea({ label: 'Text', name: 'text', rows: 3, refused: refusedBecause('text', 'What was typed') }),
  },
  select: {
    chosen: ui.select({ label: 'Choice', name: 'choice', value: 'two', choices, hint: 'One of two' }),
    refused: ui.select({ label: 'Kind', name: 'kind', choices, refused: refusedBecause('kind', 'one') }),
    'a long choice': ui.select({ label: 'Long', name: 'long-choice', choices: [{ value: '', label: longText }] }),
  },
  checkBox: {
    'not ticked': ui.checkBox({ label: 'Allow force pushes', name: 'force' }),
    ticked: ui.checkBox({ label: 'Tick', name: 'tick', value: true, hint: 'With a hint' }),
    refused: ui.checkBox({ label: 'Agree', name: 'agree', refused: refusedBecause('agree') }),
    'a long label': ui.checkBox({ ...long, name: 'long-tick' }),
  },
  picks: {
    chosen: ui.picks({ label: 'Several', name: 'several', values: ['two'], choices }),
    'nothing to choose from': ui.picks({ label: 'None', name: 'none', values: [], choices: [] }),
    'more than fit': ui.picks({ label: 'Many', name: 'many', values: ['3'], choices: manyChoices }),
    refused: ui.picks({ label: 'Roles', name: 'roles', values: [], choices, refused: refusedBecause('roles') }),
    'a name': ui.picks({ label: 'People', name: 'people', values: [], choices: [{ value: 'a', label: bidiName }] }),
  },
  formError: { refused: ui.formError(refusedBecause('another'), 'example', 'title') },
  done: { shown: ui.done('It is saved.') },
  shownValues: {
    hidden: [ui.shownValues({ title: 'The first one', about: '' }), html`<p class="quiet">Not visible</p>`],
  },
  filterBar: {
    'with fields and an end': ui.filterBar(
      here,
      [ui.searchField('Search', 'q', ''), ui.filterChoice('Sort', 'sort', 'two', choices)],
      ui.linkButton('New', here, { kind: 'primary' }),
    ),
  },
  searchField: { empty: ui.searchField('Search issues', 'q2', ''), filled: ui.searchField('Search', 'q3', longText) },
  listLinks: {
    'one is current': ui.listLinks('State of the example', [
      { title: '2 open', href: here, current: true },
      { title: '3 closed', href: '/-/keys', current: false },
    ]),
  },
  searchBox: {
    empty: ui.searchBox({ label: 'Search bells', action: here }),
    'with a text and a button': ui.searchBox({ label: 'Search towers', action: here, value: 'South', button: true }),
    long: ui.searchBox({ label: longText, action: here, value: longText }),
  },
  filterChoice: { chosen: ui.filterChoice('State', 'state', 'one', choices) },
};
