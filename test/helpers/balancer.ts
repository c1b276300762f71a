import {
  createServer, get, request as send, type ClientRequest, type IncomingMessage, type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

const HEALTH_CHECK_INTERVAL_MS = 250;
const HEALTH_CHECK_TIMEOUT_MS = 4000;

/** A server behind the balancer, and its pending requests. */
interface Upstream {
  port: number;
  isOut: boolean;
  inProgress: Set<ClientRequest>;
}

export interface Balancer {
  url: string;
  close(): Promise<void>;
}

/**
 * One address for several servers. Each request goes to the next one with a 200 from `GET /readyz`, or simply to the
 * next if there is none. Requests pending at a server that stops responding are aborted; GETs are retried at another.
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const upstreams = ports.map((port): Upstream => ({ port, isOut: false, inProgress: new Set() }));
  let turn = 0;
  const next = (): Upstream => {
    const fit = upstreams.filter(({ isOut }) => !isOut);
    const among = fit.length > 0 ? fit : upstreams;
    return among[(turn += 1) % among.length] as Upstream;
  };
  const forward = (request: IncomingMessage, response: ServerResponse, attempt: number): void => {
    const { port, inProgress } = next();
    const { method, url: path, headers } = request;
    const onward = send({ host: '127.0.0.1', port, method, path, headers, agent: false }, (upstreamResponse) => {
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
      response.flushHeaders();
      upstreamResponse.pipe(response);
      upstreamResponse.on('close', () => (upstreamResponse.complete ? undefined : response.destroy()));
    });
    inProgress.add(onward);
    onward.on('close', () => inProgress.delete(onward)).on('error', () => {
      const mayRepeat = method === 'GET' && !response.headersSent && !response.destroyed;
      if (mayRepeat && attempt < upstreams.length) forward(request, response, attempt + 1);
      else response.destroy();
    });
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  };
  const server = createServer((request, response) => forward(request, response, 1));
  const checkHealth = (upstream: Upstream): void => {
    const { port, inProgress } = upstream;
    const markOut = (): void => {
      upstream.isOut = true;
      for (const one of inProgress) one.destroy();
    };
    const healthCheck = get({ host: '127.0.0.1', port, path: '/readyz', agent: false, timeout: HEALTH_CHECK_TIMEOUT_MS });
    healthCheck.on('response', (response) => {
      response.resume();
      upstream.isOut = response.statusCode !== 200;
    });
    healthCheck.on('timeout', () => healthCheck.destroy()).on('error', markOut);
  };
  const timer = setInterval(() => upstreams.forEach(checkHealth), HEALTH_CHECK_INTERVAL_MS);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
