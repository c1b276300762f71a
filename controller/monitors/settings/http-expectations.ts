import { z } from 'zod';
import {
  ASSERTION_SOURCES, COMPARISONS, IP_FAMILIES, type HttpSpec,
} from '../../../shared/contracts/check-spec.ts';
import { parseJsonPath } from '../../../shared/json-path.ts';
import { characters, nonBlankText } from '../../http/input/validation.ts';
import { asciiHost, splitHostPort } from '../target.ts';
import { FIELD_NAME } from './header-rules.ts';

const MAX_RANGES = 20;
const MAX_ASSERTIONS = 20;
const NUMBER = /^-?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,3})?$/;

const RANGE = /^([1-5]\d\d)-([1-5]\d\d)$/;
const range = z.string().regex(RANGE, 'Range must look like 200-299')
  .refine((text) => text.slice(0, 3) <= text.slice(4), 'Range must not start after its end');

const anyAddress = nonBlankText(300, 'Must be at most 300 characters', 'Address must not be empty');
const address = anyAddress.trim().superRefine((text, check) => {
  const parts = splitHostPort(text);
  if (typeof parts !== 'string') return;
  check.addIssue({ code: 'custom', message: parts.replace(/^Target/, 'Address') });
});

const shownAssertion = z.strictObject({
  source: z.enum(ASSERTION_SOURCES),
  property: z.string().optional(),
  comparison: z.enum(COMPARISONS),
  target: z.union([z.string(), z.number()]).optional(),
});
type SentAssertion = z.infer<typeof shownAssertion>;

const assertion = shownAssertion.extend({
  property: characters(500).optional()
    .describe('The name of a header, or a path to one value in the JSON (RFC 9535), such as `$.items[0].id`.'),
  target: z.union([characters(1000), z.number()]).optional(),
}).superRefine((value, check) => {
  for (const [field, message] of faultsOf(value)) check.addIssue({ code: 'custom', path: [field], message });
});

/** Fields of a request body. In a new monitor, null is the same as absent. */
export const expectationFields = {
  expected_status_ranges: z.array(range).max(MAX_RANGES).nullable().optional()
    .describe('Accepted in addition to the codes in `expected_status`, such as `200-299`.'),
  ip_family: z.enum(IP_FAMILIES).nullable().optional()
    .describe('IP version to use. Default: `any`.'),
  connect_to: address.nullable().optional().describe('Host or address, with or without `:port`, that is '
    + 'connected to instead of the host in the URL. The `Host` header and TLS server name do not change.'),
  assertions: z.array(assertion).max(MAX_ASSERTIONS).nullable().optional()
    .describe('All must pass. A JSON number equals a number; everything else is compared as text. '
      + '`greater_than` and `less_than` need numbers. A missing value only passes `absent`.'),
};

/** Fields of a response; absent if unset. */
export const expectationResponseFields = {
  expected_status_ranges: z.array(z.string()).optional(),
  ip_family: z.enum(IP_FAMILIES).optional(),
  connect_to: z.string().optional(),
  assertions: z.array(shownAssertion).optional(),
};

/** Expectations of an HTTP or KEYWORD monitor beyond a list of status codes, as sent; null if unset. */
export interface HttpExpectations {
  expected_status_ranges: string[] | null;
  ip_family: (typeof IP_FAMILIES)[number] | null;
  connect_to: string | null;
  assertions: SentAssertion[] | null;
}

export const NO_EXPECTATIONS: HttpExpectations = {
  expected_status_ranges: null, ip_family: null, connect_to: null, assertions: null,
};

/** Omits unset fields, so that specs of monitors without expectations do not change. */
export function expectationSpec(
  set: HttpExpectations,
): Pick<HttpSpec, 'expected_ranges' | 'ip_family' | 'connect_to' | 'assertions'> {
  const { expected_status_ranges: ranges, ip_family: family, connect_to: instead, assertions } = set;
  const parts = instead === null ? '' : splitHostPort(instead);
  return {
    ...(ranges?.length ? { expected_ranges: ranges.map(rangeOf) } : {}),
    ...(family === null || family === 'any' ? {} : { ip_family: family }),
    ...(typeof parts === 'string'
      ? {}
      : { connect_to: { host: asciiHost(parts.host), port: parts.port ?? undefined } }),
    ...(assertions?.length ? { assertions: assertions.map(assertionOf) } : {}),
  };
}

/** Whether any assertion needs the body of the response. */
export function wantsBody({ assertions }: HttpExpectations): boolean {
  return assertions?.some(({ source }) => source !== 'header') ?? false;
}

function rangeOf(text: string): { first: number; last: number } {
  return { first: Number(text.slice(0, 3)), last: Number(text.slice(4)) };
}

function assertionOf({ target, ...rest }: SentAssertion): NonNullable<HttpSpec['assertions']>[number] {
  return target === undefined ? rest : { target: String(target), ...rest };
}

function faultsOf(sent: SentAssertion): [field: string, message: string][] {
  const { source, property, comparison, target } = sent;
  const faults: [string, string][] = [];
  if (source === 'body') {
    if (property !== undefined) faults.push(['property', 'Must be empty for the body']);
  } else if (property === undefined) {
    faults.push(['property', source === 'header' ? 'Enter the name of the header' : 'Enter a path, such as $.status']);
  } else if (source === 'header') {
    if (!FIELD_NAME.test(property)) faults.push(['property', 'Must be the name of a header']);
  } else {
    const path = parseJsonPath(property);
    if (typeof path === 'string') faults.push(['property', path]);
  }
  const isAboutExistence = comparison === 'exists' || comparison === 'absent';
  if (isAboutExistence && target !== undefined) faults.push(['target', `${comparison} takes no value to compare`]);
  if (!isAboutExistence && target === undefined) faults.push(['target', 'Required']);
  const isOrder = comparison === 'greater_than' || comparison === 'less_than';
  const isNumber = target === undefined || NUMBER.test(String(target));
  if (isOrder && !isNumber) faults.push(['target', 'Must be a number']);
  return faults;
}
