import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { connect } from 'nats';
import { expect, onTestFinished, test } from 'vitest';
import { serverOptions } from '../../../shared/nats-connection.ts';

/** Of RFC 6455, 4.2.2. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

function frameOf(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x82, text.length]), Buffer.from(text)]);
}

test('a server may send its first frame along with the response to the handshake', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.once('data', (request) => {
      const [, key = ''] = /sec-websocket-key: (.*)\r/i.exec(request.toString()) ?? [];
      const accept = createHash('sha1').update(key + GUID).digest('base64');
      const response = [
        'HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade',
        `Sec-WebSocket-Accept: ${accept}`, '', '',
      ].join('\r\n');
      socket.write(Buffer.concat([Buffer.from(response), frameOf('INFO {"version":"2.12.0","max_payload":1048576}\r\n')]));
      socket.on('data', () => socket.write(frameOf('PONG\r\n')));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const connection = await connect({
    ...await serverOptions(`ws://127.0.0.1:${port}/api/bus`), reconnect: false,
  });
  expect(connection.info?.max_payload).toBe(1_048_576);
  await connection.close();
});
