import { monitorTexts } from '../texts/monitor.ts';

/** Translates a reason that the API gives as a code; other reasons are error texts of checks. */
export function reasonText(reason: string): string {
  switch (reason) {
    case 'silent': return monitorTexts.silent;
    case 'quarantined': return monitorTexts.quarantined;
    case 'no_live_probe': return monitorTexts.noProbeOnline;
    case 'overload': return monitorTexts.overload;
    case 'blocked_target': return monitorTexts.blockedTarget;
    case 'unsupported': return monitorTexts.unsupported;
    case 'probe_unhealthy': return monitorTexts.probeUnhealthy;
    case 'probe_down': return monitorTexts.probeDown;
    case 'clock_jump': return monitorTexts.clockJump;
    case 'unreachable': return monitorTexts.unreachable;
    case 'timeout': return monitorTexts.timedOut;
    case 'refused': return monitorTexts.refused;
    default: return reason;
  }
}
