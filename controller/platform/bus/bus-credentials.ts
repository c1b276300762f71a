import { readFileSync } from 'node:fs';
import { credsAuthenticator, nkeyAuthenticator, type Authenticator, type ConnectionOptions } from 'nats';

/**
 * Connection options for the servers in `url`, separated by commas. `credsFile` holds a .creds document or an
 * nkey seed (`SU…`) and is read on each connect, so that rotation needs no restart. Throws if it holds
 * neither.
 */
export function readBusCredentials(url: string, credsFile: string | null): ConnectionOptions {
  const urls = url.split(',').map((part) => new URL(part.trim()));
  const isTls = urls.some(({ protocol }) => protocol === 'tls:');
  // Undefined would use TLS if the server offers it, even on loopback, where no certificate matches.
  const options: ConnectionOptions = { servers: urls.map(({ host }) => host), tls: isTls ? {} : null };
  const [first] = urls;
  if (credsFile) {
    authenticatorOf(credsFile);
    options.authenticator = (nonce) => authenticatorOf(credsFile)(nonce);
  } else if (first?.username) {
    options.user = decodeURIComponent(first.username);
    options.pass = decodeURIComponent(first.password);
  }
  return options;
}

/** Seed (`SA…`) of the account key that servers with auth callout trust; null if the file has none. */
export function readCalloutIssuer(credsFile: string | null): string | null {
  if (!credsFile) return null;
  return /^\s*(SA[A-Z2-7]{56})\s*$/m.exec(readFileSync(credsFile, 'utf8'))?.[1] ?? null;
}

function authenticatorOf(credsFile: string): Authenticator {
  const text = readFileSync(credsFile, 'utf8');
  if (text.includes('BEGIN NATS USER JWT')) return credsAuthenticator(Buffer.from(text));
  const seed = /^\s*(SU[A-Z2-7]{56})\s*$/m.exec(text)?.[1];
  if (!seed) throw new Error(`${credsFile} holds neither NATS credentials nor an nkey seed`);
  return nkeyAuthenticator(Buffer.from(seed));
}
