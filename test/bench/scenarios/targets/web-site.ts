import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Responder = (request: IncomingMessage, response: ServerResponse) => void;

/** Text that only a valid page contains. */
export const CANARY = 'Open every day from nine';

/** A valid page with `extra` in its body. */
export function page(extra = ''): string {
  const dishes = Array.from({ length: 40 }, (_, at) => `<li>Dish number ${at + 1}</li>`).join('\n');
  return `<!doctype html>
<html><head><title>Harbour Café</title><script src="/menu.js"></script></head>
<body><h1>Harbour Café</h1><p>${CANARY}.</p>${extra}<ul>${dishes}</ul></body></html>`;
}

/** A site on all loopback addresses. Every path works until another response is set. */
export class WebSite {
  readonly #responders = new Map<string, Responder>();
  readonly #server: Server = createServer((request, response) => this.#respond(request, response));

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '0.0.0.0', resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string, host = '127.0.0.1'): string {
    return `http://${host}:${this.port}/${path}`;
  }

  /** Sets the response to requests for a path, with any query; null restores the valid page. */
  set(path: string, responder: Responder | null): void {
    if (responder) this.#responders.set(`/${path}`, responder);
    else this.#responders.delete(`/${path}`);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    response.on('error', () => undefined);
    const path = (request.url ?? '/').split('?', 1)[0] as string;
    (this.#responders.get(path) ?? sound)(request, response);
  }
}

const sound: Responder = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page());
};

/** Uses `responder` for requests that match `applies`, otherwise the valid page. */
export function onlyIf(applies: (request: IncomingMessage) => boolean, responder: Responder): Responder {
  return (request, response) => (applies(request) ? responder : sound)(request, response);
}

/** Responds with 200 and this body. */
export function shows(body: string): Responder {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
  };
}
