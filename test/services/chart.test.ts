import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root } from '../root.mjs';
import { go, goProgram, prometheusDefinitions } from './go-programs.ts';

const CHART = join(root, 'deploy/helm/farwatch');
const DEFAULTS = {
  image: { repository: 'registry.example.com/farwatch' },
  mongodb: { existingSecret: 'mongodb' },
  nats: { url: 'nats://nats-0.nats:4222,nats://nats-1.nats:4222' },
};
const PROBE = { enabled: true, enrolmentKey: { existingSecret: 'farwatch-enrolment-key' } };
const EVERYTHING = {
  ...DEFAULTS,
  image: { ...DEFAULTS.image, tag: '2.0.0', pullPolicy: 'Always', pullSecrets: ['registry'] },
  baseUrl: 'https://farwatch.example.com',
  nats: { ...DEFAULTS.nats, publicUrl: 'tls://nats.example.com:4222', credentials: { existingSecret: 'nats' } },
  caCertificates: { existingSecret: 'authority' },
  controller: {
    replicas: 3, settings: { TRUST_PROXY: '1', HOST: '::' }, existingSecret: 'mail',
    storage: { size: '2Gi', className: 'fast' },
    service: { type: 'LoadBalancer', port: 8080, annotations: { 'example.com/kind': 'internal' } },
    nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'only', operator: 'Exists' }],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }],
    } } },
  },
  probe: {
    ...PROBE, icmp: 'raw', controllerUrl: 'https://farwatch.example.com',
    settings: { PROBE_ALLOW_PRIVATE: 'false' }, nodeSelector: { disk: 'ssd' },
  },
  networkPolicy: {
    enabled: true, from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
  },
  serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'prometheus' } },
};

interface Container {
  args: string[];
  env: { name: string; value?: string; valueFrom?: unknown }[];
  securityContext: { capabilities: { add?: string[] }; allowPrivilegeEscalation: boolean };
}
interface Resource {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: { containers: [Container]; terminationGracePeriodSeconds: number; securityContext: unknown } } };
}

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-chart-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function fileOf(values: object): string {
  const path = join(dir, 'values.json');
  writeFileSync(path, JSON.stringify(values));
  return path;
}

const render = (values: object) =>
  goProgram('helm', 'template', 'farwatch', CHART, '--namespace', 'monitoring', '--values', fileOf(values));

/** Renders the chart, lets kubectl-validate check it, and returns its resources by kind and name. */
async function valid(values: object): Promise<Map<string, Resource>> {
  await goProgram('helm', 'lint', '--strict', CHART, '--values', fileOf(values));
  const text = await render(values);
  const file = join(dir, 'rendered.yaml');
  writeFileSync(file, text);
  await goProgram('kubectl-validate', file, '--local-crds', prometheusDefinitions());
  const resources = parseAllDocuments(text).map((document) => document.toJS() as Resource);
  return new Map(resources.map((resource) => [`${resource.kind} ${resource.metadata.name}`, resource]));
}

const podOf = (resource: Resource | undefined) => resource?.spec.template.spec as Resource['spec']['template']['spec'];
const variable = (resource: Resource | undefined, wanted: string) =>
  podOf(resource).containers[0].env.find(({ name }) => name === wanted);

describe.runIf(go !== null)('the Helm chart', () => {
  const ofControllers = [
    'NetworkPolicy farwatch', 'PodDisruptionBudget farwatch', 'Service farwatch', 'Service farwatch-controllers',
    'StatefulSet farwatch',
  ];

  test('renders controllers only, without a probe', async () => {
    const found = await valid(DEFAULTS);
    expect([...found.keys()].sort()).toEqual(ofControllers);
    const controllers = found.get('StatefulSet farwatch');
    expect(variable(controllers, 'MONGODB_URL')?.valueFrom)
      .toEqual({ secretKeyRef: { name: 'mongodb', key: 'MONGODB_URL' } });
    expect(variable(controllers, 'NATS_URL')?.value).toBe(DEFAULTS.nats.url);
    expect(variable(controllers, 'BASE_URL')?.value).toBe('http://farwatch.monitoring.svc:80');
  });

  test.each(['Deployment', 'DaemonSet'])('renders probes as a %s with an enrolment key', async (kind) => {
    const found = await valid({ ...DEFAULTS, probe: { ...PROBE, kind } });
    const budget = kind === 'Deployment' ? ['PodDisruptionBudget farwatch-probe'] : [];
    expect([...found.keys()].sort())
      .toEqual([...ofControllers, `${kind} farwatch-probe`, 'NetworkPolicy farwatch-probe', ...budget].sort());
    const probes = found.get(`${kind} farwatch-probe`);
    expect(podOf(probes).containers[0].args).toEqual(['probe', '--controller', 'http://farwatch.monitoring.svc:80']);
    expect(variable(probes, 'FARWATCH_TOKEN')?.valueFrom)
      .toEqual({ secretKeyRef: { name: 'farwatch-enrolment-key', key: 'FARWATCH_TOKEN' } });
    expect(variable(probes, 'NATS_URL')?.value).toBe(DEFAULTS.nats.url);
  });

  test('every pod is unprivileged and has time to stop', async () => {
    const found = await valid({ ...DEFAULTS, probe: PROBE });
    for (const name of ['StatefulSet farwatch', 'Deployment farwatch-probe']) {
      const pod = podOf(found.get(name));
      expect(pod.terminationGracePeriodSeconds, name).toBeGreaterThan(5 + 10);
      expect(pod.securityContext, name)
        .toMatchObject({ runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.containers[0].securityContext, name).toEqual({
        allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] },
      });
    }
  });

  test('takes all values', async () => {
    const found = await valid(EVERYTHING);
    expect([...found.keys()]).toContain('ServiceMonitor farwatch');
    const controllers = found.get('StatefulSet farwatch');
    expect(podOf(controllers).containers[0].env.filter(({ name }) => name === 'HOST')).toEqual([{ name: 'HOST', value: '::' }]);
    expect(variable(controllers, 'NATS_CREDS')?.value).toBe('/run/farwatch/nats/nats.creds');
    const probe = podOf(found.get('Deployment farwatch-probe')).containers[0];
    expect(probe.securityContext.capabilities.add).toEqual(['NET_RAW']);
    expect(variable(found.get('Deployment farwatch-probe'), 'PROBE_ALLOW_PRIVATE')?.value).toBe('false');
  });

  test.each([
    ['image.repository', { ...DEFAULTS, image: {} }, 'image.repository: name the image in your registry'],
    ['mongodb.existingSecret', { ...DEFAULTS, mongodb: {} }, 'mongodb.existingSecret: name a Secret with the key MONGODB_URL'],
    ['nats.url', { ...DEFAULTS, nats: {} }, 'nats.url: name your NATS servers'],
    ['the enrolment key', { ...DEFAULTS, probe: { enabled: true } }, 'probe.enrolmentKey.existingSecret: name a Secret'],
    ['a NATS address', { ...DEFAULTS, nats: { url: 'nats.example.com:4222' } }, "'/nats/url'"],
    ['a kind', { ...DEFAULTS, probe: { ...PROBE, kind: 'Job' } }, "'/probe/kind': value must be one of 'Deployment', 'DaemonSet'"],
    ['a number', { ...DEFAULTS, controller: { replicas: 0 } }, "'/controller/replicas'"],
    ['a setting that is no text', { ...DEFAULTS, controller: { settings: { RATE_LIMIT: 1e6 } } }, "'/controller/settings/RATE_LIMIT': got number, want string"],
    ['a setting of the chart', { ...DEFAULTS, controller: { settings: { PORT: '80' } } }, 'controller.settings.PORT: the chart itself sets it'],
    ['an unknown value', { ...DEFAULTS, mongo: { url: 'x' } }, "additional properties 'mongo' not allowed"],
  ])('refuses wrong values, naming what is wrong: %s', async (_, values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });

  test('has the version of the product, like the image', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const chart = parseAllDocuments(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))[0]?.toJS() as object;
    expect(chart).toMatchObject({ version, appVersion: version });
    const image = readFileSync(join(root, 'deploy/container/Containerfile'), 'utf8');
    expect(image).toContain(`ARG VERSION=${version}\n`);
  });
});
