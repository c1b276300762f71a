import type { IncomingMessage } from 'node:http';
import PQueue from 'p-queue';
import type { Clock } from '../../../shared/time.ts';
import { AppError } from '../../errors/app-error.ts';
import {
  contentTypeOf, decode, JSON_TYPE, receiveBytes, refuseEncoded, typeInUtf8, type WholeBody,
} from './body.ts';
import type { DocumentMemory } from './document-memory.ts';
import { parseStrictJsonInTurns } from './strict-json.ts';
import { yamlToJson } from './yaml.ts';

const MEGABYTE = 1024 * 1024;
const LIMITS = {
  document: { maxBytes: 32 * MEGABYTE, status: 400 },
  file: {
    maxBytes: 64 * MEGABYTE, status: 413,
    hint: '. Remove the history of results from a copy of the file, and send that',
  },
};
const MAX_CONCURRENT_PARSES = 2;

const YAML_TYPE = typeInUtf8('(?:application|text)/(?:x-)?yaml');

/** A received body whose parsing may wait in the queue. */
export interface ReceivedBody {
  parse(): Promise<unknown>;
  /** Must be called, even after an error. */
  release(): void;
}

/**
 * Reads bodies that are whole documents, as JSON or YAML, up to 32 MB, or whole files, up to 64 MB. Their
 * routes are queued.
 */
export class DocumentReader {
  readonly #clock: Clock;
  readonly #memory: DocumentMemory;
  readonly #parses = new PQueue({ concurrency: MAX_CONCURRENT_PARSES });

  constructor(clock: Clock, memory: DocumentMemory) {
    this.#clock = clock;
    this.#memory = memory;
  }

  /**
   * Receives a document, or a file, which `parse` returns as its bytes. Throws as `readBody` does, and so
   * does `parse`.
   */
  async receive(request: IncomingMessage, format: WholeBody, caller: string): Promise<ReceivedBody> {
    const parts = this.#memory.reserve(caller);
    const release = () => this.#memory.release(parts);
    try {
      await receiveBytes(request, this.#clock, parts, LIMITS[format]);
    } catch (error) {
      release();
      throw error;
    }
    const parse = format === 'file' ? bytesOf : this.#parse.bind(this);
    return { parse: async () => parse(request, parts.join()).finally(release), release };
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

async function bytesOf(request: IncomingMessage, bytes: Buffer): Promise<Uint8Array> {
  refuseEncoded(request);
  if (/^multipart\//i.test(contentTypeOf(request))) {
    throw new AppError('INVALID_INPUT', 'Send the file itself as the body, not a form');
  }
  return bytes;
}
