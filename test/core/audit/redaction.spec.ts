// Redaction of the details of audit entries.
import t from 'tap';
import { cleanText, redact } from '#core/audit/redaction';

const token = `svc_${'a'.repeat(36)}`;

void t.test('redaction', async (t) => {
  await t.test('masks members that are secrets by name, at any depth, and no others', async (t) => {
    t.strictSame(
      redact({
        password: 'x',
        new_password: 'x',
        client_secret: 'x',
        access_token: 'x',
        nested: [{ apiKey: 'x', cookie: 'x' }],
        token_id: 'id',
        username: 'ada',
        tokens_revoked: 2,
        expires_at: null,
      }),
      {
        password: '[redacted]',
        new_password: '[redacted]',
        client_secret: '[redacted]',
        access_token: '[redacted]',
        nested: [{ apiKey: '[redacted]', cookie: '[redacted]' }],
        token_id: 'id',
        username: 'ada',
        tokens_revoked: 2,
        expires_at: null,
      },
    );
  });

  await t.test('masks tokens anywhere in a text', async (t) => {
    t.strictSame(
      redact({
        note: `use ${token} or svc_oat_${'b'.repeat(36)} or svc_rt_${'c'.repeat(40)}`,
        jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
      }),
      { note: 'use [redacted] or [redacted] or [redacted]', jwt: '[redacted]' },
    );
    t.strictSame(
      [
        'a.eyJhbGci.eyJzdWIi.c2ln.b, x-eyJhbGci.eyJzdWIi.c2ln.eyJhbGci.eyJzdWIi.',
        'eyJ.a.b eyJhbGci eyJhbGci.eyJzdWIi heyJhbGci.a.b',
      ].map((text) => cleanText(text, 200)),
      ['a.[redacted].b, x-[redacted].[redacted]', 'eyJ.a.b eyJhbGci eyJhbGci.eyJzdWIi heyJhbGci.a.b'],
    );
  });

  await t.test('the result is plain JSON, bounded, and without NUL', async (t) => {
    const deep: Record<string, unknown> = {};
    let at = deep;
    for (let level = 0; level < 20; level += 1) at = at['in'] = {};
    t.equal(JSON.stringify(redact(deep)), '{"in":{"in":{"in":{"in":{"in":{"in":{"in":"[redacted]"}}}}}}}');
    t.strictSame(redact({ at: new Date(0), gone: undefined, big: 1n, nul: 'a\0b' }), {
      at: '1970-01-01T00:00:00.000Z',
      big: '1',
      nul: 'ab',
    });
    t.equal(cleanText('x'.repeat(100), 10).length, 10);
  });
});
