import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time.ts';
import { decode, JSON_TYPE, readBytes, refuseEncoding } from './body.ts';
import { parseStrictJsonInTurns } from './strict-json.ts';
import { yamlToJson } from './yaml.ts';

export const LARGEST_DOCUMENT = 32 * 1024 * 1024;

/** Documents that are held in memory at once, and requests that wait for their turn; one beyond that is asked to come again. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 50;

const YAML_TYPE = /^(?:application|text)\/(?:x-)?yaml\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

/** Reads the bodies of the routes that take a whole document, as JSON or YAML, up to 32 MB. */
export class DocumentReader {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #reading = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The parsed document. Throws INVALID_INPUT, BAD_REQUEST, JSON_PARSE_ERROR as for any body, and SERVICE_UNAVAILABLE. */
  async read(request: IncomingMessage): Promise<unknown> {
    await this.#turn();
    try {
      return await this.#read(request);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#reading -= 1;
      else next();
    }
  }

  async #turn(): Promise<void> {
    if (this.#reading < MOST_AT_ONCE) {
      this.#reading += 1;
      return;
    }
    if (this.#waiting.length >= MOST_WAITING) throw new AppError('SERVICE_UNAVAILABLE', 'Other documents are being read; try again in a moment');
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #read(request: IncomingMessage): Promise<unknown> {
    const type = request.headers['content-type'] ?? '';
    const isYaml = YAML_TYPE.test(type);
    const bytes = await readBytes(request, LARGEST_DOCUMENT);
    if (!isYaml && !JSON_TYPE.test(type)) throw new AppError('INVALID_INPUT', 'Content-Type must be application/json or application/yaml');
    refuseEncoding(request);
    const text = decode(bytes);
    return await parseStrictJsonInTurns(isYaml ? await yamlToJson(text, this.#clock) : text);
  }
}
