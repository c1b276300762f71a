import { z } from 'zod';
import { readEnvironment, type Environment } from '../../shared/environment.ts';
import { parsedUrl } from '../../shared/net-guard.ts';
import { CommandError } from './command.ts';
import { printable } from './output.ts';

/** Smaller offsets of the clock come from network delay and the header's whole seconds. */
const MIN_CLOCK_OFFSET_MS = 5000;
/** Of a response's headers, ms. A check of a slow target takes up to a minute. */
const TIMEOUT_MS = 90_000;

const isAddress = (text: string) => {
  const url = parsedUrl(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
};

const variables = z.object({
  FARWATCH_URL: z.string().default('http://127.0.0.1:3000').refine(
    isAddress, 'must be an address that starts with https:// or http://, without user name and password',
  ),
  FARWATCH_API_KEY: z.string({ error: 'must be set, or FARWATCH_API_KEY_FILE' })
    .regex(/^[\x21-\x7e]+$/, 'must be one line without spaces'),
});

/** For `--help` of commands that call the API. */
export const CLIENT_HELP = `
Environment:
  FARWATCH_URL           address of the installation (default: http://127.0.0.1:3000)
  FARWATCH_API_KEY       an API key; or FARWATCH_API_KEY_FILE, a file with it`;

/** The API of the installation that FARWATCH_URL and FARWATCH_API_KEY name. @throws CommandError */
export function clientOf(env: Environment): Client {
  // An address may contain a password by mistake, so neither of them is printed.
  const { values, problems } = readEnvironment(variables, env, ['FARWATCH_API_KEY', 'FARWATCH_URL']);
  if (values === null) throw new CommandError(problems.join('; '));
  const { origin, pathname } = new URL(values.FARWATCH_URL);
  return new Client(`${origin}${pathname.replace(/\/+$/, '')}`, values.FARWATCH_API_KEY);
}

/** The installation does not respond now; it may do so later. */
export class Unavailable extends CommandError {}

/** The API has refused a request. */
export class ApiError extends CommandError {}

interface Call {
  method?: 'GET' | 'POST' | 'PATCH';
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export class Client {
  readonly #url: string;
  readonly #key: string;
  #clockOffsetMs = 0;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** By the clock of the installation, as of its latest response; Unix ms. */
  now(): number {
    return Date.now() + this.#clockOffsetMs;
  }

  /** Resolves to `data` of the response. @throws ApiError, Unavailable */
  async call<Data>(path: string, call: Call = {}): Promise<Data> {
    const response = await this.send(path, call);
    const text = await response.text().catch((error: Error) => {
      throw new Unavailable(`${this.#url} stopped responding: ${causeOf(error)}`);
    });
    const { data } = parsed(text) as { data?: Data };
    if (data === undefined) throw this.#strangeResponse(response);
    return data;
  }

  /** Resolves to a successful response, whose body is unread. @throws ApiError, Unavailable */
  async send(path: string, { method = 'GET', body, headers, signal }: Call = {}): Promise<Response> {
    const aborter = new AbortController();
    const timer = setTimeout(() => aborter.abort(new Error('no response')), TIMEOUT_MS);
    const response = await fetch(`${this.#url}${path}`, {
      method, body: body === undefined ? null : JSON.stringify(body),
      headers: {
        'X-API-Key': this.#key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers,
      },
      // A redirect would send the key to another host.
      redirect: 'manual',
      signal: signal === undefined ? aborter.signal : AbortSignal.any([aborter.signal, signal]),
    }).catch((error: Error) => {
      throw new Unavailable(`${this.#url} cannot be reached: ${causeOf(error)}`);
    }).finally(() => clearTimeout(timer));
    const offsetMs = Date.parse(response.headers.get('date') ?? '') - Date.now();
    this.#clockOffsetMs = Math.abs(offsetMs) >= MIN_CLOCK_OFFSET_MS ? offsetMs : 0;
    if (!response.ok) throw await this.#refusalOf(response);
    return response;
  }

  async #refusalOf(response: Response): Promise<CommandError> {
    const text = await response.text().catch(() => '');
    const { error } = parsed(text) as { error?: { message?: unknown } };
    if (typeof error?.message !== 'string') return this.#strangeResponse(response);
    const message = printable(error.message).replaceAll(this.#key, '***');
    const { status } = response;
    return status >= 500 || status === 429 ? new Unavailable(message) : new ApiError(message);
  }

  #strangeResponse({ status, headers }: Response): Unavailable {
    const location = parsedUrl(headers.get('location') ?? '', this.#url);
    const response = status >= 300 && status < 400 && location !== null
      ? `redirects to ${location.origin}` : `responded with ${status}, but not as Farwatch does`;
    return new Unavailable(`${this.#url} ${response}; is it the right address?`);
  }
}

/** What fetch fails with is in the cause. */
function causeOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  return cause.message || String((cause as NodeJS.ErrnoException).code ?? message);
}

/** Empty if it is not a JSON object. */
function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
