import { z } from 'zod';
import { ConfigError, readEnvironment, type Environment } from '../../shared/environment.ts';
import { setting } from '../../shared/setting.ts';
import { CommandError, EXIT } from './command.ts';

/** Of a response's headers, ms. A check of a slow target takes up to a minute. */
const TIMEOUT_MS = 90_000;

const variables = z.object({
  FARWATCH_URL: setting.url('http', 'https').default('http://127.0.0.1:3000'),
  FARWATCH_API_KEY: setting.text().min(1, 'must be set, or FARWATCH_API_KEY_FILE'),
});

/** For `--help` of commands that call the API. */
export const CLIENT_HELP = `
Environment:
  FARWATCH_URL           address of the installation (default: http://127.0.0.1:3000)
  FARWATCH_API_KEY       an API key; or FARWATCH_API_KEY_FILE, a file with it`;

/** The API of the installation that FARWATCH_URL and FARWATCH_API_KEY name. @throws ConfigError */
export function clientOf(env: Environment): Client {
  const { values, problems } = readEnvironment(variables, { FARWATCH_API_KEY: '', ...env }, ['FARWATCH_API_KEY']);
  if (values === null) throw new ConfigError(problems);
  return new Client(values.FARWATCH_URL.replace(/\/+$/, ''), values.FARWATCH_API_KEY);
}

interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as JSON, or as it is if it is text. */
  body?: unknown;
  contentType?: string;
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
    const { data } = await response.json() as { data: Data };
    return data;
  }

  /** Resolves to a successful response, whose body is unread. */
  async send(path: string, { method = 'GET', body, contentType = 'application/json' }: Call = {}): Promise<Response> {
    const headers = { 'X-API-Key': this.#key, ...(body === undefined ? {} : { 'Content-Type': contentType }) };
    const aborter = new AbortController();
    const timer = setTimeout(() => aborter.abort(new Error('no answer')), TIMEOUT_MS);
    const response = await fetch(`${this.#url}${path}`, {
      method, headers, signal: aborter.signal,
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    }).catch((error: Error) => {
      throw new CommandError(`${this.#url} cannot be reached: ${causeOf(error)}`);
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

/** 400 and 404 are about what was given; anything else could not be done. */
async function refusalOf(response: Response, url: string): Promise<CommandError> {
  const text = await response.text().catch(() => '');
  const exitCode = response.status === 400 || response.status === 404 ? EXIT.refused : EXIT.failed;
  return new CommandError(messageIn(text) ?? `${url} answered ${response.status}; is it the address of Farwatch?`, exitCode);
}

function messageIn(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message.replaceAll('\n', ' ') : null;
  } catch {
    return null;
  }
}
