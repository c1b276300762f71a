import { request, type Dispatcher } from 'undici';
import { until } from './until.ts';

/** A user of a running installation, over real HTTP. */
export class ApiSession {
  readonly #url: string;
  #token: string | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** Registers, by default as the operator, or logs in if the account exists. */
  async begin(email = 'operator@example.com'): Promise<this> {
    const account = { email, password: 'correct horse battery' };
    const registered = await this.call('POST', '/api/auth/register', { ...account, name: 'Operator' });
    const { data } =
      registered.status === 201 ? registered : await this.call('POST', '/api/auth/login', account);
    this.#token = String(data?.['token']);
    return this;
  }

  /** Uses an existing token. */
  as(token: string): this {
    this.#token = token;
    return this;
  }

  /** The same session on the installation's current address. */
  at(url: string): ApiSession {
    const session = new ApiSession(url);
    session.#token = this.#token;
    return session;
  }

  async call(method: string, path: string, body?: unknown): Promise<{
    status: number;
    data: Record<string, never> | undefined;
    error?: { code: string; message: string };
  }> {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (this.#token !== null) headers['authorization'] = `Bearer ${this.#token}`;
    // Not `fetch`, which takes twice as long.
    const response = await request(this.#url + path, {
      method: method as Dispatcher.HttpMethod, headers, body: body === undefined ? null : JSON.stringify(body),
    });
    const payload =
      (await response.body.json()) as { data?: Record<string, never>; error?: { code: string; message: string } };
    return { status: response.statusCode, data: payload.data, ...(payload.error ? { error: payload.error } : {}) };
  }

  /** `data` of a call that must succeed; reads retry if the controller is busy. */
  async ok<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    let response = await this.call(method, path, body);
    if (method === 'GET' && response.status === 503) {
      response = await until(async () => {
        const again = await this.call(method, path);
        return again.status !== 503 && again;
      }, { what: `a response to ${path}` });
    }
    const { status, data, error } = response;
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${error?.code} ${error?.message}`);
    return data as T;
  }
}
