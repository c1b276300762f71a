import { tracedPathOf, type ExaminedPath, type PathBreak, type Stop } from '../../shared/traced-path.ts';
import { printable } from './output.ts';

interface ExaminedRegion extends ExaminedPath {
  region: string;
  resolvers: { server: string; answer: string[]; error: string | null }[];
  families: { ipv4: string; ipv6: string };
  tls: { protocol: string; issuer: string; valid_to: number | null; problem: string | null } | null;
}

/** The fields of the API's diagnosis that a terminal shows. */
export interface Diagnosis {
  classification: string;
  summary: string;
  decided_by: string[];
  diagnosed_at: number;
  regions: ExaminedRegion[];
}

const BREAKS: Record<PathBreak, string> = {
  name: 'the name has no address', path: 'no response beyond this point',
  target: 'the target responds, but its check fails', unknown: 'unknown where the path breaks',
};

/** Lines of text: the summary, what decided, and what each region has seen. */
export function diagnosisLines(diagnosis: Diagnosis): string[] {
  const { classification, summary, decided_by: observations, diagnosed_at: at, regions } = diagnosis;
  const downFirst = [...regions].sort((one, other) => Number(one.sees === 'up') - Number(other.sees === 'up'));
  return [
    `Diagnosis (${classification}, ${minuteOf(at)} UTC): ${summary}`,
    ...observations.map((sentence) => `  - ${sentence}`),
    ...downFirst.flatMap((region) => ['', ...regionLines(region)]),
  ].map(printable);
}

function regionLines(region: ExaminedRegion): string[] {
  const { addresses, resolvers, families, tls } = region;
  return [
    `${region.region} sees the target ${region.sees}`,
    ...pathLines(region),
    `  Addresses: ${listOf(addresses)}`,
    ...resolvers.map(({ server, answer, error }) => `  Name server ${server}: ${error ?? listOf(answer)}`),
    `  IPv4: ${familyText(families.ipv4)}, IPv6: ${familyText(families.ipv6)}`,
    ...tls === null ? [] : [`  TLS: ${tlsText(tls)}`],
  ];
}

function pathLines(region: ExaminedPath): string[] {
  const { reached, beyond, break: found, target } = tracedPathOf(region);
  const stops = [...reached, ...beyond].map(partsOf);
  const widthOf = (part: (stop: Parts) => string) => Math.max(0, ...stops.map((stop) => part(stop).length));
  const [numberWidth, nameWidth] = [widthOf(({ number }) => number), widthOf(({ name }) => name)];
  const line = (number: string, text: string) => `  ${number.padStart(numberWidth)}  ${text}`.trimEnd();
  const lines = stops.map(({ number, name, time }) => line(number, `${name.padEnd(nameWidth)}  ${time}`));
  const end = [target?.address, target && timeText(target.rtt_ms)].filter(Boolean).join('  ');
  return [
    ...lines.slice(0, reached.length),
    ...found === null || found === 'target' ? [] : [line('', `✕ ${BREAKS[found]}`)],
    ...lines.slice(reached.length),
    line('', `${region.sees === 'up' ? '✓' : '✕'} target ${end}${found === 'target' ? `: ${BREAKS.target}` : ''}`),
  ];
}

interface Parts {
  number: string;
  name: string;
  time: string;
}

function partsOf(stop: Stop): Parts {
  if (stop.kind === 'untraced') return { number: '', name: 'path not traced', time: '' };
  if (stop.kind === 'hop') return { number: String(stop.hop.ttl), name: stop.hop.address ?? '', time: timeText(stop.hop.rtt_ms) };
  const { from, to } = stop;
  return { number: from === to ? String(from) : `${from}-${to}`, name: 'no response', time: '' };
}

function timeText(ms: number | null): string {
  if (ms === null) return '';
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

function tlsText({ protocol, issuer, valid_to: to, problem }: NonNullable<ExaminedRegion['tls']>): string {
  return [problem, protocol, issuer, to && `valid until ${minuteOf(to)} UTC`].filter(Boolean).join(', ');
}

function familyText(family: string): string {
  return family === 'absent' ? 'no address' : family;
}

function listOf(texts: readonly string[]): string {
  return texts.length === 0 ? '–' : texts.join(', ');
}

/** An instant to the minute, in UTC. Numbers are Unix ms. */
export function minuteOf(instant: string | number): string {
  return new Date(instant).toISOString().slice(0, 16).replace('T', ' ');
}
