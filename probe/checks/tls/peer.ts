import { createHash, type X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, type ConnectionOptions, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { TlsFacts } from '../../../shared/contracts/result.ts';
import type { SealedFacts } from '../check.ts';
import { certificateFacts, certificateProblem } from './certificate.ts';

const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
/** A certificate of that size has thousands of names, bytes. */
const LARGE_BYTES = 16_384;

/**
 * The peer of a TLS connection. Its certificate is parsed only when somebody asks what it says: parsing costs
 * more than the rest of a check, and most certificates are those of the check before.
 */
export class TlsPeer implements SealedFacts {
  /** OpenSSL's or Node's code for why the certificate does not verify; null when it does. */
  readonly problem: string | null;
  readonly #protocol: string;
  readonly #host: string;
  readonly #certificate: X509Certificate | null;
  /** Of a large certificate, which is let go at once. */
  readonly #early: { seal: number; facts: TlsFacts } | null = null;

  /** `host`: the name or address that the certificate must be for. */
  constructor(socket: TLSSocket, host: string, certificate: X509Certificate | null) {
    this.problem = codeOf(socket.authorizationError);
    this.#protocol = socket.getProtocol() ?? '';
    this.#host = host;
    this.#certificate = certificate;
    if (certificate === null || certificate.raw.length < LARGE_BYTES) return;
    this.#early = { seal: this.seal, facts: this.facts() };
    this.#certificate = null;
  }

  get wasLarge(): boolean {
    return this.#early !== null;
  }

  /** 48 bits of a hash of the certificate, the protocol and the problem. */
  get seal(): number {
    if (this.#early) return this.#early.seal;
    const hash = createHash('sha256').update(`${this.#protocol} ${this.problem} `);
    if (this.#certificate) hash.update(this.#certificate.raw);
    return hash.digest().readUIntBE(0, 6);
  }

  /** What is wrong with the certificate, as a sentence; null when it verifies. */
  get complaint(): string | null {
    if (this.problem === null) return null;
    return certificateProblem(this.problem, this.#host, this.facts().expires_at);
  }

  /** What a result says of the connection and its certificate. */
  facts(): TlsFacts {
    if (this.#early) return this.#early.facts;
    const facts = certificateFacts(this.#certificate);
    const { problem: code } = this;
    const problem = code === null
      ? null
      : { code: code.slice(0, 64), message: certificateProblem(code, this.#host, facts.expires_at) };
    return { valid: code === null, protocol: this.#protocol.slice(0, 16), problem, ...facts };
  }
}

/**
 * Opens a TLS connection as `tls.connect` does, and never refuses a certificate: `onSecured` is told of the
 * peer, and the caller decides. `host`: the name or address that the certificate must be for.
 */
export function connectSecured(
  options: ConnectionOptions, host: string, onSecured: (peer: TlsPeer) => void,
): TLSSocket {
  let certificate: X509Certificate | null = null;
  // Once only: in Node 20, each call takes a certificate off the chain.
  const read = (): X509Certificate | null => (certificate ??= socket.getPeerX509Certificate() ?? null);
  const socket = connect({
    ...options, rejectUnauthorized: false, checkServerIdentity: () => nameProblem(read(), host),
  });
  // For the hook above, Node parses the whole chain. That is not used here, and costs ten times the rest.
  socket.getPeerCertificate = () => ({}) as PeerCertificate & { issuerCertificate: never };
  socket.on('secureConnect', () => {
    const peer = new TlsPeer(socket, host, read());
    certificate = null;
    if (peer.wasLarge) collectNow();
    onSecured(peer);
  });
  return socket;
}

/**
 * OpenSSL keeps a megabyte for a certificate with 10,000 names until V8 collects the object that stands for
 * it, which looks small to V8: it may find no reason for a minute. Probes run with `--expose-gc`.
 */
function collectNow(): void {
  void globalThis.gc?.({ type: 'minor', execution: 'sync' });
}

/** As `tls.checkServerIdentity`, which parses all names of the certificate, decides. */
function nameProblem(certificate: X509Certificate | null, host: string): Error | undefined {
  return certificate !== null && isFor(certificate, host)
    ? undefined
    : Object.assign(new Error('The certificate is for another name'), { code: OTHER_NAME });
}

function isFor(certificate: X509Certificate, host: string): boolean {
  try {
    const found = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host.replace(/\.$/, ''));
    return found !== undefined;
  } catch {
    return false;
  }
}

/** Node's types say Error; it is the code when the verification had one. */
function codeOf(problem: unknown): string | null {
  if (!problem) return null;
  if (problem instanceof Error) return (problem as NodeJS.ErrnoException).code ?? problem.message;
  return String(problem);
}
