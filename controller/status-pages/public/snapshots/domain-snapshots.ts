import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../../../shared/log.ts';
import { writeFileSafely } from '../../../../shared/write-file-safely.ts';
import type { PageDoc } from '../../page.ts';

/** Above this, domains are not known until the database is reachable. */
const MAX_DOMAINS = 10_000;

const content = z.object({ v: z.literal(1), domains: z.record(z.string(), z.string()) });

type Named = Pick<PageDoc, 'subdomain' | 'custom_domain' | 'verified_domain'>;

/**
 * Stores the verified domains of the last known pages in one local file. It routes readers while the database
 * is unavailable.
 */
export class DomainSnapshots {
  readonly #path: string;
  readonly #log: Log;
  /** Domains by the subdomain of their page. */
  readonly #domains: Map<string, string>;
  #isWritten = true;
  #writing: Promise<void> | null = null;

  /** Creates the folder if it is missing. */
  constructor(dir: string, log: Log) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.#path = join(dir, 'domains');
    this.#log = log;
    this.#domains = this.#read();
  }

  /** The subdomain of the page with this domain; null if none is known. */
  recall(domain: string): string | null {
    for (const [subdomain, pageDomain] of this.#domains) if (pageDomain === domain) return subdomain;
    return null;
  }

  save({ subdomain, custom_domain, verified_domain: domain }: Named): void {
    if (domain === null || domain !== custom_domain) return this.remove(subdomain);
    if (this.#domains.get(subdomain) === domain) return;
    if (this.#domains.size >= MAX_DOMAINS && !this.#domains.has(subdomain)) return;
    this.#domains.set(subdomain, domain);
    this.#write();
  }

  remove(subdomain: string): void {
    if (this.#domains.delete(subdomain)) this.#write();
  }

  /** Resolves once everything is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #read(): Map<string, string> {
    try {
      return new Map(Object.entries(content.parse(JSON.parse(readFileSync(this.#path, 'utf8'))).domains));
    } catch (error) {
      const isMissing = (error as { code?: unknown }).code === 'ENOENT';
      if (!isMissing) this.#log.warn({ err: error }, 'could not use the snapshot of custom domains');
      return new Map();
    }
  }

  #write(): void {
    this.#isWritten = false;
    this.#writing ??= this.#work().finally(() => (this.#writing = null));
  }

  async #work(): Promise<void> {
    while (!this.#isWritten) {
      this.#isWritten = true;
      const text = JSON.stringify({ v: 1, domains: Object.fromEntries(this.#domains) });
      await writeFileSafely(this.#path, text).catch((error: unknown) => {
        this.#log.warn({ err: error }, 'could not write the snapshot of custom domains');
      });
    }
  }
}
