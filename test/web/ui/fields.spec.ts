// Tests how fields of forms show the form that was refused.
import t from 'tap';
import type { Html } from '#adapters/http/descriptor/html';
import type { RefusedForm } from '#host/plugin/pages';
import {
  checkBox,
  confirmButton,
  field,
  formError,
  picks,
  refusedIn,
  select,
  textArea,
  typedConfirmation,
} from '#plugins/web/ui/index';

const refusal = (detail: string | undefined, values: RefusedForm['values'] = {}): RefusedForm => ({
  form: 'bellRing',
  error: 'The bell does not ring',
  detail,
  field: 'times',
  values,
});
const choices = [
  { value: 'one', label: 'One' },
  { value: 'two', label: 'Two' },
];
const refused = refusal('Field "times" must be at most 12', { times: ['two'] });
const common = { label: 'Times', name: 'times', refused };

const text = (html: Html | false): string => (html === false ? '' : html.text.replaceAll(/\s+/g, ' '));
const messageOf = (detail: string | undefined): string | undefined =>
  /id="times-error">([^<]*)</.exec(text(field({ ...common, refused: refusal(detail) })))?.[1];

void t.test('each control shows the error of its member, and refers to it', async (t) => {
  const many = Array.from({ length: 101 }, (_, index) => ({ value: String(index), label: String(index) }));
  for (const [name, control] of [
    ['field', field(common)],
    ['text area', textArea(common)],
    ['selection', select({ ...common, choices })],
    ['box', checkBox(common)],
    ['boxes', picks({ ...common, values: [], choices })],
    ['many boxes', picks({ ...common, values: [], choices: many })],
  ] as const) {
    const html = text(control);
    t.match(html, /<(?:input|textarea|select)[^>]*aria-invalid="true"/, name);
    t.match(html, /aria-describedby="times-error"/, name);
    t.equal(html.match(/id="times-error">Times must be at most 12</g)?.length, 1, name);
  }
  t.match(text(picks({ ...common, values: ['one'], choices })), /value="two" aria-invalid="true" checked/);
  t.match(
    text(checkBox({ ...common, hint: 'A hint' })),
    /aria-describedby="times-hint times-error"[^]*id="times-hint">A hint/,
  );
});

void t.test('another control shows nothing', async (t) => {
  const other = { ...common, name: 'tower' };
  for (const control of [field(other), checkBox(other), picks({ ...other, values: [], choices })])
    t.notMatch(text(control), /error|aria-/);
  t.equal(refusedIn(refused, 'bellMelt'), undefined);
  t.equal(refusedIn(refused, 'bellRing'), refused);
});

void t.test('the message does not name the member', async (t) => {
  for (const [detail, shown] of [
    ['Field "times" is required', 'Times is required'],
    ['"times" must be at most 12', 'Times must be at most 12'],
    ['"times": the bell has rung', 'The bell has rung'],
    ['"times": "99" is too often', '&quot;99&quot; is too often'],
    ['"times": "99"', 'The bell does not ring'],
    ['"times" and "tower" are the same', 'The bell does not ring'],
    ['"times"', 'The bell does not ring'],
    ['A bell is broken', 'A bell is broken'],
    [undefined, 'The bell does not ring'],
  ] as const)
    t.equal(messageOf(detail), shown, detail ?? 'no detail');
  const long = field({ ...common, label: 'The bell rings so many times' });
  t.match(text(long), />Must be at most 12</, 'a long label is no subject');
});

void t.test('an error about no field is above the form', async (t) => {
  const about = { ...refusal('The tower is closed'), field: undefined };
  t.match(
    text(formError(about, 'bellRing', 'times')),
    /role="alert"><b>The bell does not ring<\/b> The tower is closed/,
  );
  t.equal(formError(about, 'bellMelt'), false);
  t.equal(formError(refused, 'bellRing', 'times'), false);
});

void t.test('a confirmation is closed until it is refused', async (t) => {
  const asked = text(
    confirmButton('Melt', {
      action: '/melt',
      fields: { bell: '"1' },
      about: 'The bell is gone.',
      confirm: 'Melt the bell',
    }),
  );
  t.match(asked, /<details class="disclosure" > <summary class="button">Melt<\/summary>/);
  t.match(asked, /name="bell" value="&quot;1"[^]*The bell is gone\.[^]*button danger"[^]*Melt the bell/);
  const deletion = (form?: RefusedForm): string =>
    text(
      typedConfirmation('Delete', {
        form: 'bellRing',
        action: '/delete',
        name: 'times',
        asks: 'Type the name of the bell',
        typed: 'Great Tom',
        refused: form,
      }),
    );
  t.match(deletion(), /<details class="disclosure" >[^]*placeholder="Great Tom"/);
  t.match(deletion(refused), /<details class="disclosure" open>[^]*id="bellRing-error">Must be at most 12/);
  t.match(deletion({ ...refused, form: 'bellMelt' }), /<details class="disclosure" >/);
});
