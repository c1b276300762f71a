import type { IncomingMessage } from 'node:http';
import PQueue from 'p-queue';
import type { Clock } from '../../../shared/time.ts';
import { AppError } from '../../errors/app-error.ts';
import { decode, JSON_TYPE, receiveBytes, typeInUtf8, contentTypeOf } from './body.ts';
import type { DocumentMemory } from './document-memory.ts';
import { parseStrictJsonInTurns } from './strict-json.ts';
import { yamlToJson } from './yaml.ts';

const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
const MAX_CONCURRENT_PARSES = 2;

const YAML_TYPE = typeInUtf8('(?:application|text)/(?:x-)?yaml');

/** A received body whose parsing may wait in the queue. */
export interface ReceivedBody {
  parse(): Promise<unknown>;
  /** Must be called, even after an error. */
  release(): void;
}

/** Reads bodies that are whole documents, as JSON or YAML, up to 32 MB. Their routes are queued. */
export class DocumentReader {
  readonly #clock: Clock;
  readonly #memory: DocumentMemory;
  readonly #parses = new PQueue({ concurrency: MAX_CONCURRENT_PARSES });

  constructor(clock: Clock, memory: DocumentMemory) {
    this.#clock = clock;
    this.#memory = memory;
  }

  /** Receives a document. Throws as `readBody` does, and so does `parse`. */
  async receive(request: IncomingMessage, caller: string): Promise<ReceivedBody> {
    const parts = this.#memory.reserve(caller);
    const release = () => this.#memory.release(parts);
    try {
      await receiveBytes(request, this.#clock, parts, MAX_DOCUMENT_BYTES);
    } catch (error) {
      release();
      throw error;
    }
    return { parse: async () => this.#parse(request, parts.join()).finally(release), release };
  }

  async #parse(request: IncomingMessage, bytes: Buffer): Promise<unknown> {
    const isYaml = YAML_TYPE.test(contentTypeOf(request));
    if (!isYaml && !JSON_TYPE.test(contentTypeOf(request))) {
      throw new AppError('INVALID_INPUT', 'Content-Type must be application/json or application/yaml');
    }
    const text = decode(request, bytes);
    return this.#parses.add(async () => {
      return parseStrictJsonInTurns(isYaml ? await yamlToJson(text, this.#clock) : text);
    });
  }
}
