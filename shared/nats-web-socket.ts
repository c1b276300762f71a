import type { Socket } from 'node:net';
import { NodeTransport } from 'nats/lib/src/node_transport.js';
import { createWebSocketStream, WebSocket } from 'ws';
import { proxyOptions, type ProxyVariables } from './http-proxy.ts';
import { endpointOf } from './net-guard.ts';

const HANDSHAKE_TIMEOUT_MS = 5000;
const MAX_FRAME_BYTES = 65_536;

/** In addition to the options of nats.js. */
interface WebSocketOptions {
  /** Servers that are reached by WebSocket, among others. */
  webSocketUrls?: readonly URL[];
  proxies?: ProxyVariables;
}

const { dial } = NodeTransport.prototype;

/** nats.js 2.29 has no option for another kind of connection. */
NodeTransport.prototype.dial = function openSocket(this: NodeTransport, server): Promise<Socket> {
  const { webSocketUrls = [], proxies = {} } = this.options as WebSocketOptions;
  const url = webSocketUrls.find((each) => {
    const { host, port } = endpointOf(each);
    return host === server.hostname && port === server.port;
  });
  return url === undefined ? dial.call(this, server) : openWebSocket(url, proxies);
};

/** The WebSocket as a stream of the bytes in its frames. Rejects if it doesn't open. */
async function openWebSocket(url: URL, proxies: ProxyVariables): Promise<Socket> {
  const options = { perMessageDeflate: false, handshakeTimeout: HANDSHAKE_TIMEOUT_MS };
  const webSocket = new WebSocket(url, { ...options, ...proxyOptions(url, proxies) } as typeof options);
  // Before it opens: the first frame may arrive with the response to the handshake.
  const stream = createWebSocketStream(webSocket);
  stream._write = (bytes: Buffer, _encoding, done) => sendInFrames(webSocket, bytes, done);
  await new Promise<void>((resolve, reject) => {
    stream.once('error', reject);
    webSocket.once('open', () => {
      stream.off('error', reject);
      resolve();
    });
  });
  // nats.js removes the listeners with which the stream ends itself.
  webSocket.once('close', () => stream.destroy());
  return stream as unknown as Socket;
}

/** nats.js writes several messages at once, together longer than a frame may be. */
function sendInFrames(webSocket: WebSocket, bytes: Buffer, done: (error?: Error | null) => void): void {
  let at = 0;
  for (; at + MAX_FRAME_BYTES < bytes.length; at += MAX_FRAME_BYTES) {
    webSocket.send(bytes.subarray(at, at + MAX_FRAME_BYTES));
  }
  webSocket.send(bytes.subarray(at), done);
}
