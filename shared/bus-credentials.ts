import { readFileSync } from 'node:fs';
import { credsAuthenticator, nkeyAuthenticator, type Authenticator, type ConnectionOptions } from 'nats';
import { natsUrls } from './nats-connection.ts';

/**
 * Credentials from the file, else from the first of the servers in `url`. `credsFile` holds a .creds document
 * or an nkey seed (`SU…`) and is read on each connect, so that rotation needs no restart. Throws if it holds
 * neither.
 */
export function readBusCredentials(
  url: string, credsFile: string | null,
): Pick<ConnectionOptions, 'authenticator' | 'user' | 'pass'> {
  if (credsFile) {
    authenticatorOf(credsFile);
    return { authenticator: (nonce) => authenticatorOf(credsFile)(nonce) };
  }
  const [first] = natsUrls(url);
  if (!first?.username) return {};
  return { user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) };
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
