import type { HostAndPort } from '../../../shared/setting.ts';

/*
 * The controller configures the users of the quickstart's server: it replaces two files atomically and then
 * sends SIGHUP to the pid in the pid file. Each file has one assignment whose list is plain JSON, one object
 * per user. Without users, they read `users: []` and `subscribers: []`.
 *
 * `users.conf`, included inside account PROBES:
 *
 *   users: [
 *   {"nkey":"U…","permissions":{
 *     "publish":{"allow":
 *       ["results.*.<region>.<id>","sync.<region>.<id>","beat.<region>.<id>","evidence.<region>.<id>"]},
 *     "subscribe":{"allow":["assign.<region>.<id>","run.<region>.<id>","_INBOX_<id>.>"]},
 *     "allow_responses":{"max":1,"expires":"60s"}}},
 *   ]
 *
 * `subscribers.conf`, included at the top; account SUBSCRIBERS refers to its variable. JetStream runs only
 * while there are subscribers, because it wakes the server many times a second:
 *
 *   include "jetstream.conf"
 *   subscribers: [
 *   {"nkey":"U…","permissions":{
 *     "publish":{"allow":["$JS.FARWATCH.API.CONSUMER.INFO.RAW.<consumer>",
 *       "$JS.FARWATCH.API.CONSUMER.MSG.NEXT.RAW.<consumer>","$JS.ACK.RAW.<consumer>.>"]},
 *     "subscribe":{"allow":["raw.<organization>.>","events.<organization>.>","_INBOX_<id>.>"]}}},
 *   ]
 */

export interface NatsSettings {
  listen: HostAndPort;
  tls: { certFile: string; keyFile: string } | null;
  /** Public nkey (U…) of the controller's user. */
  controllerKey: string;
  /** The server's name in its log, INFO and monitoring; distinguishes our process from others. */
  serverName: string;
  pidFile: string;
}

/** Files included by the configuration, named relative to it. */
export const NATS_FILES = {
  users: 'users.conf', subscribers: 'subscribers.conf', jetStream: 'jetstream.conf',
} as const;

/** Maximum message size. A batch of results is at most 512 kB; the rest is headroom. */
const MAX_PAYLOAD = 1_048_576;

/** Disk limit of JetStream for subscribers. */
const MAX_STORE = 1_073_741_824;
/** Maximum unread bytes before the server disconnects a client. Controllers read in bursts. */
const MAX_PENDING = 33_554_432;
/** Maximum length of a protocol line: a subject with its options, or a client's `CONNECT`. */
const MAX_CONTROL_LINE = 4096;
/** Per connection; a probe has four subscriptions. `connection-limit.ts` limits its connections. */
const PROBE_LIMITS = 'limits: { max_subscriptions: 16 }';
/** Maximum connections of all subscribers together, which leaves the rest to the others. */
const SUBSCRIBER_LIMITS = 'limits: { max_connections: 1000, max_subscriptions: 100, max_payload: 4096 }';

/** Content of `jetstream.conf`. */
export function jetStreamConfig(storeDir: string): string {
  const settings = `store_dir: ${JSON.stringify(storeDir)}, max_memory_store: 0, max_file_store: ${MAX_STORE}`;
  return `jetstream { ${settings} }\n`;
}

/**
 * Content of the server's configuration file: three accounts, services between controllers and probes in both
 * directions, and the subset of the controllers' account visible to subscribers. The system account reports
 * connections to controllers.
 */
export function natsConfig(settings: NatsSettings): string {
  const { listen, tls } = settings;
  return `# Written at each start; changes are lost.
server_name: ${JSON.stringify(settings.serverName)}
host: ${JSON.stringify(listen.host)}
port: ${listen.port}
pid_file: ${JSON.stringify(settings.pidFile)}
max_payload: ${MAX_PAYLOAD}
max_pending: ${MAX_PENDING}
max_control_line: ${MAX_CONTROL_LINE}
# Detects a peer that vanished silently within 30 s.
ping_interval: "10s"
ping_max: 2
write_deadline: "10s"
${tls ? tlsPart(tls) : ''}
system_account: SYS
include ${JSON.stringify(NATS_FILES.subscribers)}
accounts {
  SYS {
    exports: [
      { stream: "$SYS.ACCOUNT.*.CONNECT", accounts: [CONTROL] }
      { service: "$SYS.REQ.SERVER.PING.CONNZ", response: stream, accounts: [CONTROL] }
    ]
  }
  CONTROL {
    jetstream: enabled
    users: [ { nkey: ${settings.controllerKey} } ]
    exports: [
      { service: "results.>", accounts: [PROBES] }
      { service: "sync.>", accounts: [PROBES] }
      { service: "beat.>", accounts: [PROBES] }
      { service: "evidence.>", accounts: [PROBES] }
      { stream: "raw.>", accounts: [SUBSCRIBERS] }
      { stream: "events.>", accounts: [SUBSCRIBERS] }
      { service: "$JS.API.CONSUMER.INFO.RAW.*", accounts: [SUBSCRIBERS] }
      { service: "$JS.API.CONSUMER.MSG.NEXT.RAW.*", response: stream, accounts: [SUBSCRIBERS] }
      { service: "$JS.ACK.RAW.>", accounts: [SUBSCRIBERS] }
    ]
    imports: [
      { stream: { account: SYS, subject: "$SYS.ACCOUNT.PROBES.CONNECT" }, to: "nats.connected.PROBES" }
      { stream: { account: SYS, subject: "$SYS.ACCOUNT.SUBSCRIBERS.CONNECT" }, to: "nats.connected.SUBSCRIBERS" }
      { service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.CONNZ" }, to: "nats.connections" }
      { service: { account: PROBES, subject: "assign.>" } }
      { service: { account: PROBES, subject: "run.>" } }
    ]
  }
  PROBES {
    ${PROBE_LIMITS}
    include ${JSON.stringify(NATS_FILES.users)}
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
  SUBSCRIBERS {
    ${SUBSCRIBER_LIMITS}
    users: $subscribers
    imports: [
      { stream: { account: CONTROL, subject: "raw.>" } }
      { stream: { account: CONTROL, subject: "events.>" } }
      # Otherwise the server would handle part of $JS.API for this account, which has no JetStream.
      {
        service: { account: CONTROL, subject: "$JS.API.CONSUMER.INFO.RAW.*" }
        to: "$JS.FARWATCH.API.CONSUMER.INFO.RAW.*"
      }
      {
        service: { account: CONTROL, subject: "$JS.API.CONSUMER.MSG.NEXT.RAW.*" }
        to: "$JS.FARWATCH.API.CONSUMER.MSG.NEXT.RAW.*"
      }
      { service: { account: CONTROL, subject: "$JS.ACK.RAW.>" } }
    ]
  }
}
`;
}

/**
 * Our processes connect over loopback, where the certificate's name doesn't match; all others get a `tls://`
 * URL.
 */
function tlsPart(tls: { certFile: string; keyFile: string }): string {
  return `tls { cert_file: ${JSON.stringify(tls.certFile)}, key_file: ${JSON.stringify(tls.keyFile)} }\nallow_non_tls: true\n`;
}
