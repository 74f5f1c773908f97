// A process that inspects the provider at the address in its argument, because Node reads certificates at its start.
import { underTest, providerAt } from './sign-ins.ts';

const [, , address = ''] = process.argv;
const steps = await underTest().client.inspect(providerAt(address));
process.stdout.write(JSON.stringify(steps));
