import { connect, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';

const TIMEOUT_MS = 6000;

export interface CertificateFacts {
  /** Unix ms. */
  validFrom: number;
  validTo: number;
  /** Why the certificate is not for the host; null if it is. */
  wrongName: string | null;
  /** OpenSSL's code for why its issuer is not trusted; null if it is. */
  untrusted: string | null;
}

interface TlsServer {
  host: string;
  port: number;
  /** A NATS server introduces itself before TLS begins. */
  isNats: boolean;
}

/** Codes for what dates and names already say. */
const SAID_OTHERWISE = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID']);

/** Rejects if there is no TLS connection. */
export async function readCertificate({ host, port, isNats }: TlsServer): Promise<CertificateFacts> {
  const socket = connect({ host, port });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
  try {
    await once(socket, isNats ? 'data' : 'connect');
    const secure = connectTls({
      socket, rejectUnauthorized: false, ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    await once(secure, 'secureConnect');
    return factsOf(secure, host);
  } finally {
    socket.destroy();
  }
}

function once(socket: Socket, event: 'data' | 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve()).once('error', reject)
      .once('close', () => reject(new Error('the server closed the connection')));
  });
}

function factsOf(secure: TLSSocket, host: string): CertificateFacts {
  const certificate = secure.getPeerCertificate();
  const { authorizationError } = secure as { authorizationError?: Error | string | null };
  const code = typeof authorizationError === 'object' && authorizationError !== null
    ? (authorizationError as NodeJS.ErrnoException).code ?? authorizationError.message : authorizationError;
  return {
    validFrom: Date.parse(certificate.valid_from), validTo: Date.parse(certificate.valid_to),
    wrongName: checkServerIdentity(host, certificate)?.message ?? null,
    untrusted: code && !SAID_OTHERWISE.has(code) ? code : null,
  };
}
