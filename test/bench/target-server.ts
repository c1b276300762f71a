import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { issue } from '../unit/probe/checks/certificates.ts';
import { dnsResponse } from './dns-response.ts';

/**
 * A minimal target. Responds to every request with 200 and closes, in plain text and over TLS 1.3 with a P-256
 * certificate and its intermediate authority; responds to DNS queries over UDP. Prints its ports and the root
 * certificate.
 */
const RESPONSE_BYTES = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok');
const count = { http: 0, https: 0, dns: 0 };
/** HTTP requests by the number in the path. */
const runs: number[] = [];

const plain = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (bytes) => {
    count.http += 1;
    const at = numberIn(bytes);
    runs[at] = (runs[at] ?? 0) + 1;
    // A path with `/hang` gets no response, to test whether other checks stay on time.
    if (!bytes.includes('/hang')) socket.end(RESPONSE_BYTES);
  });
});

const root = issue({ name: 'bench root', isAuthority: true });
const authority = issue({ name: 'bench authority', isAuthority: true, by: root });
const own = issue({ name: 'bench', addresses: ['127.0.0.1'], by: authority });
const secured = createTlsServer(
  { key: own.key, cert: own.cert + authority.cert, minVersion: 'TLSv1.3' },
  (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      count.https += 1;
      socket.end(RESPONSE_BYTES);
    });
  },
);

const dnsSocket = createSocket('udp4', (question, from) => {
  count.dns += 1;
  dnsSocket.send(dnsResponse(question), from.port, from.address);
});

/** Of a request `GET /<number> …`; 0 without one. */
function numberIn(request: Buffer): number {
  let number = 0;
  for (let at = 5; at < request.length; at += 1) {
    const digit = (request[at] as number) - 48;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  return number;
}

const portOf = ({ port }: { port: number }): number => port;
plain.listen(0, '127.0.0.1', () => secured.listen(0, '127.0.0.1', () => dnsSocket.bind(0, '127.0.0.1', () => {
  const ports = {
    http: portOf(plain.address() as { port: number }), https: portOf(secured.address() as { port: number }),
    dns: portOf(dnsSocket.address()),
  };
  process.stdout.write(`${JSON.stringify({ ports, ca: root.cert })}\n`);
})));
process.on('message', () => process.send?.({ ...count, runs: Array.from(runs, (each) => each ?? 0) }));
process.on('disconnect', () => process.exit(0));
