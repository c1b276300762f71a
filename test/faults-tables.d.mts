import type { FaultReport } from './faults/fault.ts';

type Report = FaultReport & { status: string };

/** A line for each fault: what was done and what was counted. */
export function outcomeTable(reports: Report[]): string[];

/** A line for each fault with a cell for each invariant, their sums, and a line that explains the cells. */
export function invariantsTable(reports: Report[]): string[];
