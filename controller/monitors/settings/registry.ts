import type { MonitorType } from '../../../shared/contracts/check-spec.ts';
import type { CheckType, FieldsOf } from './check-type.ts';
import { dnsAnswer, dnsFields, dnsType } from './dns.ts';
import { heartbeatAnswer, heartbeatFields, heartbeatType } from './heartbeat.ts';
import { httpAnswer, httpFields, httpType } from './http.ts';
import { icmpAnswer, icmpFields, icmpType } from './icmp.ts';
import { keywordAnswer, keywordFields, keywordType } from './keyword.ts';
import { tcpAnswer, tcpFields, tcpType } from './tcp.ts';

/** Fields of bodies that only some types have. */
export const typeFields = { ...httpFields, ...keywordFields, ...tcpFields, ...dnsFields, ...icmpFields, ...heartbeatFields };
export type TypeInput = FieldsOf<typeof typeFields>;

/** Fields of answers that only some types have. */
export const typeAnswers = { ...httpAnswer, ...keywordAnswer, ...tcpAnswer, ...dnsAnswer, ...icmpAnswer, ...heartbeatAnswer };
export type TypeView = FieldsOf<typeof typeAnswers>;

/** Every type of monitor. */
export const CHECK_TYPES: Readonly<Record<MonitorType, CheckType<TypeInput>>> = {
  HTTP: httpType, KEYWORD: keywordType, ICMP: icmpType, TCP: tcpType, DNS: dnsType, HEARTBEAT: heartbeatType,
};

/** The fields of `input` that were given and that a monitor of `type` does not have. */
export function foreignFields(type: MonitorType, input: object): string[] {
  const own = CHECK_TYPES[type].fields;
  return Object.keys(typeFields).filter((name) => {
    const value = (input as Record<string, unknown>)[name];
    return value !== undefined && value !== null && !own.includes(name);
  });
}
