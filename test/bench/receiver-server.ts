import { createServer } from 'node:http';

/**
 * Receives alerts on every loopback address, so that each destination can have its own, and records arrival times.
 * Prints its port.
 */
interface ReceivedAlert {
  path: string;
  /** The monitor's name, if the body is an alert. */
  name: string;
  startedAt: number;
  /** Unix ms with fraction. */
  at: number;
}

let received: ReceivedAlert[] = [];

const server = createServer((request, response) => {
  const at = performance.timeOrigin + performance.now();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('error', () => undefined);
  request.on('end', () => {
    const { monitor, incident } = JSON.parse(
      Buffer.concat(chunks).toString(),
    ) as { monitor: { name: string }; incident: { started_at: number } };
    const path = request.url ?? '';
    received.push({ path, name: monitor.name, startedAt: incident.started_at, at });
    if (!path.startsWith('/hang')) response.writeHead(204).end();
  });
});
server.listen(
  0, '0.0.0.0', 4096,
  () => process.stdout.write(`${JSON.stringify({ port: (server.address() as { port: number }).port })}\n`),
);
process.on('message', (message) => {
  process.send?.({ received });
  if (message === 'take') received = [];
});
process.on('disconnect', () => process.exit(0));
