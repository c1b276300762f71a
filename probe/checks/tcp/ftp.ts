import { response, send, type Dialogue } from './dialogue.ts';

/** FTP (RFC 959; AUTH TLS: RFC 4217). Over TLS, the response to QUIT proves that the service continues. */
export function* ftp(useAuthTls: boolean): Dialogue {
  yield* response('the greeting', 220);
  if (!useAuthTls) return 'QUIT\r\n';
  yield* send('AUTH TLS');
  yield* response('the reply to AUTH TLS', 234, 'tls');
  yield { kind: 'secure' };
  yield* send('QUIT');
  yield* response('the reply to QUIT', 221);
  return '';
}
