// `node prepare-nats.mjs EXAMPLE DIRECTORY`, for compose.yaml: makes the keys of a cluster of three NATS
// servers once. Writes `nats.conf`, from deploy/examples/nats.conf, and `nats.creds`, the seeds for
// NATS_CREDS.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** Of nkeys: the kind of key is its first letter, and a seed begins with S and that letter. */
const SEED = 18 << 3;
const KINDS = { user: 20 << 3, account: 0 };
const SERVERS = ['nats', 'nats-2', 'nats-3'];

const [example, dir] = process.argv.slice(2);
const [config, credentials] = [join(dir, 'nats.conf'), join(dir, 'nats.creds')];
if (!existsSync(credentials) || !existsSync(config)) {
  const [user, account] = [newKey(KINDS.user), newKey(KINDS.account)];
  const text = readFileSync(example, 'utf8')
    .replaceAll('CONTROLLER_USER_KEY', user.publicKey)
    .replaceAll('ISSUER_ACCOUNT_KEY', account.publicKey)
    .replace('"/var/lib/nats"', '"/data"');
  write(config, `${text}${cluster(randomBytes(24).toString('hex'))}`);
  write(credentials, `${user.seed}\n${account.seed}\n`);
}

function cluster(password) {
  const routes = SERVERS.map((name) => `"nats://route:${password}@${name}:6222"`).join(', ');
  return `server_name: $SERVER_NAME
cluster {
  name: farwatch, listen: "0.0.0.0:6222"
  authorization { user: route, password: "${password}" }
  routes: [${routes}]
}
`;
}

function newKey(kind) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = (key, part) => Buffer.from(key.export({ format: 'jwk' })[part], 'base64url');
  return {
    publicKey: encode([kind, ...raw(publicKey, 'x')]),
    seed: encode([SEED | kind >> 5, (kind & 31) << 3, ...raw(privateKey, 'd')]),
  };
}

/** Base32 of the bytes and their CRC-16 (XMODEM), low byte first. */
function encode(bytes) {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
  }
  const bits = [...bytes, crc & 255, crc >> 8].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.match(/.{1,5}/g).map((part) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[parseInt(part.padEnd(5, '0'), 2)]).join('');
}

/** Nobody sees a part of it. */
function write(path, text) {
  writeFileSync(`${path}.draft`, text, { mode: 0o600 });
  renameSync(`${path}.draft`, path);
}
