import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { CompressedResponse } from '../responses/compressed-response.ts';
import { filesVersion, OWN_FILES } from './page.ts';

/** Content type and allowed file names, by kind. */
export const PAGE_FILES = {
  scripts: { contentType: 'text/javascript; charset=utf-8', names: ['swagger-ui-bundle.js', 'start.js'] },
  styles: { contentType: 'text/css; charset=utf-8', names: ['swagger-ui.css', 'own.css'] },
} as const;
type Kind = keyof typeof PAGE_FILES;
export type PageFile = (typeof PAGE_FILES)[Kind]['names'][number];

const CACHE_FOREVER = 'public, max-age=31536000, immutable';

/**
 * The static files of the API reference. They are read on demand and held weakly: a file and its encodings
 * take three megabytes, which the next garbage collection frees.
 */
export class PageFiles {
  readonly #compressed = new Map<string, WeakRef<CompressedResponse>>();
  #version: string | null = null;

  /** Version in the files' path; it changes with their content. */
  get version(): string {
    return this.#version ??= filesVersion(shippedVersion());
  }

  /** Only files of our own `version` may be cached: another controller may serve others under it. */
  async read(kind: Kind, file: PageFile, version: string): Promise<CompressedResponse> {
    const caching = version === this.version ? CACHE_FOREVER : 'no-store';
    const key = `${file} ${caching}`;
    const cached = this.#compressed.get(key)?.deref();
    if (cached !== undefined) return cached;
    const content = file in OWN_FILES ? OWN_FILES[file as keyof typeof OWN_FILES] : await readShipped(file);
    const headers = { 'Content-Type': PAGE_FILES[kind].contentType, 'Cache-Control': caching };
    const response = new CompressedResponse(content, headers);
    this.#compressed.set(key, new WeakRef(response));
    return response;
  }
}

function shippedVersion(): string {
  const { version } = createRequire(import.meta.url)('swagger-ui-dist/package.json') as { version: string };
  return version;
}

function readShipped(file: string): Promise<Buffer> {
  return readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));
}
