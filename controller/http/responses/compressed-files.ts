import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { matchesTag, preferredEncoding, type Compressed } from './compressed-response.ts';

const EXTENSIONS = { identity: '', gzip: '.gz', br: '.br' } as const;

const manifest = z.record(z.string(), z.object({
  type: z.string(), tag: z.string(),
  bytes: z.object({ identity: z.number(), gzip: z.number(), br: z.number() }),
}));

/** Files compressed at build time. Reads them from disk for each request and holds nothing in memory. */
export class CompressedFiles {
  readonly #folder: string;
  readonly #files: z.infer<typeof manifest>;

  private constructor(folder: string, files: z.infer<typeof manifest>) {
    this.#folder = folder;
    this.#files = files;
  }

  /** Null if `folder` has no build. */
  static open(folder: string): CompressedFiles | null {
    let text: string;
    try {
      text = readFileSync(join(folder, 'files.json'), 'utf8');
    } catch {
      return null;
    }
    return new CompressedFiles(folder, manifest.parse(JSON.parse(text)));
  }

  /** The text of this file; null if it doesn't exist. */
  async text(name: string): Promise<string | null> {
    return Object.hasOwn(this.#files, name) ? readFile(join(this.#folder, name), 'utf8') : null;
  }

  /** The response with this file; null if it doesn't exist. `headers` excludes those of the content. */
  find(name: string, headers: Record<string, string>): Compressed | null {
    const file = Object.hasOwn(this.#files, name) ? this.#files[name] : undefined;
    if (file === undefined) return null;
    const negotiate: Compressed['negotiate'] = async (request) => {
      const { 'accept-encoding': accepted, 'if-none-match': ifNoneMatch } = request;
      const encoding = preferredEncoding(accepted);
      const tag = encoding === 'identity' ? `"${file.tag}"` : `"${file.tag}-${encoding}"`;
      const commonHeaders = { ...headers, ETag: tag, Vary: 'Accept-Encoding', 'Content-Type': file.type };
      if (ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tag)) {
        return { status: 304, headers: commonHeaders, body: Buffer.alloc(0) };
      }
      const body = await readFile(join(this.#folder, `${name}${EXTENSIONS[encoding]}`));
      const encodingHeaders: Record<string, string> = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
      const allHeaders = { ...commonHeaders, ...encodingHeaders, 'Content-Length': String(body.length) };
      return { status: 200, headers: allHeaders, body };
    };
    return { negotiate };
  }
}
