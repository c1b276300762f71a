import { mkdirSync, readdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../../../shared/log.ts';
import type { Clock } from '../../../../shared/time.ts';
import { writeFileSafely } from '../../../../shared/write-file-safely.ts';
import type { PageDoc } from '../../page.ts';
import { versionOf } from '../cache/cached-page.ts';
import type { LastKnownPages } from '../cache/page-cache.ts';
import { publicPageView } from '../public-view.ts';
import type { FoundPage } from '../read-public-page.ts';

/** Minimum interval between writes of a page that keeps changing. */
const WRITE_INTERVAL_MS = 10_000;
/** An unchanged page is rewritten at this interval, so that it doesn't look outdated. */
const REWRITE_INTERVAL_MS = 300_000;
/** Above this, further pages get no snapshot. */
const MAX_SNAPSHOTS = 10_000;

const snapshot = z.object({
  v: z.literal(1),
  page: z.looseObject({ _id: z.uuid(), subdomain: z.string(), status: z.literal('published') }),
  view: publicPageView,
});

interface SnapshotDeps {
  dir: string;
  clock: Pick<Clock, 'monotonic'>;
  log: Log;
}

interface Written {
  at: number;
  version: string;
  /** The last page written with this version. */
  found: FoundPage;
}

/**
 * Stores the last known pages as local files, `<subdomain>.json` each. They are served while pages can't be
 * read, even before the database was ever reached.
 */
export class PageSnapshots implements LastKnownPages {
  readonly #deps: SnapshotDeps;
  /** When this process wrote each file, and its content; null: an earlier process wrote it. */
  readonly #files: Map<string, Written | null>;
  /** Files to write, in this order; null: delete it. */
  readonly #pending = new Map<string, FoundPage | null>();
  #writing: Promise<void> | null = null;

  /** Creates the folder if it is missing. */
  constructor(deps: SnapshotDeps) {
    this.#deps = deps;
    mkdirSync(deps.dir, { recursive: true, mode: 0o700 });
    const names = readdirSync(deps.dir).filter((name) => name.endsWith('.json'));
    this.#files = new Map(names.map((name) => [name.slice(0, -'.json'.length), null]));
  }

  /** The subdomains of all pages that have a file. */
  names(): string[] {
    return [...this.#files.keys()];
  }

  async recall(subdomain: string): Promise<FoundPage | null> {
    if (!this.#files.has(subdomain) || this.#pending.get(subdomain) === null) return null;
    try {
      const { page, view } = snapshot.parse(JSON.parse(await readFile(this.#path(subdomain), 'utf8')));
      if (page.subdomain !== subdomain) throw new Error('the file belongs to another page');
      return { page: asPage(page), view };
    } catch (error) {
      this.#deps.log.warn({ err: error, subdomain }, 'could not use the snapshot of a status page');
      return null;
    }
  }

  save(found: FoundPage): void {
    const { page: { subdomain } } = found;
    const written = this.#files.get(subdomain);
    if (written === undefined && this.#files.size >= MAX_SNAPSHOTS) return;
    const at = this.#deps.clock.monotonic();
    const age = written ? at - written.at : Infinity;
    if (age < WRITE_INTERVAL_MS) return;
    const version = written?.found === found ? written.version : versionOf(found);
    const isDue = written?.version !== version || age >= REWRITE_INTERVAL_MS;
    this.#files.set(subdomain, { at: isDue ? at : written.at, version, found });
    if (!isDue) return;
    this.#enqueue(subdomain, found);
  }

  remove(subdomain: string): void {
    if (this.#files.delete(subdomain)) this.#enqueue(subdomain, null);
  }

  /** Resolves once everything is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #enqueue(subdomain: string, found: FoundPage | null): void {
    this.#pending.set(subdomain, found);
    this.#writing ??= this.#writePending().finally(() => (this.#writing = null));
  }

  /** Writes files one after another, so that a pending write can't restore a deleted file. */
  async #writePending(): Promise<void> {
    for (;;) {
      const [next] = this.#pending;
      if (next === undefined) return;
      const [subdomain, found] = next;
      const change = found === null
        ? rm(this.#path(subdomain), { force: true })
        : writeFileSafely(this.#path(subdomain), JSON.stringify({ v: 1, ...found }));
      await change.catch((error: unknown) => {
        this.#deps.log.warn({ err: error, subdomain }, 'could not write the snapshot of a status page');
        // The next read of the page retries it.
        if (found !== null && this.#pending.get(subdomain) === found) this.#files.set(subdomain, null);
      });
      if (this.#pending.get(subdomain) === found) this.#pending.delete(subdomain);
    }
  }

  #path(subdomain: string): string {
    return join(this.#deps.dir, `${subdomain}.json`);
  }
}

/** Restores a page document. Pages must not depend on fields that later versions add. */
function asPage(page: z.infer<typeof snapshot>['page']): PageDoc {
  return page as unknown as PageDoc;
}
