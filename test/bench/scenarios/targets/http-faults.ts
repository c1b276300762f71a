import { page, shows, type Answer } from './web-site.ts';

const SENT_BYTES = 100;
const DRIP_EVERY_MS = 500;
export const LATE_MS = 5000;

export function status(code: number): Answer {
  return (_request, response) => void response.writeHead(code).end();
}

/** Promises the whole page, and closes after its first bytes. */
export const partial: Answer = (_request, response) => {
  const body = Buffer.from(page());
  response.writeHead(200, { 'content-length': body.length, connection: 'close' });
  response.write(body.subarray(0, SENT_BYTES), () => response.socket?.end());
};

/** Promises the whole page, and falls silent after its first bytes. */
export const stalledBody: Answer = (_request, response) => {
  const body = Buffer.from(page());
  response.writeHead(200, { 'content-length': body.length });
  response.write(body.subarray(0, SENT_BYTES));
};

export const noAnswer: Answer = () => undefined;

/** A head that never ends, a byte at a time: something always arrives, so only the total time tells. */
export const endlessHead: Answer = (_request, response) => {
  const { socket } = response;
  socket?.write('HTTP/1.1 200 OK\r\nx-padding: ');
  const drip = setInterval(() => socket?.write('a'), DRIP_EVERY_MS);
  socket?.once('close', () => clearInterval(drip));
};

export const late: Answer = (request, response) => {
  setTimeout(() => shows(page())(request, response), LATE_MS);
};

/** Two addresses that lead to each other. */
export const redirectLoop: Answer = (request, response) => {
  const [path, query] = (request.url ?? '').split('?');
  response.writeHead(302, { location: query === 'again' ? path : `${path}?again` }).end();
};

/** Leads on `hops` times, and then to a sound page. */
export function redirectChain(hops: number): Answer {
  return (request, response) => {
    const [path, query = '0'] = (request.url ?? '').split('?');
    const passed = Number(query);
    if (passed >= hops) shows(page())(request, response);
    else response.writeHead(302, { location: `${path}?${passed + 1}` }).end();
  };
}
