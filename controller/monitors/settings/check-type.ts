import type { z } from 'zod';
import type { CheckSpec } from '../../../shared/contracts/check-spec.ts';
import type { MonitorDoc } from '../monitor.ts';

/** What a body or an answer with these fields holds. */
export type FieldsOf<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>>;

/** The parts of a monitor that only some types have; null where its type has none. */
export type TypeSettings = Pick<MonitorDoc, 'http' | 'keyword' | 'tcp' | 'dns' | 'icmp' | 'heartbeat'>;

export const NO_SETTINGS: TypeSettings = { http: null, keyword: null, tcp: null, dns: null, icmp: null, heartbeat: null };

/** What a type makes of a body: its target, its settings, and the interval where that follows from them. */
export type ResolvedType = Partial<TypeSettings> & { target: string; interval_seconds?: number };

interface CommonInput {
  target?: string | undefined;
  interval_seconds?: number | undefined;
}

/** One type of monitor: which fields it has, and what becomes of them. `Input` are those of its fields that a body may carry. */
export interface CheckType<Input> {
  /** The fields of a body that only some types have and this one has. */
  fields: readonly string[];
  /** What a monitor of this type has after `input`, over `current` (null for a new one). Throws VALIDATION_ERROR, VALIDATION_FAILED. */
  resolve(input: Input & CommonInput, current: MonitorDoc | null, minIntervalSeconds: number): ResolvedType;
  /** The fields of an answer that are this type's own. */
  view(doc: MonitorDoc): object;
  /** What a probe has to do. */
  toSpec(doc: MonitorDoc): CheckSpec;
}
