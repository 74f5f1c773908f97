// The budgets of document D, "Rate limits".
import t from 'tap';
import { rateBudgets } from '#core/limits/use-cases';

const anonymous = { isAdmin: false };
const general = { userId: 'u', isAdmin: false };
const admin = { userId: 'u', isAdmin: true };

void t.test('rate budgets', async (t) => {
  await t.test('are those of document D, in fixed windows of 60 s', async (t) => {
    const budgets = rateBudgets({ enabled: true });
    const table = [
      [anonymous, [300, 30, 30, 0]],
      [general, [3000, 600, 120, 600]],
      [admin, [12000, 3000, 600, 3000]],
    ] as const;
    for (const [caller, limits] of table) {
      for (const [index, meter] of (['api.read', 'api.write', 'api.expensive', 'mcp.tool_call'] as const).entries()) {
        t.strictSame(
          await budgets.budget(meter, caller),
          { limit: limits[index], windowSeconds: 60, window: 'fixed' },
          `${JSON.stringify(caller)} ${meter}`,
        );
      }
    }
  });

  await t.test('switched off, nobody is limited', async (t) => {
    t.equal(await rateBudgets({ enabled: false }).budget('api.read', anonymous), undefined);
  });
});
