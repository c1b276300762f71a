import { open, readFile, rename, type FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { assignmentChange, type AssignmentChange } from '../../shared/contracts/assignment.ts';
import type { Log } from '../../shared/log.ts';
import { syncDirectoryOf } from '../../shared/write-file-safely.ts';
import { AssignmentSet } from './assignment-set.ts';

/**
 * One log line: changes applied at `at` (Unix ms). Only the last line of a multi-line change carries its
 * revision: a log truncated before it keeps the old revision, and the probe requests the rest again.
 */
const line = z.object({ revision: z.int().min(0), at: z.number(), changes: z.array(assignmentChange) });
type Line = z.infer<typeof line>;

const CHANGES_PER_LINE = 200;
/** The file is rewritten once the appended part exceeds this and the size after the last rewrite. */
const REWRITE_BYTES = 1024 * 1024;

/**
 * The assignments on disk, so that a probe can start without a controller. Each change is appended and
 * synced, so an edit costs the same regardless of the number of monitors.
 */
export class AssignmentLog {
  readonly #path: string;
  readonly #log: Log;
  readonly #set: AssignmentSet;
  #file: FileHandle | null = null;
  #size = 0;
  #sizeAfterRewrite = 0;
  #work: Promise<void> = Promise.resolve();

  readonly #rewriteBytes: number;

  private constructor(path: string, log: Log, set: AssignmentSet, rewriteBytes: number) {
    this.#rewriteBytes = rewriteBytes;
    this.#path = path;
    this.#log = log;
    this.#set = set;
  }

  /** Reads the saved set up to the first unusable line; an empty set of revision 0 if there is none. */
  static async load(
    path: string, log: Log, rewriteBytes = REWRITE_BYTES,
  ): Promise<{ set: AssignmentSet; file: AssignmentLog }> {
    const text = await readFile(path, 'utf8').catch(() => '');
    const set = new AssignmentSet();
    for (const raw of text.split('\n')) {
      if (raw === '') continue;
      const parsed = parseLine(raw);
      if (!parsed) {
        log.warn(
          { revision: set.revision }, 'the saved assignments end in a damaged line; requesting the rest',
        );
        break;
      }
      set.apply({ revision: parsed.revision, reset: false, changes: parsed.changes }, parsed.at);
    }
    const file = new AssignmentLog(path, log, set, rewriteBytes);
    if (text !== '') void file.#enqueue(() => file.#rewrite());
    return { set, file };
  }

  /** Resolves when the change, already applied to the set, is on disk or the write has failed. */
  append(
    change: { from: number; revision: number; reset: boolean; changes: AssignmentChange[] }, atMs: number,
  ): Promise<void> {
    return this.#enqueue(async () => {
      const maxSize = Math.max(this.#rewriteBytes, 2 * this.#sizeAfterRewrite);
      if (change.reset || !this.#file || this.#size > maxSize) return this.#rewrite();
      await this.#write(this.#file, linesOf(change, atMs));
      await this.#file.datasync();
    });
  }

  /** Waits for pending writes and closes the file. */
  async close(): Promise<void> {
    await this.#work;
    await this.#file?.close();
    this.#file = null;
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch(async (error: unknown) => {
      this.#log.error({ err: (error as Error).message }, 'could not save the assignments');
      // The next change rewrites the whole set.
      await this.#file?.close().catch(() => undefined);
      this.#file = null;
    });
    return this.#work;
  }

  /** Writes the whole set to a new file in chunks, so that checks continue meanwhile. */
  async #rewrite(): Promise<void> {
    const file = await open(`${this.#path}.new`, 'w', 0o600);
    this.#size = 0;
    try {
      let changes: AssignmentChange[] = [];
      let atMs = 0;
      const { revision } = this.#set;
      for (const { assignment, sinceMs } of this.#set.values()) {
        if (changes.length >= CHANGES_PER_LINE || (changes.length > 0 && sinceMs !== atMs)) {
          await this.#write(file, linesOf({ from: 0, revision: 0, changes }, atMs));
          changes = [];
        }
        atMs = sinceMs;
        changes.push({ set: assignment });
      }
      await this.#write(file, linesOf({ from: 0, revision, changes }, atMs));
      await file.sync();
    } catch (error) {
      await file.close();
      throw error;
    }
    await rename(`${this.#path}.new`, this.#path);
    await syncDirectoryOf(this.#path);
    await this.#file?.close();
    this.#file = file;
    this.#sizeAfterRewrite = this.#size;
  }

  async #write(file: FileHandle, lines: Line[]): Promise<void> {
    for (const each of lines) {
      const bytes = Buffer.from(`${JSON.stringify(each)}\n`, 'utf8');
      await file.writeFile(bytes);
      this.#size += bytes.length;
    }
  }
}

function linesOf(
  change: { from: number; revision: number; changes: AssignmentChange[] }, atMs: number,
): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < change.changes.length || at === 0; at += CHANGES_PER_LINE) {
    lines.push({ revision: change.from, at: atMs, changes: change.changes.slice(at, at + CHANGES_PER_LINE) });
  }
  (lines[lines.length - 1] as Line).revision = change.revision;
  return lines;
}

function parseLine(raw: string): Line | null {
  try {
    return line.parse(JSON.parse(raw));
  } catch {
    return null;
  }
}
