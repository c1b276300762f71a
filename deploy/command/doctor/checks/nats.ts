import type { ServerInfo } from 'nats';
import { meetsMinVersion } from '../../../quickstart/servers/nats-program.ts';
import { combine, failed, NOT_CHECKED, notRunning, warning, type Check, type Finding } from '../check.ts';
import type { NatsServerContact } from '../reach/nats-access.ts';

/** Earlier servers have no auth callout. */
const MIN_OWN_VERSION = '2.10.0';
/** Of a batch of results. */
const MIN_PAYLOAD_BYTES = 524_288;

type Info = Pick<ServerInfo, 'version' | 'jetstream' | 'max_payload'>;

export const checkNats: Check = async ({ settings, nats, running }) => {
  if (settings === null) return NOT_CHECKED;
  const contacts = await nats.contacts();
  if (contacts.length === 0) {
    return running.has('nats-server')
      ? failed('Farwatch runs, but its NATS server does not respond', 'Look into the log of Farwatch for messages of nats-server.')
      : notRunning('the NATS server of farwatch start');
  }
  const findings = contacts.flatMap((contact) => judgeContact(contact, contacts.length > 1, nats.isOwn));
  const responding = contacts.flatMap(({ address, connection }) => connection ? [`${address} (${connection.info?.version})`] : []);
  return combine(findings, `NATS responds at ${responding.join(', ')}`);
};

function judgeContact(contact: NatsServerContact, isCluster: boolean, isOwn: boolean): Finding[] {
  const { address, connection, error } = contact;
  if (error !== null) {
    const finding = judgeNatsFailure(address, error, isOwn);
    return [isCluster ? { ...finding, status: 'warning' } : finding];
  }
  return isOwn && connection?.info ? judgeNatsServer(address, connection.info) : [];
}

/** A server that the operator runs. */
export function judgeNatsServer(address: string, info: Info): Finding[] {
  const findings: Finding[] = [];
  if (!meetsMinVersion(info.version, MIN_OWN_VERSION)) {
    findings.push(warning(`The NATS server ${address} has version ${info.version}`, `Update it to ${MIN_OWN_VERSION} or newer: older ones cannot ask controllers who may connect.`));
  }
  if (info.max_payload < MIN_PAYLOAD_BYTES) {
    findings.push(failed(`The NATS server ${address} accepts only messages up to ${info.max_payload} bytes`, 'Set max_payload in its configuration to 1MB.'));
  }
  if (info.jetstream !== true) {
    findings.push(warning(
      `The NATS server ${address} has no JetStream, so programs can read raw results only live`,
      'Add jetstream { store_dir: … } to its configuration, as in deploy/examples/nats.conf.',
    ));
  }
  return findings;
}

export function judgeNatsFailure(address: string, error: Error, isOwn: boolean): Finding {
  const { code, message } = error as Error & { code?: string; chainedError?: Error };
  const text = (error as { chainedError?: Error }).chainedError?.message ?? message;
  if (/AUTHORIZATION|AUTHENTICATION/.test(code ?? '') || /authorization violation/i.test(message)) {
    return failed(
      `NATS at ${address} refuses the controller's credentials`,
      isOwn
        ? 'NATS_CREDS must name the file with the seed of a user in account CONTROL of the server (see docs/nats.md).'
        : 'Restart Farwatch, so that it writes the configuration of its NATS server again.',
    );
  }
  if (/neither NATS credentials|ENOENT|EACCES/.test(text)) return failed(`The credentials for NATS cannot be read: ${text}`, 'Correct NATS_CREDS.');
  if (/cannot be looked up/.test(text)) return failed(`NATS is unreachable: ${text}`, 'See the check dns.');
  if (/certificate|TLS|SSL|SECURE/i.test(`${code} ${text}`)) {
    return failed(`There is no secure connection to NATS at ${address}: ${text}`, 'Use tls:// in NATS_URL if the server requires TLS, and see the check certificates.');
  }
  return failed(
    `NATS does not respond at ${address}: ${text}`,
    'Start the NATS server, correct NATS_URL, or let this host reach the port through the firewall.',
  );
}
