import type { ErrorType } from '../../../shared/contracts/result.ts';
import { endpointOf, networkOf, parsedUrl, plainAddress } from '../../../shared/net-guard.ts';
import type { MonitorConfig } from '../monitor-config.ts';
import type { MonitorItem, MonitorState, SeenAddress } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { isAssigned } from '../votes/quorum-rules.ts';
import { isOfCurrentCheck } from '../votes/region-rules.ts';

/** What monitors can have in common, the most telling first. */
export const FEATURE_KINDS =
  ['dependency', 'address', 'network', 'name_server', 'certificate', 'region', 'group'] as const;
export type FeatureKind = (typeof FEATURE_KINDS)[number];

/** A kind and its value: `address:192.0.2.7`. */
export type Feature = `${FeatureKind}:${string}`;

export function featureParts(feature: string): { kind: FeatureKind; value: string } {
  const at = feature.indexOf(':');
  return { kind: feature.slice(0, at) as FeatureKind, value: feature.slice(at + 1) };
}

/** A target with more addresses at a time has none that tells anything. */
const MAX_ADDRESSES = 8;
/** How often the time of an address is updated. It is forgotten after twice as long. */
const REFRESH_MS = 3_600_000;

/** Records the address of a result if it is new, so that a state changes rarely. */
export function recordAddress(step: MonitorStep, item: MonitorItem): void {
  const { config, addresses } = step.state;
  if (item.kind === 'config') {
    const isOther = step.before.config.check_revision !== config.check_revision;
    if (isOther && addresses !== null) step.state = { ...step.state, addresses: null };
    return;
  }
  if (item.kind !== 'result' || item.late || config.type === 'DNS') return;
  const { remote_address: address, started_at: at } = item.result;
  if (address === null) return;
  const seen = addresses ?? [];
  const known = seen.find((one) => one.address === address);
  if (known !== undefined && at - known.at < REFRESH_MS) return;
  if (!isOfCurrentCheck(config, item.result) || !isAssigned(config, item.region)) return;
  const others = seen.filter((one) => one !== known && at - one.at < 2 * REFRESH_MS);
  if (others.length >= MAX_ADDRESSES) return;
  step.state = { ...step.state, addresses: [...others, { address, at }] };
}

/** Reports the features of a monitor when they change. */
export function reportFeatures(step: MonitorStep, item: MonitorItem): void {
  const { before, state } = step;
  const isNew = item.kind === 'config' && item.config === before.config;
  const isSame = before.config === state.config && before.addresses === state.addresses
    && before.certificate?.seen === state.certificate?.seen;
  if (isSame && !isNew) return;
  const features = featuresOf(state);
  const reported = isNew ? [] : featuresOf(before);
  if (features.join() === reported.join()) return;
  const { monitor_id, organization_id } = state.config;
  step.effects.push({ kind: 'features', record: {
    monitor_id, organization_id, features, position: step.position,
  } });
}

/** Adds to the incident of a new outage what its failure can be about. */
export function attachFeatures(step: MonitorStep): void {
  const { before, state: { outage } } = step;
  if (outage === null || before.outage !== null || outage.reopened) return;
  step.effects = step.effects.map((effect) => (
    effect.kind === 'open' && effect.opening.id === outage.incident_id
      ? { kind: 'open', opening: { ...effect.opening, features: failingFeatures(step.state) } } : effect
  ));
}

/** All features of a monitor; none unless it is active. */
export function featuresOf(state: Pick<MonitorState, 'config' | 'addresses' | 'certificate'>): Feature[] {
  const { config, certificate } = state;
  if (config.status !== 'active') return [];
  const addresses = addressesOf(config, state.addresses);
  const fingerprints = (certificate?.seen ?? []).map(({ fingerprint256 }) => fingerprint256).filter(Boolean);
  return unique([
    ...(config.depends_on ?? []).map((id): Feature => `dependency:${id}`),
    ...addresses.map((address): Feature => `address:${address}`),
    ...addresses.map((address): Feature => `network:${networkOf(address)}`),
    ...(config.name_server ? [`name_server:${config.name_server}` as const] : []),
    ...fingerprints.map((fingerprint): Feature => `certificate:${fingerprint}`),
    ...onlyRegionOf(config),
    ...(config.group_id ? [`group:${config.group_id}` as const] : []),
  ]);
}

/**
 * The features that the outage can be about: after a failed lookup not the address, and after a failed
 * handshake the certificate if that is what failed.
 */
function failingFeatures(state: MonitorState): Feature[] {
  const { certificate, outage, config } = state;
  const kinds = new Set<FeatureKind>(['dependency', 'region', 'group', ...kindsOf(config, outage?.type)]);
  const invalid = (certificate?.seen ?? []).filter(({ problem }) => problem !== null);
  const isCertificate = outage?.type === 'ssl_error' && invalid.length > 0;
  if (!isCertificate) return featuresOf(state).filter((one) => kinds.has(featureParts(one).kind));
  const blamed = invalid.map(({ fingerprint256 }): Feature => `certificate:${fingerprint256}`);
  return featuresOf(state).filter((one) => {
    const { kind } = featureParts(one);
    return kind === 'certificate' ? blamed.includes(one) : kinds.has(kind) && kind !== 'address' && kind !== 'network';
  });
}

function kindsOf({ type, heartbeat }: MonitorConfig, error: ErrorType | undefined): FeatureKind[] {
  if (heartbeat) return [];
  const isLookup = type === 'DNS' || error === 'dns_error' || error === 'dns_validation_error';
  return isLookup ? ['name_server'] : ['address', 'network'];
}

/** A target that is an address needs no check to be known. */
function addressesOf({ type, target }: MonitorConfig, seen: readonly SeenAddress[] | null): string[] {
  if (type === 'DNS' || type === 'HEARTBEAT') return [];
  const host = plainAddress(hostOf(type, target));
  const known = host === null ? (seen ?? []).flatMap(({ address }) => plainAddress(address) ?? []) : [host];
  return unique(known).sort();
}

function hostOf(type: MonitorConfig['type'], target: string): string {
  const url = parsedUrl(type === 'HTTP' || type === 'KEYWORD' ? target : `tcp://${target}`);
  return url === null ? target : endpointOf(url).host;
}

/** A monitor that several regions check shares no region's fate. */
function onlyRegionOf({ assigned, monitoring_regions, type }: MonitorConfig): Feature[] {
  if (type === 'HEARTBEAT') return [];
  const [region, ...others] = assigned ?? monitoring_regions;
  return region !== undefined && others.length === 0 ? [`region:${region}`] : [];
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}
