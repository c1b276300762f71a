import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { FRAME_BATCH, HEADER_BYTES, scanFrames, type FrameAt } from '../../probe/spool/frame.ts';
import { decodeBatch } from '../../shared/contracts/result-pack.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { until } from '../helpers/until.ts';
import type { FarProbe } from './far-probe.ts';
import { fault, type Outcome } from './fault.ts';
import type { Load } from './load.ts';
import { repeats, toOutcome } from './tally.ts';

/** The disk of a probe is full or corrupts data. */
export function spoolDisk(on: { readonly load: Load; readonly far: FarProbe }): void {
  const isRoot = process.getuid?.() === 0;

  let ids: string[] = [];
  /** Results declared as damaged by the faults so far. */
  let declared = 0;

  async function createMonitors(name: string): Promise<void> {
    ids = [];
    for (let at = 0; at < 4; at += 1) ids.push(await on.load.createMonitor(`/${name}/${at}`, { monitoring_regions: ['far'] }));
    await checkedAgain(2);
  }

  const seen = () => ids.reduce((sum, id) => sum + on.load.countOf(id), 0);

  /** Waits for this many more checks of each monitor. */
  async function checkedAgain(times = 2): Promise<void> {
    const before = ids.map((id) => on.load.countOf(id));
    await until(
      () => ids.every((id, at) => on.load.countOf(id) >= (before[at] as number) + times), { what: 'checks continue' },
    );
  }

  interface Spooled {
    file: string;
    frame: FrameAt;
    results: CheckResult[];
  }

  /** The batches of this fault's monitors in the newest file of the spool, as they were written. */
  function readSpool(): Spooled[] {
    const file = join(on.far.spoolDir, readdirSync(on.far.spoolDir).sort().at(-1) as string);
    const bytes = readFileSync(file);
    const found: Spooled[] = [];
    scanFrames(bytes, (frame) => {
      if (frame.kind !== FRAME_BATCH) return;
      const { results } = decodeBatch(bytes.subarray(frame.offset, frame.offset + frame.length));
      if (results.some(({ monitor_id: id }) => ids.includes(id))) found.push({ file, frame, results });
    });
    return found;
  }

  /** Not a slot that a busy machine missed. */
  const isCheck = ({ missed }: CheckResult) => missed === null;
  const keyOf = ({ monitor_id: id, started_at: at }: CheckResult) => `${id} ${at}`;

  /** Only declared results are lost. */
  function droppedOutcome(issued: number, dropped: number): Outcome {
    const results = { issued, stored: issued - dropped, lost: 0, duplicated: 0, left: 0 };
    return toOutcome({ injected: 1, results }, `${dropped} declared as dropped`);
  }

  /** Moves the spool of a stopped probe to a small separate disk while `use` runs. */
  async function onSmallDisk(use: () => Promise<void>): Promise<void> {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', on.far.spoolDir]);
    try {
      await use();
    } finally {
      await on.far.process.end('SIGKILL');
      execFileSync('umount', [on.far.spoolDir]);
      on.far.restart();
      await on.far.process.connected();
    }
  }

  describe.runIf(isRoot)('a separate disk', () => {
    fault('F18', 'the disk of a spool is full while its probe is disconnected; then there is space', async () => {
      await on.far.process.end();
      let outcome: Outcome | string = '';
      await onSmallDisk(async () => {
        on.far.restart();
        await on.far.process.connected();
        await createMonitors('full');
        on.far.nats.drop();
        await checkedAgain();
        const [writtenCount, writtenAt] = [seen(), Date.now()];
        // By then all of them are written: a success waits up to a second to be batched.
        await checkedAgain();
        const ballast = join(on.far.spoolDir, 'ballast');
        const { bavail, bsize } = statfsSync(on.far.spoolDir);
        writeFileSync(ballast, Buffer.alloc(bavail * bsize));
        await until(
          () => on.far.process.logged('results could not be spooled and are dropped'), { what: 'a full disk' },
        );
        await checkedAgain(4);
        rmSync(ballast);
        await checkedAgain();
        on.far.nats.heal();
        const { ledger, holes } = await on.load.settle();
        const stored = ids.flatMap((id) => ledger.byMonitor.get(id) ?? []);
        const dropped = ledger.dropped.get('spool_full') ?? 0;
        expect(on.far.process.hasEnded).toBe(false);
        expect(dropped).toBeGreaterThanOrEqual(3 * ids.length);
        // A busy machine may miss a slot, or time out a check before it reaches its target.
        const checks = stored.filter(({ missed }) => missed === null).length;
        expect(checks + dropped).toBeGreaterThanOrEqual(seen());
        expect(checks).toBeLessThan(seen());
        expect(stored.filter(({ started_at: at }) => at <= writtenAt).length).toBeGreaterThanOrEqual(writtenCount);
        expect({ holes, reasons: [...ledger.dropped.keys()] }).toEqual({ holes: [], reasons: ['spool_full'] });
        outcome = droppedOutcome(seen(), dropped);
      });
      return outcome;
    });
  });

  type Damage = (file: string, last: FrameAt) => void;

  const flipped = (offsetIn: (last: FrameAt) => number): Damage => (file, last) => {
    const bytes = readFileSync(file);
    bytes[offsetIn(last)] = (bytes[offsetIn(last)] as number) ^ 0x10;
    writeFileSync(file, bytes);
  };

  const DAMAGES: Record<string, Damage> = {
    'a byte is flipped in its header': flipped(({ offset }) => offset - HEADER_BYTES + 30),
    'a byte is flipped in it': flipped(({ offset }) => offset + 20),
    'the file ends within it': (file, { offset }) => truncateSync(file, offset + 5),
  };

  for (const [what, damage] of Object.entries(DAMAGES).slice(0, repeats(1, 3))) {
    fault('F20', `a disconnected probe is killed, and in its last record ${what}`, async () => {
      await createMonitors(`torn-${what.replaceAll(' ', '-')}`);
      on.far.nats.drop();
      await checkedAgain(4);
      await on.far.process.end('SIGKILL');
      // Sent but unreceived data dies with it.
      on.far.nats.reset();
      const spooled = readSpool();
      const last = spooled.at(-1) as Spooled;
      damage(last.file, last.frame);
      on.far.nats.heal();
      on.far.restart();
      await on.far.process.connected();
      const { ledger, holes, doubled } = await on.load.settle();
      const found = ids.flatMap((id) => ledger.byMonitor.get(id) ?? []).filter(isCheck);
      const stored = new Set(found.map(keyOf));
      const lost = spooled.flatMap(({ results }) => results).filter((result) => isCheck(result) && !stored.has(keyOf(result)));
      expect(lost).toEqual(last.results.filter(isCheck));
      declared += last.results.length;
      expect(ledger.dropped.get('corrupt')).toBe(declared);
      expect({ holes, doubled }).toEqual({ holes: [], doubled: 0 });
      await on.load.forget();
      const all = spooled.reduce((sum, { results }) => sum + results.length, 0);
      return droppedOutcome(all, lost.length);
    });
  }
}
