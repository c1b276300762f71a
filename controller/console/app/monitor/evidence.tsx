import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { canEdit } from '../api/session.ts';
import { checkTexts } from '../texts/checks.ts';
import { Time, timeText } from '../ui/time.tsx';
import { difference, type Part } from './difference.ts';
import { sameCheck } from './follow-live.ts';
import { PhaseBar } from './phase-bar.tsx';
import type { Evidence, Result } from './monitor-queries.ts';

type CapturedResponse = NonNullable<Evidence['last_good']>;

/** Probes send evidence of few failures per outage, so an earlier failure up to this age may represent this one. */
const MAX_EVIDENCE_AGE_MS = 3_600_000;

/** The target's response to a failed check beside the last good response; for editors only. */
export function EvidenceOf({ result }: { result: Result }) {
  const { monitor_id: id } = result;
  const { data } = useQuery({
    queryKey: ['monitors', id, 'evidence'], enabled: canEdit.value,
    queryFn: async () => (
      await unwrap(api.GET('/api/monitors/{id}/evidence', { params: { path: { id }, query: { limit: 50 } } }))
    ).evidence,
  });
  const found = evidenceFor(data ?? [], result);
  if (found === null) return null;
  const { failed, isOfCheck } = found;
  return (
    <>
      {!isOfCheck && <p class="faint small">{checkTexts.earlierEvidence} <Time at={failed.checked_at} /></p>}
      <Comparison failed={failed} good={failed.last_good} />
    </>
  );
}

/** The check's own evidence, else the latest of the same failure in its region within the hour before. */
export function evidenceFor(all: readonly Evidence[], result: Result): { failed: Evidence; isOfCheck: boolean } | null {
  const exact = all.find((one) => sameCheck(one, result));
  if (exact !== undefined) return { failed: exact, isOfCheck: true };
  const before = all.filter(({ region, checked_at: at, error }) => (
    region === result.region && error.type === result.error?.type && at < result.checked_at && at >= result.checked_at - MAX_EVIDENCE_AGE_MS
  ));
  const [latest] = before.sort((one, other) => other.checked_at - one.checked_at);
  return latest === undefined ? null : { failed: latest, isOfCheck: false };
}

function Comparison({ failed, good }: { failed: CapturedResponse; good: CapturedResponse | null }) {
  const rows = rowsOf(failed, good).filter(([, mine, theirs]) => mine !== '' || theirs !== '');
  const maxMs = Math.max(...[failed, good].map((one) => Object.values(one?.timings ?? {}).reduce((sum, ms) => sum + ms, 0)));
  return (
    <div class="table-wrap comparison" tabIndex={0} role="group" aria-label={checkTexts.evidence}>
      <table>
        <thead>
          <tr>
            <th scope="col">{checkTexts.evidence}</th>
            <th scope="col">{checkTexts.thisCheck} <Time at={failed.checked_at} /></th>
            <th scope="col">{good === null ? checkTexts.noGood : <>{checkTexts.lastGood} <Time at={good.checked_at} /></>}</th>
          </tr>
        </thead>
        <tbody>
          {(failed.timings ?? good?.timings ?? null) !== null && (
            <tr>
              <th scope="row">{checkTexts.phases}</th>
              <td><PhaseBar timings={failed.timings} scaleMs={maxMs} /></td>
              <td><PhaseBar timings={good?.timings ?? null} scaleMs={maxMs} /></td>
            </tr>
          )}
          {rows.map(([name, mine, theirs]) => <Row key={name} name={name} mine={mine} theirs={good === null ? null : theirs} />)}
        </tbody>
      </table>
    </div>
  );
}

function Row({ name, mine, theirs }: { name: string; mine: string; theirs: string | null }) {
  const [own, other] = theirs === null ? [[{ text: mine, isUnique: false }], []] : difference(mine, theirs);
  const isSame = theirs === mine;
  return (
    <tr class={isSame ? 'same' : ''}>
      <th scope="row">{name}</th>
      <td><Marked parts={own} kind="mine" /></td>
      <td>{isSame ? <span class="faint">{checkTexts.same}</span> : <Marked parts={other} kind="theirs" />}</td>
    </tr>
  );
}

function Marked({ parts, kind }: { parts: readonly Part[]; kind: 'mine' | 'theirs' }) {
  if (parts.every(({ text }) => text === '')) return <span class="faint">–</span>;
  return <pre>{parts.map(({ text, isUnique }, at) => (isUnique ? <mark key={at} class={kind}>{text}</mark> : text))}</pre>;
}

type Texts = [name: string, failed: string, good: string];

/** The parts of a response as text; empty if absent. Headers are sorted by name. */
function rowsOf(failed: CapturedResponse, good: CapturedResponse | null): Texts[] {
  const rowOf = (name: string, text: (one: CapturedResponse) => string | null): Texts => (
    [name, text(failed) ?? '', good === null ? '' : text(good) ?? '']
  );
  const names = [...new Set([failed, good].flatMap((one) => one?.headers.map(({ name }) => name.toLowerCase()) ?? []))].sort();
  return [
    rowOf(checkTexts.statusLine, ({ status_line: line }) => line),
    rowOf(checkTexts.address, ({ remote_address: address }) => address),
    rowOf(checkTexts.addresses, ({ addresses }) => addresses.join('\n')),
    rowOf(checkTexts.certificate, ({ certificate }) => certificate && certificateText(certificate)),
    rowOf(checkTexts.body, ({ body_excerpt: body }) => body),
    ...names.map((name) => rowOf(name, ({ headers }) => (
      headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value).join('\n')
    ))),
  ];
}

function certificateText({ subject, issuer, valid_to: to, problem, protocol, fingerprint_sha256: print }: NonNullable<CapturedResponse['certificate']>): string {
  return [subject, issuer, to === null ? '' : timeText(to), protocol, print, problem ?? ''].filter(Boolean).join('\n');
}
