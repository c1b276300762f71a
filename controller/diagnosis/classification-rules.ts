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
 * The first rule that applies decides. Each requires two independent observations and no contradicting one.
 * If none applies, the classification is `unknown`.
 */
const RULES: readonly Rule[] = [
  { is: 'probe', if: 'only probes whose own network is down see it down', rule: onlyCutOff },
  { is: 'certificate', if: 'probes in two networks get the same bad certificate from one address', rule: badCertificate },
  { is: 'unknown', if: 'no probe sees it down', rule: nothingWrong },
  { is: 'unknown', if: 'probes in only one network examined it', rule: tooFewObservations },
  { is: 'dns', if: 'its name does not resolve from the failing regions only', rule: missingAddress },
  { is: 'dns', if: 'its name does not resolve from any region', rule: noAddress },
  { is: 'dns', if: 'name servers disagree in the failing regions only', rule: wrongAddress },
  { is: 'path', if: 'large packets get lost only from the failing regions', rule: largePacketsLost },
  { is: 'path', if: 'paths end early, to an address that other regions reach', rule: brokenPath },
  { is: 'target', if: 'it refuses connections from all regions', rule: refused },
  { is: 'target', if: 'it refuses connections over one address family from all regions', rule: familyRefused },
  { is: 'unknown', if: 'one address family fails, which the probe may lack', rule: familyFails },
  { is: 'target', if: 'it accepts connections from all regions, and its response is bad or missing', rule: badResponse },
  { is: 'target', if: 'it does not respond, but its network responds to all regions', rule: silentInReach },
  { is: 'target', if: 'it does not respond to any region, but its neighbor responds', rule: silentByItself },
  { is: 'edge', if: 'several targets behind one edge do not respond, nor do their networks', rule: sharedEdge },
];

/** Where an outage comes from. Pure and total. */
export function classify(input: DiagnosisInput): Verdict {
  const { observations } = input;
  return classifyByRule(input) ?? {
    classification: 'unknown', summary: unexplained(factsOf(input)), decided_by: observations.map(sentenceOf),
  };
}

/** As `classify`; null if no rule applies. */
export function classifyByRule(input: DiagnosisInput): Verdict | null {
  const { observations } = input;
  const facts = factsOf(input);
  for (const { is: classification, rule } of RULES) {
    const found = rule(facts);
    if (found === null) continue;
    const { summary, also } = typeof found === 'string' ? { summary: found, also: [] } : found;
    return { classification, summary, decided_by: [...observations.map(sentenceOf), ...also] };
  }
  return null;
}

function factsOf({ observations, ...surroundings }: DiagnosisInput): Facts {
  const [sound, cutOff] = [true, false].map((hasNetwork) => (
    observations.filter(({ examination }) => examination.has_network === hasNetwork)
  )) as [Observation[], Observation[]];
  const seeing = (sees: 'down' | 'up') => sound.filter(({ examination }) => examination.sees === sees);
  return { ...surroundings, sound, cutOff, down: seeing('down'), up: seeing('up') };
}
