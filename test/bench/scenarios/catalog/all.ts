import type { Scenario } from '../scenario.ts';
import { CONTENT } from './content.ts';
import { DNS } from './dns.ts';
import { HTTP } from './http.ts';
import { TCP } from './tcp.ts';
import { TLS } from './tls.ts';

/** The scenarios named by Automattic's uptime-bench, with our own faults. */
export const SCENARIOS: readonly Scenario[] = [...CONTENT, ...DNS, ...HTTP, ...TCP, ...TLS];
