// The key under which a client is counted.
import t from 'tap';
import { clientNetwork } from '#core/kernel/access/current-caller';

void t.test('an IPv6 client is counted by its /64, an IPv4 one by its address', async (t) => {
  for (const [address, key] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:1::5', '2001:db8:0:1::/64'],
    ['2001:0DB8:0000:0001:ffff:1:2:3', '2001:db8:0:1::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ] as const)
    t.equal(clientNetwork(address), key, address);
});
