import type { HostAndPort } from '../../shared/setting.ts';

/*
 * How the quickstart's server learns of probes: its configuration includes `users.conf` inside account
 * PROBES. The controller writes that file (temporary file, rename) and then sends SIGHUP to the pid in the
 * pid file. It is one assignment whose list is plain JSON, one object per probe; with nobody in it, it reads
 * `users: []`:
 *
 *   users: [
 *   {"nkey":"U…","permissions":{
 *     "publish":{"allow":
 *       ["results.*.<region>.<id>","sync.<region>.<id>","beat.<region>.<id>","evidence.<region>.<id>"]},
 *     "subscribe":{"allow":["assign.<region>.<id>","run.<region>.<id>","_INBOX_<id>.>"]},
 *     "allow_responses":{"max":1,"expires":"60s"}}},
 *   ]
 */

export interface NatsSettings {
  listen: HostAndPort;
  tls: { certFile: string; keyFile: string } | null;
  /** Public nkey (U…) of the controller's user. */
  controllerKey: string;
  /** Names the server in its log, INFO and monitoring; also tells our process from others. */
  serverName: string;
  pidFile: string;
  /** Relative to the configuration file, as `include` wants it. */
  usersFile: string;
}

/** Largest message, bytes. A batch of results ends at 512 kB; the rest is room. */
const MAX_PAYLOAD = 1_048_576;

/**
 * Content of the server's configuration file: two accounts, and services across them in both directions.
 * Nobody but the controller could read what JetStream keeps or the system account tells, and either would
 * wake the server many times a second.
 */
export function natsConfig(settings: NatsSettings): string {
  const { listen, tls } = settings;
  return `# Written at each start; changes are lost.
server_name: ${JSON.stringify(settings.serverName)}
host: ${JSON.stringify(listen.host)}
port: ${listen.port}
pid_file: ${JSON.stringify(settings.pidFile)}
max_payload: ${MAX_PAYLOAD}
# A peer that vanished without a word is noticed within 30 s.
ping_interval: "10s"
ping_max: 2
write_deadline: "10s"
${tls ? tlsPart(tls) : ''}
no_system_account: true
accounts {
  CONTROL {
    users: [ { nkey: ${settings.controllerKey} } ]
    exports: [
      { service: "results.>", accounts: [PROBES] }
      { service: "sync.>", accounts: [PROBES] }
      { service: "beat.>", accounts: [PROBES] }
      { service: "evidence.>", accounts: [PROBES] }
    ]
    imports: [
      { service: { account: PROBES, subject: "assign.>" } }
      { service: { account: PROBES, subject: "run.>" } }
    ]
  }
  PROBES {
    include ${JSON.stringify(settings.usersFile)}
    exports: [
      { service: "assign.>", accounts: [CONTROL] }
      { service: "run.>", accounts: [CONTROL] }
    ]
    imports: [
      { service: { account: CONTROL, subject: "results.>" } }
      { service: { account: CONTROL, subject: "sync.>" } }
      { service: { account: CONTROL, subject: "beat.>" } }
      { service: { account: CONTROL, subject: "evidence.>" } }
    ]
  }
}
`;
}

/**
 * Our own processes come over loopback, where the certificate's name does not hold; everybody else is told
 * `tls://`.
 */
function tlsPart(tls: { certFile: string; keyFile: string }): string {
  return `tls { cert_file: ${JSON.stringify(tls.certFile)}, key_file: ${JSON.stringify(tls.keyFile)} }\nallow_non_tls: true\n`;
}
