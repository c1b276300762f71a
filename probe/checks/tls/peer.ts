import { createHash } from 'node:crypto';
import { connect, type ConnectionOptions, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { TlsFacts } from '../../../shared/contracts/result.ts';
import type { LazyTlsFacts } from '../check.ts';
import { certificateFacts, certificateProblem } from './certificate.ts';
import { readCertificate, shownCertificate } from './shown-certificate.ts';
import type { TlsContext } from './trust.ts';

const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';

/** A certificate's bytes and their SHA-256 as text. */
interface ShownCertificate {
  der: Uint8Array;
  fingerprint: string;
}

/**
 * The peer of a TLS connection. Its certificate is parsed on demand: parsing costs more than the rest of a
 * check, and most certificates are the same as in the previous check.
 */
export class TlsPeer implements LazyTlsFacts {
  /** The OpenSSL or Node code of the verification failure; null if verified. */
  readonly problem: string | null;
  readonly #protocol: string;
  readonly #host: string;
  readonly #shown: ShownCertificate | null;

  /** `host` is the name or address that the certificate must match. */
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

  /** The verification failure as a sentence; null if verified. */
  get problemMessage(): string | null {
    if (this.problem === null) return null;
    return certificateProblem(this.problem, this.#host, this.facts().expires_at);
  }

  /** TLS facts for a result. */
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
 * Opens a TLS connection like `tls.connect` but accepts any certificate: `onSecured` gets the peer, and the
 * caller decides. `host` is the name or address that the certificate must match.
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
  // Node would parse the whole chain for the hook above. It isn't used here and costs ten times the rest.
  socket.getPeerCertificate = () => ({}) as PeerCertificate & { issuerCertificate: never };
  socket.on('secureConnect', () => onSecured(new TlsPeer(socket, host, read())));
  return socket;
}

function shownBy(socket: TLSSocket): ShownCertificate | null {
  const der = shownCertificate(socket);
  return der && { der, fingerprint: createHash('sha256').update(der).digest('base64') };
}

/** Typed as Error, but it is the code if verification produced one. */
function codeOf(problem: unknown): string | null {
  if (!problem) return null;
  if (problem instanceof Error) return (problem as NodeJS.ErrnoException).code ?? problem.message;
  return String(problem);
}
