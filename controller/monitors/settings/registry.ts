import type { MonitorType } from '../../../shared/contracts/check-spec.ts';
import { validationError } from '../../http/input/validation.ts';
import type { CheckType, FieldsOf } from './check-type.ts';
import { dnsResponseFields, dnsFields, dnsType, type DnsSettings } from './dns.ts';
import {
  heartbeatResponseFields, heartbeatFields, heartbeatType, type HeartbeatSettings,
} from './heartbeat.ts';
import { httpResponseFields, httpFields, httpType, type HttpSettings } from './http.ts';
import { icmpResponseFields, icmpFields, icmpType, type IcmpSettings } from './icmp.ts';
import { keywordResponseFields, keywordFields, keywordType, type KeywordSettings } from './keyword.ts';
import { tcpResponseFields, tcpFields, tcpType, type TcpSettings } from './tcp.ts';

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
