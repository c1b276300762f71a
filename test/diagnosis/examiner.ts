import { SystemResolver } from '../../probe/checks/network/resolver.ts';
import { Anchors } from '../../probe/runner/anchors.ts';
import { openExaminer } from '../../probe/wiring/examiner.ts';
import type { Assignment } from '../../shared/contracts/assignment.ts';
import { systemClock } from '../../shared/time.ts';
import { respondToLines } from './line-process.ts';

/** The examiner of a probe, without a controller: arguments are its installation and its name servers. */
const [host = '', port = '', ...nameServers] = process.argv.slice(2);
const anchors = new Anchors({
  clock: systemClock, resolver: new SystemResolver(systemClock), named: [],
  installation: [{ host, port: Number(port) }], isLinkResponsive: () => Promise.resolve(false),
});
const examiner = await openExaminer({
  clock: systemClock, version: '1',
  isCutOff: (sinceMs) => anchors.isCutOff(sinceMs),
  settings: { checks: {
    anchors: [], examines: true, nameServers: nameServers.map((server) => ({ host: server, port: 53 })),
    allowPrivate: null, allowedRanges: [], deniedRanges: [],
  } },
});

await respondToLines<Assignment>((assignment) => examiner.examine(assignment));
