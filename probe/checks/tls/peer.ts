import { createHash } from 'node:crypto';
import { connect, type ConnectionOptions, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { TlsFacts } from '../../../shared/contracts/result.ts';
import type { LazyTlsFacts } from '../check.ts';
import { certificateFacts, certificateProblem } from './certificate.ts';
import { readCertificate, shownCertificate } from './shown-certificate.ts';
import type { TlsContext } from './trust.ts';

const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';

/** A certificate as bytes, and their SHA-256 as a text. */
interface ShownCertificate {
  der: Uint8Array;
  fingerprint: string;
}

/**
 * The peer of a TLS connection. Its certificate is parsed only when somebody asks what it says: parsing costs
 * more than the rest of a check, and most certificates are those of the check before.
 */
export class TlsPeer implements LazyTlsFacts {
  /** OpenSSL's or Node's code for why the certificate does not verify; null when it does. */
  readonly problem: string | null;
  readonly #protocol: string;
  readonly #host: string;
  readonly #shown: ShownCertificate | null;

  /** `host`: the name or address that the certificate must be for. */
  constructor(socket: TLSSocket, host: string, shown: ShownCertificate | null) {
    this.problem = codeOf(socket.authorizationError);
    this.#protocol = socket.getProtocol() ?? '';
    this.#host = host;
    this.#shown = shown;
  }

  /** 48 bits of a hash of the certificate, the protocol and the problem. */
  get hash(): number {
    const text = `${this.#protocol} ${this.problem} ${this.#shown?.fingerprint}`;
    return createHash('sha256').update(text).digest().readUIntBE(0, 6);
  }

  /** What is wrong with the certificate, as a sentence; null when it verifies. */
  get problemMessage(): string | null {
    if (this.problem === null) return null;
    return certificateProblem(this.problem, this.#host, this.facts().expires_at);
  }

  /** What a result says of the connection and its certificate. */
  facts(): TlsFacts {
    const facts = this.#shown ? readCertificate(this.#shown.der, certificateFacts) : certificateFacts(null);
    const { problem: code } = this;
    const problem = code === null
      ? null
      : { code: code.slice(0, 64), message: certificateProblem(code, this.#host, facts.expires_at) };
    return { valid: code === null, protocol: this.#protocol.slice(0, 16), problem, ...facts };
  }
}

type Options = Omit<ConnectionOptions, 'secureContext'> & { context: TlsContext };

/**
 * Opens a TLS connection as `tls.connect` does, and never refuses a certificate: `onSecured` is told of the
 * peer, and the caller decides. `host`: the name or address that the certificate must be for.
 */
export function connectSecured(
  { context, ...options }: Options, host: string, onSecured: (peer: TlsPeer) => void,
): TLSSocket {
  let shown: ShownCertificate | null = null;
  const read = (): ShownCertificate | null => (shown ??= shownBy(socket));
  const socket = connect({
    ...options, secureContext: context.secure, rejectUnauthorized: false, checkServerIdentity: () => {
      const certificate = read();
      if (certificate && context.names.isFor(host, certificate.der, certificate.fingerprint)) {
        return undefined;
      }
      return Object.assign(new Error('The certificate is for another name'), { code: OTHER_NAME });
    },
  });
  // For the hook above, Node parses the whole chain. That is not used here, and costs ten times the rest.
  socket.getPeerCertificate = () => ({}) as PeerCertificate & { issuerCertificate: never };
  socket.on('secureConnect', () => onSecured(new TlsPeer(socket, host, read())));
  return socket;
}

function shownBy(socket: TLSSocket): ShownCertificate | null {
  const der = shownCertificate(socket);
  return der && { der, fingerprint: createHash('sha256').update(der).digest('base64') };
}

/** Node's types say Error; it is the code when the verification had one. */
function codeOf(problem: unknown): string | null {
  if (!problem) return null;
  if (problem instanceof Error) return (problem as NodeJS.ErrnoException).code ?? problem.message;
  return String(problem);
}
