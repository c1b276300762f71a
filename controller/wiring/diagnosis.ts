import { EXAMINE_CAPABILITY } from '../../shared/contracts/examination.ts';
import { tenantOf } from '../access/tenant.ts';
import { chooseProbe, domainOf } from '../assignments/assigned-regions.ts';
import { Classifier } from '../diagnosis/classifier.ts';
import { Diagnoser } from '../diagnosis/diagnoser.ts';
import { summaryOf, type DiagnosisDoc } from '../diagnosis/diagnosis.ts';
import { chooseExaminers } from '../diagnosis/examiner-rules.ts';
import { diagnosisRoutes } from '../diagnosis/routes.ts';
import { queueRefusal } from '../http/limits/rate-limit.ts';
import { incidentEvent } from '../incidents/views.ts';
import { loadMonitor } from '../monitors/verbs/read-monitors.ts';
import type { UnwrittenReader } from '../results/reading/recent/unwritten-reader.ts';
import { FairQueue } from '../work/fair-queue.ts';
import type { Events } from './events.ts';
import type { Fleet } from './fleet.ts';
import type { Notifications } from './notifications.ts';
import type { ControllerPorts } from './ports.ts';

/** Requested diagnoses; those of failures have places of their own. */
const REQUESTS = {
  maxRunning: 12, maxRunningPerKey: 4, maxWaiting: 20, maxWaitingPerKey: 4, maxWaitMs: 1500,
};
/** For an organization with too many requests waiting, s. */
const RETRY_AFTER_S = 5;

interface DiagnosisSources {
  fleet: Pick<Fleet, 'directory' | 'liveness' | 'runNow' | 'witnesses' | 'placement' | 'mesh'>;
  events: Pick<Events, 'publisher'>;
  notifications: Pick<Notifications, 'underDiagnosis' | 'onDiagnosed'>;
}

type States = Pick<UnwrittenReader, 'states'>;

export type Diagnosis = ReturnType<typeof openDiagnosis>;

/** Diagnoses of outages: examinations by probes, and the routes to request and read them. */
export function openDiagnosis(ports: ControllerPorts, { fleet, events, notifications }: DiagnosisSources) {
  const { stores, clock, log } = ports;
  const { diagnoses, diagnosisTurns: turns, incidents, monitors, features, assignments: items } = stores;
  const { directory, liveness, runNow, witnesses, placement } = fleet;
  let states: States['states'] = async () => new Map();
  const networkOf = (region: string) => domainOf(directory.probesOf(region));
  const classifier = new Classifier({
    diagnoses, features, monitors,
    lastSuccesses: async (ids) => (
      new Map([...await states(ids)].map(([id, { last_success_at }]) => [id, last_success_at]))
    ),
    brokenEdges: (probeIds) => fleet.mesh.brokenEdges(probeIds),
    describe: (region) => {
      const [named] = directory.named([region]);
      return { label: named?.city ?? named?.name ?? region, network: networkOf(region) };
    },
  });
  const diagnoser = new Diagnoser({
    diagnoses, turns, classifier, clock, log,
    underway: notifications.underDiagnosis,
    examiners: {
      isAble: liveness.announcing(EXAMINE_CAPABILITY),
      choose: (suspect, regions, failed) => chooseExaminers({
        regions, failed, networkOf,
        witnesses: witnesses.possibleRegions(suspect, regions.map(({ region }) => region)),
        examinerOf: (region, preferred) => {
          const able = liveness.trustedWith(EXAMINE_CAPABILITY, region);
          if (preferred !== null && able.includes(preferred)) return preferred;
          return chooseProbe(suspect.monitor_id, able);
        },
      }),
      assignmentOf: async ({ monitor_id, check_revision }) => {
        const held = (await items.ofMonitors([monitor_id])).flatMap(({ assignment }) => assignment ?? []);
        const ofCheck = held.find(({ assignment_rev }) => assignment_rev === check_revision);
        if (ofCheck || check_revision !== null) return ofCheck ?? null;
        const [monitor] = await monitors.findByIds([monitor_id]);
        return monitor ? [...(await placement.assignmentsOf(monitor)).values()][0] ?? null : null;
      },
      examine: (region, probeId, assignment) => runNow.examine(region, probeId, assignment),
    },
    onDiagnosed: async (diagnosis: DiagnosisDoc) => {
      const { monitor_id, failed_at } = diagnosis;
      const ids = await incidents.ofOutage(tenantOf(diagnosis), monitor_id, failed_at);
      const changed = await incidents.setDiagnosis(ids, summaryOf(diagnosis));
      for (const incident of changed) events.publisher.publish(incidentEvent(incident));
      await notifications.onDiagnosed(ids);
    },
  });
  return {
    diagnoser,
    /** From now on, reads the state of monitors from `reader`. */
    follow: (reader: States): void => {
      states = (ids) => reader.states(ids);
    },
    routes: diagnosisRoutes({
      diagnoses, incidents,
      requests: new FairQueue(clock, REQUESTS, queueRefusal(
        RETRY_AFTER_S, 'Too many targets are being examined; try again in a moment',
      )),
      monitors: { load: (ctx, id) => loadMonitor({ monitors }, ctx, id) },
      diagnose: async (monitor) => {
        const { _id: monitor_id, organization_id, project_id, monitoring_regions } = monitor;
        const seen = (await states([monitor_id])).get(monitor_id)?.regions ?? [];
        const assigned = await placement.regionsOf(monitor);
        const regions = assigned.map((region) => {
          const { status, probe_id = null } = seen.find((one) => one.region === region) ?? {};
          const is = status === 'degraded' ? 'up' : status === 'up' || status === 'down' ? status : 'unknown';
          return { region, probe_id, is } as const;
        });
        const suspect =
          { monitor_id, organization_id, project_id, monitoring_regions, assigned, check_revision: null };
        return diagnoser.diagnose(suspect, regions);
      },
    }),
  };
}
