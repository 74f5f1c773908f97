// Tests of query plans for the audit log: no list scans all entries, for any filter. HEXFORGE_TEST_ENTRIES is the
// number of entries, 20,000 by default.
import { strict as assert } from 'node:assert';
import t from 'tap';
import { databaseDoor } from '#test/support/servers/database-door';
import { startTestForge } from '#test/support/forge';
import { onDatabase } from '#test/support/marks';
import { planned, rowsRead } from '#test/support/plans';
import { statementRecorder } from '#test/support/statements';

const log = '/api/v1/admin/audit-log';
const count = Number(process.env['HEXFORGE_TEST_ENTRIES'] ?? 20_000);
const piece = 5000;

void onDatabase(t).test('no list of the audit log scans the table', { timeout: 600_000 }, async (t) => {
  const recorded = statementRecorder();
  const { definition, run } = databaseDoor();
  const forge = await startTestForge(t, { definitions: [definition] });
  const admin = await forge.administrator();
  // One entry every ten seconds from the beginning of 2026.
  for (let from = 0; from < count; from += piece)
    await run(
      `insert into audit_entry (actor_username, action, resource, ip, user_agent, details, at)
      select 'user' || n % 100, (array['token.', 'user.', 'setting.', 'repository.'])[1 + n % 4] || n % 10, 'thing:' || n % 500,
        '192.0.2.1', 'test', jsonb_build_object('text', repeat(md5(n::text), 4)),
        timestamptz '2026-01-01' + n * interval '10 seconds'
      from generate_series($1::int, $2::int) n`,
      [from, Math.min(from + piece, count) - 1],
    );
  // Updates the stored count as the hourly job would.
  await run('update audit_count set (through, entries, last) = (select max(id), count(*), max(id) from audit_entry)');
  await run('analyze audit_entry');
  const asked = async (query: string): Promise<{ readonly total: number }> => {
    const answer = await admin.get(`${log}${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body as { readonly total: number };
  };

  t.ok((await asked('')).total > count);
  t.equal((await asked('?from=2026-01-01&to=2026-01-01')).total, 8640);
  t.equal((await asked('?actor=USER7&action=repository.&from=2026-01-01&to=2026-01-02')).total, 173);
  for (const query of [
    '',
    '?page=3',
    '?actor=user7',
    '?actor=nobody',
    '?action=token.7',
    '?action=zzz',
    '?from=2026-01-01T10:00:00Z&to=2026-01-01T11:00:00Z',
    '?to=2026-01-01T00:10:00Z',
    '?to=1999-01-01',
    '?from=9999-01-01',
    '?actor=user7&action=token.',
    '?actor=user7&from=2026-01-01T10:00:00Z&to=2026-01-01T11:00:00Z',
  ])
    await planned(run, ['audit_entry'])(t, query, await recorded(() => asked(query)));

  // 1000 entries, the oldest: from either end, the planner expects to find one of them soon.
  for (const statement of await recorded(() => asked('?to=2026-01-01T02:46:30Z'))) {
    const read = await rowsRead(run, statement, 'audit_entry');
    t.ok(read < 3000, `a list of old entries reads ${read}: ${statement.sql.slice(0, 60)}`);
  }
});
