import { bareGets } from './loads/bare-gets.ts';
import { bareHandshakes } from './loads/bare-handshakes.ts';
import { bareLookups } from './loads/bare-lookups.ts';
import { blackboxDriver } from './loads/blackbox-driver.ts';
import { firstFailurePoller } from './loads/first-failure-poller.ts';
import { bareIngest, ingestResults } from './loads/ingest-results.ts';
import { bareMemory, controllerMemory, probeMemory } from './loads/memory.ts';
import { pingChecks } from './loads/ping-checks.ts';
import { queuedAlerts } from './loads/queued-alerts.ts';
import { bareBlocks, storeBlocks } from './loads/store-blocks.ts';
import { readMonitors } from './loads/read-monitors.ts';
import { bareTakeOver, leaveShards, takeOver } from './loads/take-over.ts';
import { absoluteTimers, burnCpu, naiveTimers, virtualHour, wheelTimers } from './loads/timers.ts';
import { publishBatches, publishEach, takeBatches, takeEach } from './loads/transport.ts';
import { virtualFleet } from './loads/virtual-fleet.ts';

/** Loads that run in separate processes, to isolate their CPU time and memory. */
const LOADS: Record<string, (options: Record<string, unknown>) => Promise<unknown>> = {
  bareGets, bareHandshakes, bareLookups, blackboxDriver, firstFailurePoller, ingestResults, bareIngest, pingChecks, queuedAlerts,
  storeBlocks, bareBlocks, absoluteTimers, naiveTimers, wheelTimers, publishBatches, publishEach, takeBatches, takeEach,
  bareMemory, burnCpu, controllerMemory, probeMemory, readMonitors, virtualFleet, virtualHour,
  leaveShards, takeOver, bareTakeOver,
};

const [name = '', options = '{}'] = process.argv.slice(2);
const load = LOADS[name];
if (!load) throw new Error(`no load ${name}`);
const before = process.cpuUsage();
const figures = await load(JSON.parse(options) as Record<string, unknown>);
const used = process.cpuUsage(before);
// A load with a preparation phase reports its own CPU time.
const own = (figures as { cpuMs?: number }).cpuMs;
process.stdout.write(`${JSON.stringify({ cpuMs: own ?? (used.user + used.system) / 1000, figures })}\n`);
process.exit(0);
