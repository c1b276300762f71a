import type { IncomingMessage } from 'node:http';
import pLimit from 'p-limit';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time.ts';
import { decode, JSON_TYPE, readBytes, typeInUtf8, typeOf } from './body.ts';
import { parseStrictJsonInTurns } from './strict-json.ts';
import { yamlToJson } from './yaml.ts';

const LARGEST_DOCUMENT = 32 * 1024 * 1024;
/** Documents that are parsed at once. */
const MOST_AT_ONCE = 2;

const YAML_TYPE = typeInUtf8('(?:application|text)/(?:x-)?yaml');

/** Reads bodies that are whole documents, as JSON or YAML, up to 32 MB; their routes take turns. */
export class DocumentReader {
  readonly #clock: Clock;
  readonly #limit = pLimit(MOST_AT_ONCE);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The parsed document. Throws as `readBody` does. */
  async read(request: IncomingMessage): Promise<unknown> {
    const isYaml = YAML_TYPE.test(typeOf(request));
    const bytes = await readBytes(request, LARGEST_DOCUMENT);
    if (!isYaml && !JSON_TYPE.test(typeOf(request))) {
      throw new AppError('INVALID_INPUT', 'Content-Type must be application/json or application/yaml');
    }
    const text = decode(request, bytes);
    return this.#limit(async () => {
      return parseStrictJsonInTurns(isYaml ? await yamlToJson(text, this.#clock) : text);
    });
  }
}
