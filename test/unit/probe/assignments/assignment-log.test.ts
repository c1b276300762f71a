import {
  appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AssignmentLog } from '../../../../probe/assignments/assignment-log.ts';
import type { AssignmentSet } from '../../../../probe/assignments/assignment-set.ts';
import type { AssignmentChange } from '../../../../shared/contracts/assignment.ts';
import { buildAssignment } from '../build.ts';
import { silent } from '../spool/open-spool.ts';

const NOW = 1_760_000_000_000;
let directory = '';
let path = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'farwatch-assignments-'));
  path = join(directory, 'assignments.log');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function change(
  opened: { set: AssignmentSet; file: AssignmentLog }, changes: AssignmentChange[],
  options: { reset?: boolean; atMs?: number } = {},
): Promise<void> {
  const { reset = false, atMs = NOW } = options;
  const from = opened.set.revision;
  opened.set.apply({ revision: from + 1, reset, changes }, atMs);
  await opened.file.append({ from, revision: from + 1, reset, changes }, atMs);
}

const held = (set: AssignmentSet): unknown =>
  [...set.values()].sort((a, b) => (a.assignment.monitor_id < b.assignment.monitor_id ? -1 : 1));

describe('the assignment log', () => {
  test('restores the assignments with their revision and start times', async () => {
    const opened = await AssignmentLog.load(path, silent);
    const monitors = Array.from({ length: 1000 }, () => buildAssignment());
    await change(opened, monitors.map((set) => ({ set })), { reset: true });
    await change(opened, [{ gone: (monitors[0] as { monitor_id: string }).monitor_id }], { atMs: NOW + 1 });
    await change(
      opened, [{ set: { ...(monitors[1] as (typeof monitors)[0]), assignment_rev: 2 } }], { atMs: NOW + 2 },
    );
    await opened.file.close();
    const again = await AssignmentLog.load(path, silent);
    await again.file.close();
    expect(again.set.revision).toBe(3);
    expect(held(again.set)).toEqual(held(opened.set));
    expect(again.set.get((monitors[1] as { monitor_id: string }).monitor_id)?.sinceMs).toBe(NOW + 2);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('stays small: an edit appends little, and the file is compacted', async () => {
    const opened = await AssignmentLog.load(path, silent, 20_000);
    await change(opened, Array.from({ length: 100 }, () => ({ set: buildAssignment() })), { reset: true });
    const size = statSync(path).size;
    const one = buildAssignment();
    await change(opened, [{ set: one }]);
    expect(statSync(path).size - size).toBeLessThan(1000);
    for (let rev = 2; rev < 400; rev += 1) await change(opened, [{ set: { ...one, assignment_rev: rev } }]);
    expect(statSync(path).size).toBeLessThan(size * 3 + 1000);
    await opened.file.close();
  });

  test('ends at a torn or damaged line, with the revision of the last complete change', async () => {
    const opened = await AssignmentLog.load(path, silent);
    const [one, two, three] = [buildAssignment(), buildAssignment(), buildAssignment()];
    await change(opened, [{ set: one }], { reset: true });
    await change(opened, [{ set: two }]);
    const size = statSync(path).size;
    await change(opened, [{ set: three }]);
    await opened.file.close();
    truncateSync(path, size + 50);
    const torn = await AssignmentLog.load(path, silent);
    await torn.file.close();
    expect({ revision: torn.set.revision, size: torn.set.size }).toEqual({ revision: 2, size: 2 });
    writeFileSync(path, 'rubbish\n');
    const rubbish = await AssignmentLog.load(path, silent);
    await rubbish.file.close();
    expect({ revision: rubbish.set.revision, size: rubbish.set.size }).toEqual({ revision: 0, size: 0 });
  });

  test('continues after a damaged line with a readable file', async () => {
    const opened = await AssignmentLog.load(path, silent);
    await change(opened, [{ set: buildAssignment() }], { reset: true });
    await opened.file.close();
    appendFileSync(path, '{"revision":9');
    const again = await AssignmentLog.load(path, silent);
    await change(again, [{ set: buildAssignment() }]);
    await again.file.close();
    expect(readFileSync(path, 'utf8')).not.toContain('"revision":9');
    const last = await AssignmentLog.load(path, silent);
    await last.file.close();
    expect({ revision: last.set.revision, size: last.set.size }).toEqual({ revision: 2, size: 2 });
  });

  test('keeps the old revision when a multi-line change was truncated', async () => {
    const opened = await AssignmentLog.load(path, silent);
    await change(opened, [{ set: buildAssignment() }], { reset: true });
    await change(opened, Array.from({ length: 500 }, () => ({ set: buildAssignment() })));
    await opened.file.close();
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines.length).toBe(5);
    writeFileSync(path, `${lines.slice(0, 3).join('\n')}\n`);
    const cut = await AssignmentLog.load(path, silent);
    await cut.file.close();
    expect({ revision: cut.set.revision, size: cut.set.size }).toEqual({ revision: 1, size: 401 });
  });
});
