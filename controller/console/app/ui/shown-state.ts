interface Health {
  runtimeStatus: 'up' | 'down' | 'degraded' | 'paused' | 'unknown';
  in_maintenance: boolean;
}

/** A monitor's state as the console shows it. */
export type ShownState = Health['runtimeStatus'] | 'maintenance';

/** Maintenance takes precedence over check results. */
export function shownState({ runtimeStatus, in_maintenance: isMaintained }: Health): ShownState {
  return isMaintained && runtimeStatus !== 'paused' ? 'maintenance' : runtimeStatus;
}
