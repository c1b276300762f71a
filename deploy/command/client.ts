import { z } from 'zod';
import { ConfigError, readEnvironment, type Environment } from '../../shared/environment.ts';
import { setting } from '../../shared/setting.ts';
import { CommandError, EXIT } from './command.ts';

/** Of a response's headers, ms. A check of a slow target takes up to a minute. */
const TIMEOUT_MS = 90_000;

const variables = z.object({
  FARWATCH_URL: setting.url('http', 'https').default('http://127.0.0.1:3000'),
  FARWATCH_API_KEY: z.string({ error: 'must be set, or FARWATCH_API_KEY_FILE' }),
});

/** For `--help` of commands that call the API. */
export const CLIENT_HELP = `
Environment:
  FARWATCH_URL           address of the installation (default: http://127.0.0.1:3000)
  FARWATCH_API_KEY       an API key; or FARWATCH_API_KEY_FILE, a file with it`;

/** The API of the installation that FARWATCH_URL and FARWATCH_API_KEY name. @throws ConfigError */
export function clientOf(env: Environment): Client {
  const { values, problems } = readEnvironment(variables, env, ['FARWATCH_API_KEY']);
  if (values === null) throw new ConfigError(problems);
  return new Client(values.FARWATCH_URL.replace(/\/+$/, ''), values.FARWATCH_API_KEY);
}

interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export class Client {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Resolves to `data` of the response. @throws CommandError with the API's message */
  async call<Data>(path: string, call: Call = {}): Promise<Data> {
    const response = await this.send(path, call);
    const text = await response.text().catch((error: Error) => {
      throw new CommandError(`${this.#url} stopped responding: ${causeOf(error)}`, EXIT.unavailable);
    });
    const { data } = parsed(text) as { data?: Data };
    if (data === undefined) throw new CommandError(strangeResponse(this.#url, response), EXIT.unavailable);
    return data;
  }

  /** Resolves to a successful response, whose body is unread. */
  async send(path: string, { method = 'GET', body, headers, signal }: Call = {}): Promise<Response> {
    const aborter = new AbortController();
    const timer = setTimeout(() => aborter.abort(new Error('no response')), TIMEOUT_MS);
    const response = await fetch(`${this.#url}${path}`, {
      method, body: body === undefined ? null : JSON.stringify(body),
      headers: {
        'X-API-Key': this.#key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers,
      },
      signal: signal === undefined ? aborter.signal : AbortSignal.any([aborter.signal, signal]),
    }).catch((error: Error) => {
      throw new CommandError(`${this.#url} cannot be reached: ${causeOf(error)}`, EXIT.unavailable);
    }).finally(() => clearTimeout(timer));
    if (!response.ok) throw await refusalOf(response, this.#url);
    return response;
  }
}

/** What fetch fails with is in the cause. */
function causeOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  return cause.message || String((cause as NodeJS.ErrnoException).code ?? message);
}

async function refusalOf(response: Response, url: string): Promise<CommandError> {
  const text = await response.text().catch(() => '');
  const { error } = parsed(text) as { error?: { message?: unknown } };
  if (typeof error?.message !== 'string') return new CommandError(strangeResponse(url, response), EXIT.unavailable);
  return new CommandError(error.message.replaceAll('\n', ' '), exitCodeOf(response.status));
}

function exitCodeOf(status: number): number {
  if (status === 409) return EXIT.failed;
  return status >= 500 || status === 429 ? EXIT.unavailable : EXIT.refused;
}

function strangeResponse(url: string, { status }: Response): string {
  return `${url} responded with ${status}, but not as Farwatch does; is it the right address?`;
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
