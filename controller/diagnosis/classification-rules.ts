import {
  badCertificate, badResponse, familyRefused, noAddress, refused, sharedEdge, silentByItself, silentInReach,
  tooFewObservations,
} from './all-regions-rules.ts';
import type { Classification } from './diagnosis.ts';
import { sentenceOf, type Facts, type Finding, type Observation } from './observation-rules.ts';
import {
  brokenPath, familyFails, largePacketsLost, missingAddress, nothingWrong, onlyCutOff, unexplained,
  wrongAddress,
} from './some-regions-rules.ts';

export interface DiagnosisInput extends Omit<Facts, 'cutOff' | 'down' | 'up' | 'sound'> {
  observations: Observation[];
}

export interface Verdict {
  classification: Classification;
  summary: string;
  decided_by: string[];
}

interface Rule {
  is: Classification;
  if: string;
  rule(facts: Facts): Finding;
}

/**
 * All rules: the first that applies decides. Each needs two independent observations, and none against it.
 * What no rule explains is unknown.
 */
const RULES: readonly Rule[] = [
  { is: 'probe', if: 'only probes without a network of their own see it down', rule: onlyCutOff },
  { is: 'certificate', if: 'probes in two networks get the same bad certificate from one address', rule: badCertificate },
  { is: 'unknown', if: 'no probe sees it down', rule: nothingWrong },
  { is: 'unknown', if: 'probes in only one network examined it', rule: tooFewObservations },
  { is: 'dns', if: 'its name has no address from the failing regions only', rule: missingAddress },
  { is: 'dns', if: 'its name has no address from any region', rule: noAddress },
  { is: 'dns', if: 'name servers disagree in the failing regions only', rule: wrongAddress },
  { is: 'path', if: 'large packets get lost from the failing regions only', rule: largePacketsLost },
  { is: 'path', if: 'paths end early, to an address that other regions reach', rule: brokenPath },
  { is: 'target', if: 'it refuses connections from all regions', rule: refused },
  { is: 'target', if: 'it refuses connections of one family from all regions', rule: familyRefused },
  { is: 'unknown', if: 'one family fails, which the probe may lack', rule: familyFails },
  { is: 'target', if: 'it connects from all regions and responds badly or not at all', rule: badResponse },
  { is: 'target', if: 'it is silent, and its network responds from all regions', rule: silentInReach },
  { is: 'target', if: 'it is silent from all regions, and its neighbor responds', rule: silentByItself },
  { is: 'edge', if: 'several targets behind one edge are silent, and so are their networks', rule: sharedEdge },
];

/** Where an outage comes from. Pure and total. */
export function classify({ observations, ...surroundings }: DiagnosisInput): Verdict {
  const [sound, cutOff] = [true, false].map((hasNetwork) => (
    observations.filter(({ examination }) => examination.has_network === hasNetwork)
  )) as [Observation[], Observation[]];
  const seeing = (sees: 'down' | 'up') => sound.filter(({ examination }) => examination.sees === sees);
  const facts: Facts = { ...surroundings, sound, cutOff, down: seeing('down'), up: seeing('up') };
  for (const { is: classification, rule } of RULES) {
    const found = rule(facts);
    if (found === null) continue;
    const { summary, also } = typeof found === 'string' ? { summary: found, also: [] } : found;
    return { classification, summary, decided_by: [...observations.map(sentenceOf), ...also] };
  }
  return { classification: 'unknown', summary: unexplained(facts), decided_by: observations.map(sentenceOf) };
}
