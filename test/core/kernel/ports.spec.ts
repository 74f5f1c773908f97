// The declaration of ports: repeating it has no effect, a different one is rejected.
import t from 'tap';
import { declaredPorts, declarePort } from '#core/kernel/ports';

declare module '#core/kernel/ports' {
  interface OptionalPorts {
    DeclaredTwice: object;
  }
}

void t.test('two plugins may each declare a port, but only with the same traits', async (t) => {
  const traits = { arity: 'optional', component: 'sample', critical: false, absent: 'degraded' } as const;
  declarePort('DeclaredTwice', traits);
  declarePort('DeclaredTwice', { ...traits });
  t.strictSame(declaredPorts().get('DeclaredTwice'), traits);
  t.throws(() => declarePort('DeclaredTwice', { ...traits, critical: true }), {
    message: 'port "DeclaredTwice" is declared already, and otherwise',
  });
});
