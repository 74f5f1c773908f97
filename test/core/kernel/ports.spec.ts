// The declaration of ports: said again it changes nothing, said otherwise it is refused.
import t from 'tap';
import { declaredPorts, declarePort } from '#core/kernel/ports';

declare module '#core/kernel/ports' {
  interface OptionalPorts {
    DeclaredTwice: object;
  }
}

void t.test('two plugins may each bring the package that declares a port, but not mean different things', async (t) => {
  const traits = { arity: 'optional', component: 'sample', critical: false, absent: 'degraded' } as const;
  declarePort('DeclaredTwice', traits);
  declarePort('DeclaredTwice', { ...traits });
  t.strictSame(declaredPorts().get('DeclaredTwice'), traits);
  t.throws(() => declarePort('DeclaredTwice', { ...traits, critical: true }), {
    message: 'port "DeclaredTwice" is declared already, and otherwise',
  });
});
