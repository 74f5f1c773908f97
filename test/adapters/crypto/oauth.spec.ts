// Signatures of ID tokens: the private key is parsed only when it changes, and never signs for another key.
import { importJWK, jwtVerify } from 'jose';
import t from 'tap';
import { rsaSigner } from '#adapters/crypto/oauth';

void t.test('keys used alternately each sign only for themselves', async (t) => {
  const keys = await Promise.all(['one', 'two'].map((kid) => rsaSigner.generate(kid)));
  for (const turn of [0, 1, 1, 0]) {
    const [key, other] = [keys[turn], keys[1 - turn]];
    if (key === undefined || other === undefined) throw new Error('no key');
    const { kid } = key.publicJwk;
    // A copy, because a private key is unsealed into new bytes for each signature.
    const token = await rsaSigner.sign({ kid, privateKey: key.privateKey.slice() }, { turn });
    const { payload, protectedHeader } = await jwtVerify(token, await importJWK({ ...key.publicJwk }, 'RS256'));
    t.strictSame({ payload, kid: protectedHeader.kid }, { payload: { turn }, kid });
    await t.rejects(
      jwtVerify(token, await importJWK({ ...other.publicJwk }, 'RS256')),
      'does not verify with the other key',
    );
  }
});
