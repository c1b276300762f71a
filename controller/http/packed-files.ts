import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { holdsTag, preferredEncoding, type Packed } from './packed-answer.ts';

const ENDINGS = { identity: '', gzip: '.gz', br: '.br' } as const;

const manifest = z.record(z.string(), z.object({
  type: z.string(), tag: z.string(),
  bytes: z.object({ identity: z.number(), gzip: z.number(), br: z.number() }),
}));

/** Files that a build has packed, read from the disk for each request: no memory is held for them. */
export class PackedFiles {
  readonly #folder: string;
  readonly #files: z.infer<typeof manifest>;

  private constructor(folder: string, files: z.infer<typeof manifest>) {
    this.#folder = folder;
    this.#files = files;
  }

  /** Null when nothing was built there. */
  static open(folder: string): PackedFiles | null {
    let text: string;
    try {
      text = readFileSync(join(folder, 'files.json'), 'utf8');
    } catch {
      return null;
    }
    return new PackedFiles(folder, manifest.parse(JSON.parse(text)));
  }

  /** The answer with this file; null when there is none. `headers`: all but those of the content. */
  find(name: string, headers: Record<string, string>): Packed | null {
    const file = Object.hasOwn(this.#files, name) ? this.#files[name] : undefined;
    if (file === undefined) return null;
    const reply: Packed['reply'] = async (request) => {
      const { 'accept-encoding': accepted, 'if-none-match': held } = request;
      const encoding = preferredEncoding(accepted);
      const tag = encoding === 'identity' ? `"${file.tag}"` : `"${file.tag}-${encoding}"`;
      const always = { ...headers, ETag: tag, Vary: 'Accept-Encoding', 'Content-Type': file.type };
      if (held !== undefined && holdsTag(held, tag)) {
        return { status: 304, headers: always, body: Buffer.alloc(0) };
      }
      const body = await readFile(join(this.#folder, `${name}${ENDINGS[encoding]}`));
      const coded: Record<string, string> = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
      const sent = { ...always, ...coded, 'Content-Length': String(body.length) };
      return { status: 200, headers: sent, body };
    };
    return { reply };
  }
}
