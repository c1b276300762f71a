import type { ProxyVariables } from '../../shared/http-proxy.ts';
import type { Log } from '../../shared/log.ts';
import type { HostAndPort } from '../../shared/setting.ts';
import type { Clock } from '../../shared/time.ts';
import type { OwnPolicy } from '../checks/network/address-guard.ts';

/** The part of `loadProbeConfig`'s result that the probe uses. */
export interface ProbeSettings {
  dataDir: string;
  enrolment: { controllerUrl: string | null; token: string | null };
  natsUrl: string | null;
  mesh: 'public' | 'private' | 'off';
  proxies: ProxyVariables;
  checks: OwnPolicy & {
    anchors: readonly HostAndPort[];
    nameServers: readonly HostAndPort[];
    examines: boolean;
  };
}

/** What a probe is built on. */
export interface ProbePorts {
  settings: ProbeSettings;
  clock: Clock;
  log: Log;
  version: string;
  random: () => number;
  /** Open file limit of this process. */
  maxFiles: number;
  /** Called once, when connected and in sync with the controller's assignments. */
  onConnected?: () => void;
  /**
   * Called once if the controllers deleted this probe and its enrolment key has made another one. Stop this
   * probe, which deletes its data, and start it again.
   */
  onReplaced?: () => void;
}
