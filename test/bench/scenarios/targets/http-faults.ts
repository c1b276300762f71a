import { page, shows, type Responder } from './web-site.ts';

const SENT_BYTES = 100;
const DRIP_INTERVAL_MS = 500;
export const LATE_MS = 5000;

export function status(code: number): Responder {
  return (_request, response) => void response.writeHead(code).end();
}

/** Announces the whole page, and closes after its first bytes. */
export const partial: Responder = (_request, response) => {
  const body = Buffer.from(page());
  response.writeHead(200, { 'content-length': body.length, connection: 'close' });
  response.write(body.subarray(0, SENT_BYTES), () => response.socket?.end());
};

/** Announces the whole page, and stalls after its first bytes. */
export const stalledBody: Responder = (_request, response) => {
  const body = Buffer.from(page());
  response.writeHead(200, { 'content-length': body.length });
  response.write(body.subarray(0, SENT_BYTES));
};

export const noResponse: Responder = () => undefined;

/** An endless head, a byte at a time: data keeps arriving, so only a total timeout detects it. */
export const endlessHead: Responder = (_request, response) => {
  const { socket } = response;
  socket?.write('HTTP/1.1 200 OK\r\nx-padding: ');
  const drip = setInterval(() => socket?.write('a'), DRIP_INTERVAL_MS);
  socket?.once('close', () => clearInterval(drip));
};

export const late: Responder = (request, response) => {
  setTimeout(() => shows(page())(request, response), LATE_MS);
};

/** Two URLs that redirect to each other. */
export const redirectLoop: Responder = (request, response) => {
  const [path, query] = (request.url ?? '').split('?');
  response.writeHead(302, { location: query === 'again' ? path : `${path}?again` }).end();
};

/** Redirects `hops` times, then serves a valid page. */
export function redirectChain(hops: number): Responder {
  return (request, response) => {
    const [path, query = '0'] = (request.url ?? '').split('?');
    const hop = Number(query);
    if (hop >= hops) shows(page())(request, response);
    else response.writeHead(302, { location: `${path}?${hop + 1}` }).end();
  };
}
