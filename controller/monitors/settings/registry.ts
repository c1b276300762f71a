import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { CheckSpec, MonitorType } from '../../../shared/contracts/check-spec.ts';
import { validationError } from '../../http/input/validation.ts';
import type { MaintenanceRange, MonitorConfig } from '../../verdicts/monitor-config.ts';
import { type MonitorDoc, timeoutMs } from '../monitor.ts';
import { dnsFields, dnsResponseFields, type DnsSettings, dnsType } from './dns.ts';
import {
  heartbeatFields, heartbeatResponseFields, type HeartbeatSettings, heartbeatType, toHeartbeatConfig,
} from './heartbeat.ts';
import { httpFields, httpResponseFields, type HttpSettings, httpType } from './http.ts';
import { icmpFields, icmpResponseFields, type IcmpSettings, icmpType } from './icmp.ts';
import { keywordFields, keywordResponseFields, type KeywordSettings, keywordType } from './keyword.ts';
import { tcpFields, tcpResponseFields, type TcpSettings, tcpType } from './tcp.ts';

/** The value type of a body or response with these fields. */
export type FieldsOf<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>>;

interface Common {
  target: string;
  interval_seconds: number;
}

/** A type of monitor. `Input` are its own fields in a body, `Own` its own settings in a document. */
export interface CheckType<Input, Own> {
  /** Names of the fields of `Input`. */
  fields: readonly string[];
  /**
   * Merges `input` into `current` (null for a new monitor). Returns the target, the settings, and the
   * interval if the settings determine it. Throws VALIDATION_ERROR, VALIDATION_FAILED.
   */
  resolve(
    input: Input & Partial<Common>, current: (Common & Own) | null, minIntervalSeconds: number,
  ): Pick<Common, 'target'> & Partial<Common & Own>;
  /** Its own fields in a response. `isConcealed` replaces credentials by CONCEALED. */
  view(doc: Own, isConcealed: boolean): object;
  toSpec(doc: Pick<Common, 'target'> & Own): CheckSpec;
}

/** Fields of request bodies that only some types have. */
export const typeFields = {
  ...httpFields, ...keywordFields, ...tcpFields, ...dnsFields, ...icmpFields, ...heartbeatFields,
};
type TypeInput = FieldsOf<typeof typeFields>;

/** Fields of responses that only some types have. */
export const typeResponseFields = {
  ...httpResponseFields, ...keywordResponseFields, ...tcpResponseFields, ...dnsResponseFields,
  ...icmpResponseFields, ...heartbeatResponseFields,
};
export type TypeView = FieldsOf<typeof typeResponseFields>;

/** Settings that only some types have; null for the others. */
export interface TypeSettings {
  http: HttpSettings | null;
  keyword: KeywordSettings | null;
  tcp: TcpSettings | null;
  dns: DnsSettings | null;
  icmp: IcmpSettings | null;
  heartbeat: HeartbeatSettings | null;
}

export const NO_SETTINGS: TypeSettings = {
  http: null, keyword: null, tcp: null, dns: null, icmp: null, heartbeat: null,
};

export const CHECK_TYPES: Readonly<Record<MonitorType, CheckType<TypeInput, TypeSettings>>> = {
  HTTP: httpType, KEYWORD: keywordType, ICMP: icmpType, TCP: tcpType, DNS: dnsType, HEARTBEAT: heartbeatType,
};

/** Throws VALIDATION_ERROR for fields that monitors of `type` do not have. */
export function refuseForeignFields(type: MonitorType, input: Partial<TypeInput>): void {
  const own = CHECK_TYPES[type].fields;
  const names = Object.keys(typeFields) as (keyof TypeInput)[];
  const foreign = names.filter((name) => (input[name] ?? null) !== null && !own.includes(name));
  if (foreign.length === 0) return;
  const message = `Does not apply to ${type} monitors`;
  throw validationError(foreign.map((name) => ({ code: 'custom', path: [name], message })));
}

/** When the monitor's domain expires, and when that was learned. Unix ms. */
export interface DomainExpiry {
  expires_at: number | null;
  learned_at: number | null;
}

/** The configuration for the state machine. A deleted monitor has the status `deleted`. */
export function toMonitorConfig(
  doc: MonitorDoc, expiry?: DomainExpiry, maintenance: MaintenanceRange[] = [],
): MonitorConfig {
  const { _id: monitor_id, organization_id, project_id, revision, check_revision, name, target, type } = doc;
  const { notification_target_ids, depends_on, monitoring_regions, runbook_url, alert_severity } = doc;
  const { ssl_monitoring: tls, domain_monitoring: domain, heartbeat } = doc;
  const changed_at = doc.deleted_at
    ?? Math.max(doc.updated_at, expiry?.learned_at ?? 0, doc.windows_changed_at ?? 0);
  return {
    monitor_id, organization_id, project_id, revision, check_revision, name, target, type,
    group_id: doc.group_id ?? null, name_server: doc.dns?.dns_server ?? null,
    notification_target_ids, depends_on, runbook_url, alert_severity, monitoring_regions,
    status: doc.deleted_at === null ? doc.status : 'deleted',
    interval_ms: doc.interval_seconds * 1000,
    timeout_ms: timeoutMs(doc),
    retries: doc.confirmation_policy.retries,
    recoveries: doc.confirmation_policy.recoveries,
    quorum: doc.confirmation_policy.regions,
    slow_response_threshold_ms: doc.http?.slow_response_threshold_ms ?? null,
    tls_warning_days: tls?.enabled && tls.check_expiry ? tls.expiry_warning_days : [],
    tls_validity: tls?.enabled === true && tls.check_validity,
    domain_warning_days: domain?.enabled ? domain.expiry_warning_days : [],
    domain_expires_at: expiry?.expires_at ?? null,
    heartbeat: heartbeat && toHeartbeatConfig(heartbeat, changed_at),
    maintenance,
    // V8 would give each copy with a field that this object lacks a hidden class of its own, 1,300 bytes.
    assigned: null, domains: null,
    changed_at,
  };
}

/**
 * Increase this when `toCheckSpec` returns a different spec for the same monitor, for example after a new
 * default. Stored assignments are then rebuilt.
 */
export const SPEC_VERSION = 1;

export function toCheckSpec(doc: MonitorDoc): CheckSpec {
  const spec = CHECK_TYPES[doc.type].toSpec(doc);
  return doc.is_inverted ? { ...spec, is_inverted: true } : spec;
}

/** What determines the results of a check. A spec does not tell variables apart that stand for a host. */
function checkedBy(doc: MonitorDoc): unknown[] {
  const { variable_ids: variables = null, variables_changed_at: changedAt = null, target } = doc;
  return [toCheckSpec(doc), variables, changedAt, variables === null ? null : target];
}

/**
 * Whether earlier results no longer apply: the monitor was not active, or its target, timeout, check settings
 * or a variable in them changed. Changes to name, interval, regions, confirmation policy and destinations do
 * not matter.
 */
export function invalidatesEarlierResults(before: MonitorDoc, after: MonitorDoc): boolean {
  if (after.status !== 'active') return false;
  if (before.status !== 'active' || timeoutMs(before) !== timeoutMs(after)) return true;
  return !isDeepStrictEqual(checkedBy(before), checkedBy(after));
}
