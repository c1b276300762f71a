import { createPublicKey, sign, verify } from 'node:crypto';
import 'nkeys.js';
import { getEd25519Helper, setEd25519Helper } from 'nkeys.js/lib/helper.js';
import { ed25519PrivateKey } from '../../controller/platform/bus/nkeys.ts';
import { ed25519Key } from '../../shared/nkey-signature.ts';

// nkeys.js takes 5 ms for each key and signature, a tenth of the CPU of tests with NATS. It sets a helper of its own first.
setEd25519Helper({
  ...getEd25519Helper(),
  fromSeed: (seed: Uint8Array) => {
    const { x = '' } = createPublicKey(ed25519PrivateKey(seed)).export({ format: 'jwk' });
    const bytes = Buffer.from(x, 'base64url');
    return { publicKey: bytes, secretKey: Buffer.concat([seed, bytes]) };
  },
  sign: (input: Uint8Array, secretKey: Uint8Array) => sign(null, input, ed25519PrivateKey(secretKey.subarray(0, 32))),
  verify: (input: Uint8Array, signature: Uint8Array, key: Uint8Array) => verify(null, input, ed25519Key(key), signature),
});
