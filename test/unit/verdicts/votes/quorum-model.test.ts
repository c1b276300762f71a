import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import { configOf } from '../../results/build.ts';
import { verdictOf } from '../../../../controller/verdicts/votes/quorum-rules.ts';
import { agreedRanges } from '../../../../controller/verdicts/status/late-outage-rules.ts';
import { NEW_REGION } from '../../../../controller/verdicts/votes/region-rules.ts';
import type { MonitorState } from '../../../../controller/verdicts/monitor-state.ts';
import { fewOrAll } from '../../../helpers/few-or-all.ts';

type PlaceVote = 'up' | 'down';
interface Place { name: string; network: string | null; isAssigned: boolean; vote: PlaceVote | null }
interface Situation { policy: MonitorConfig['quorum']; places: Place[]; isMinorityAccepted: boolean }

/**
 * The rule as documented, sentence by sentence and without product code: `docs/verdicts.md`, "When is a monitor down?". Null:
 * undecided.
 */
function documented({ policy, places, isMinorityAccepted }: Situation): 'up' | 'down' | 'unknown' | null {
  const assigned = places.filter((place) => place.isAssigned);
  // "Each assigned region that reports has one vote. Regions in one network have one vote together, which is
  // `down` only when all of them that report say so."
  const votesOf = (voters: Place[]): PlaceVote[] => {
    const ungrouped = voters.filter(({ network, vote }) => network === null && vote !== null);
    const networks = new Set(voters.flatMap(({ network, vote }) => (vote === null ? [] : network ?? [])));
    return [
      ...ungrouped.map(({ vote }) => vote as PlaceVote),
      ...[...networks].map((shared): PlaceVote =>
        (voters.some(({ network, vote }) => network === shared && vote === 'up') ? 'up' : 'down')),
    ];
  };
  let votes = votesOf(assigned);
  // "Without any vote, the monitor is unknown."
  if (votes.length === 0) return 'unknown';
  const downs = () => votes.filter((vote) => vote === 'down').length;
  // "`any`: one vote is enough. `all`: every vote."
  if (policy === 'any') return downs() >= 1 ? 'down' : 'up';
  if (policy === 'all') return downs() === votes.length ? 'down' : 'up';
  // "A number: that many votes; while fewer report, the monitor is unknown."
  if (typeof policy === 'number') return votes.length < policy ? 'unknown' : downs() >= policy ? 'down' : 'up';
  // "`majority`: more than half of the votes, and where two or more regions are assigned, at least two."
  const isConfirmed = () => downs() * 2 > votes.length;
  if (assigned.length < 2 || votes.length >= 2) return isConfirmed() ? 'down' : 'up';
  // "If fewer than two report, and they say `down`, others are asked, and their votes count."
  if (!isConfirmed()) return 'up';
  votes = votesOf(places.filter((place) => place.isAssigned || place.vote !== null));
  if (!isConfirmed()) return 'up';
  // "If nobody else can be asked in time, those that report decide."
  return votes.length >= 2 || isMinorityAccepted ? 'down' : null;
}

function decided({ policy, places, isMinorityAccepted }: Situation): ReturnType<typeof documented> {
  const inNetwork = places.filter(({ network }) => network !== null);
  const config = configOf({
    quorum: policy, assigned: places.filter((place) => place.isAssigned).map(({ name }) => name),
    domains: Object.fromEntries(inNetwork.map(({ name, network }) => [name, network as string])),
  });
  const regions: MonitorState['regions'] = {};
  const witnesses: NonNullable<MonitorState['witnesses']> = {};
  for (const { name, vote, isAssigned, network } of places) {
    if (isAssigned) regions[name] = { ...NEW_REGION, verdict: vote ?? 'unknown' };
    else if (vote !== null) {
      witnesses[name] = {
        vote: vote, probe_id: name, engine: '1', error: null, attempt: 1, at: 0,
        ...(network === null ? {} : { domain: network }),
      };
    }
  }
  const hasWitnesses = verdictOf({ config, regions }) === 'short' && Object.keys(witnesses).length > 0;
  const verdict = verdictOf({
    config, regions, witnesses: hasWitnesses ? witnesses : null, minority_accepted: isMinorityAccepted,
  });
  return verdict === 'short' ? null : verdict as 'up' | 'down' | 'unknown';
}

const situations: fc.Arbitrary<Situation> = fc.record({
  policy: fc.constantFrom<MonitorConfig['quorum']>('majority', 'majority', 'any', 'all', 1, 2, 3),
  places: fc.array(fc.record({
    network: fc.constantFrom(null, null, 'AS1', 'AS2'), isAssigned: fc.boolean(),
    vote: fc.constantFrom<PlaceVote | null>('up', 'down', 'down', null),
  }), { maxLength: 7 }).map((all) => all.map((place, index) => ({ name: `r${index}`, ...place }))),
  isMinorityAccepted: fc.boolean(),
});

test('the verdict matches the documentation for any votes', () => {
  fc.assert(fc.property(situations, (situation) => {
    expect(decided(situation)).toBe(documented(situation));
  }), { numRuns: fewOrAll(500, 5000) });
});

/** The late results of the assigned regions in one time range. */
function foundLate({ policy, places }: Situation): boolean {
  const assigned = places.filter((place) => place.isAssigned);
  const inNetwork = assigned.filter(({ network }) => network !== null);
  const config = configOf({
    quorum: policy, assigned: assigned.map(({ name }) => name),
    domains: Object.fromEntries(inNetwork.map(({ name, network }) => [name, network as string])),
  });
  const down = places.filter(({ vote }) => vote === 'down');
  const found = down.map(({ name: region }) => ({ region, from: 1, until: 2 }));
  return agreedRanges({ config, regions: {} }, found).length > 0;
}

test('late results show an outage if the votes would be down with all silent regions voting up', () => {
  fc.assert(fc.property(situations, ({ policy, places }) => {
    // "When enough votes for it are `down` out of all assigned regions."
    const all = places.filter((place) => place.isAssigned)
      .map((place) => ({ ...place, vote: place.vote ?? 'up' as const }));
    const isFound = foundLate({ policy, places, isMinorityAccepted: false });
    expect(isFound).toBe(documented({ policy, places: all, isMinorityAccepted: false }) === 'down');
  }), { numRuns: fewOrAll(500, 5000) });
});
