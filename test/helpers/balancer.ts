import {
  createServer, get, request as send, type ClientRequest, type IncomingMessage, type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

const ASK_EVERY_MS = 250;
const ANSWER_WITHIN_MS = 4000;

/** A server behind the address, and the requests that it has not answered. */
interface Upstream {
  port: number;
  isOut: boolean;
  underWay: Set<ClientRequest>;
}

export interface Balancer {
  url: string;
  close(): Promise<void>;
}

/**
 * One address for several servers: each request goes to the next one whose `GET /readyz` answers 200, or simply
 * to the next if none does. What waits for a server that does not answer it at all is broken off, and repeated at
 * another one if it is a GET.
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const upstreams = ports.map((port): Upstream => ({ port, isOut: false, underWay: new Set() }));
  let turn = 0;
  const next = (): Upstream => {
    const fit = upstreams.filter(({ isOut }) => !isOut);
    const among = fit.length > 0 ? fit : upstreams;
    return among[(turn += 1) % among.length] as Upstream;
  };
  const forward = (request: IncomingMessage, response: ServerResponse, attempt: number): void => {
    const { port, underWay } = next();
    const { method, url: path, headers } = request;
    const onward = send({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on('close', () => (answer.complete ? undefined : response.destroy()));
    });
    underWay.add(onward);
    onward.on('close', () => underWay.delete(onward)).on('error', () => {
      const mayRepeat = method === 'GET' && !response.headersSent && !response.destroyed;
      if (mayRepeat && attempt < upstreams.length) forward(request, response, attempt + 1);
      else response.destroy();
    });
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  };
  const server = createServer((request, response) => forward(request, response, 1));
  const ask = (upstream: Upstream): void => {
    const { port, underWay } = upstream;
    const gone = (): void => {
      upstream.isOut = true;
      for (const one of underWay) one.destroy();
    };
    const asking = get({ host: '127.0.0.1', port, path: '/readyz', agent: false, timeout: ANSWER_WITHIN_MS });
    asking.on('response', (answer) => {
      answer.resume();
      upstream.isOut = answer.statusCode !== 200;
    });
    asking.on('timeout', () => asking.destroy()).on('error', gone);
  };
  const asking = setInterval(() => upstreams.forEach(ask), ASK_EVERY_MS);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      clearInterval(asking);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
