import { createServer } from 'node:net';

/** A minimal target: answers every request with 200 and closes. Prints its port. */
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok');
let count = 0;

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (bytes) => {
    count += 1;
    // A path with `/hang` never answers, to see whether other checks stay on time.
    if (!bytes.includes('/hang')) socket.end(ANSWER);
  });
});
server.listen(
  0, '127.0.0.1',
  () => process.stdout.write(`${JSON.stringify({ port: (server.address() as { port: number }).port })}\n`),
);
process.on('message', () => process.send?.({ count }));
process.on('disconnect', () => process.exit(0));
