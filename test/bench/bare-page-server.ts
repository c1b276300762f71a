import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Bare `node:http`: the parent sends the response and gets the port. */
process.once('message', ({ headers, body: text }: { headers: string[]; body: string }) => {
  const body = Buffer.from(text, 'base64');
  // Node adds these itself, as it does for the page.
  const added = ['date', 'connection', 'keep-alive'];
  const own = headers.flatMap((name, at) =>
    (at % 2 === 0 && !added.includes(name.toLowerCase()) ? [name, headers[at + 1] ?? ''] : []));
  const server = createServer((_request, response) => {
    response.writeHead(200, own);
    response.end(body);
  });
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
});
