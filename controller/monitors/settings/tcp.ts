import { z } from 'zod';
import {
  TCP_PROTOCOLS, TCP_TLS, defaultTls, type TcpProtocol,
} from '../../../shared/contracts/check-spec.ts';
import { fieldError } from '../../http/input/validation.ts';
import { asciiHost, joinHostPort, splitHostPort, type HostPort } from '../target.ts';
import { hasPlaceholder, replaceInEscaped } from './placeholders.ts';
import { chooseSettings, CONCEALED, revealedText } from './sent-settings.ts';
import type { CheckType, FieldsOf } from './registry.ts';
import {
  escapeFault, MAX_BYTES, unescapeBytes, ESCAPED_BYTES_PATTERN, TEMPLATE_BYTES_PATTERN,
} from './escaped-bytes.ts';

export interface TcpSettings {
  port: number;
  protocol: TcpProtocol;
  /** Whether the service must speak its protocol; null for the default of the protocol. */
  protocol_validation: boolean | null;
  /** Null for the default of protocol and port. */
  tls: (typeof TCP_TLS)[number] | null;
  /** Not unescaped. Like `expect`, only for the protocol `generic`. */
  send: string | null;
  expect: string | null;
}

const STARTTLS_PROTOCOLS: readonly TcpProtocol[] = ['smtp', 'pop3', 'imap', 'ftp'];

const portRule = 'Port must be from 1 to 65535';
const bytes = (read: (text: string) => string) => z.string()
  .max(4 * MAX_BYTES, `Must be at most ${4 * MAX_BYTES} characters`)
  .superRefine((text, check) => {
    const message = escapeFault(read(text));
    if (message !== null) check.addIssue({ code: 'custom', message });
  });
const escapes = `At most ${MAX_BYTES} bytes, with the escapes \`\\r\`, \`\\n\`, \`\\t\`, \`\\\\\` and \`\\xNN\`; `
  + 'everything else is UTF-8. Only for the protocol `generic`.';
const flatFields = {
  port: z.int().min(1, portRule).max(65_535, portRule).optional()
    .describe('Can also be part of `target`, as `host:port`.'),
  protocol: z.enum(TCP_PROTOCOLS).optional(),
  protocol_validation: z.boolean().nullable().optional()
    .describe('Whether the service must greet and respond as its protocol requires. If false, accepting the '
      + 'connection is enough, with the TLS handshake if TLS is implicit. `starttls`, `send` and `expect` are '
      + 'performed in any case. Default, also for null: true for every protocol except `generic`.'),
  tls: z.enum(TCP_TLS).nullable().optional()
    .describe('`implicit`: TLS starts with the connection. `starttls`: it starts with a command, for `smtp`, '
      + '`pop3`, `imap` and `ftp`. An untrusted certificate is reported but does not fail the check. '
      + 'Default, also for null: `implicit` for `https` and, except for `ssh`, on the ports 443, 465, 990, '
      + '993 and 995; else `none`.'),
  send: bytes((text) => replaceInEscaped(text, (name) => name)).meta({ pattern: TEMPLATE_BYTES_PATTERN })
    .nullable().optional()
    .describe(`Sent after connecting. ${escapes} \`***\` or null keeps the stored text; an empty string removes it.`),
  expect: bytes((text) => text).min(1, 'Must not be empty').meta({ pattern: ESCAPED_BYTES_PATTERN })
    .nullable().optional()
    .describe(`Must appear in the first 65,536 bytes that the service sends. ${escapes}`),
};

export const tcpFields = { ...flatFields, tcp_config: z.strictObject(flatFields).nullable().optional() };

export const tcpResponseFields = {
  tcp_config: z.strictObject({
    port: z.int(), protocol: z.enum(TCP_PROTOCOLS), protocol_validation: z.boolean().optional(),
    tls: z.enum(TCP_TLS).optional(), send: z.string().optional(), expect: z.string().optional(),
  }).optional(),
  port: z.int().optional(),
};

type TcpInput = FieldsOf<typeof tcpFields>;

export const tcpType: CheckType<TcpInput, { tcp: TcpSettings | null }> = {
  fields: Object.keys(tcpFields),
  resolve: (input, current) => {
    const target = input.target ?? current?.target ?? '';
    const { host, port } = partsOf(target);
    const portOfTarget = input.target === undefined ? undefined : (port ?? undefined);
    const nested = input.tcp_config ?? {};
    const chosen = chooseSettings<TcpSettings>({
      config: 'tcp_config',
      sent: [
        { port: portOfTarget }, { ...input, send: revealedText(input.send, current?.tcp?.send, ['send']) },
        { ...nested, send: revealedText(nested.send, current?.tcp?.send, ['tcp_config', 'send']) },
      ],
      current: current?.tcp ?? null,
      defaults: {
        port: undefined, protocol: 'generic', protocol_validation: null, tls: null, send: null, expect: null,
      },
    });
    refuseMisfits(chosen, [input, nested]);
    // Drop stored texts after a change of protocol.
    const tcp = chosen.protocol === 'generic' ? chosen : { ...chosen, send: null, expect: null };
    // Keep the port in the target in sync with the checked port.
    return { target: port === null || port === tcp.port ? target : joinHostPort(host, tcp.port), tcp };
  },
  view: ({ tcp }, isConcealed) => {
    if (tcp === null) return {};
    const { protocol_validation: validation, tls, send, expect, ...settings } = tcp;
    return {
      tcp_config: {
        protocol_validation: validation ?? undefined, tls: tls ?? undefined,
        send: send === null ? undefined : isConcealed ? CONCEALED : send,
        expect: expect ?? undefined, ...settings,
      },
      port: tcp.port,
    };
  },
  toSpec: ({ target, tcp }) => {
    const { port = 0, protocol = 'generic' } = tcp ?? {};
    return {
      type: 'TCP', host: asciiHost(partsOf(target).host), port, protocol,
      protocol_validation: tcp?.protocol_validation ?? protocol !== 'generic',
      tls: tcp?.tls ?? defaultTls(protocol, port),
      send: unescaped(tcp?.send), expect: unescaped(tcp?.expect),
    };
  },
};

/** Throws VALIDATION_ERROR for a TLS mode or texts that the protocol does not support. */
function refuseMisfits(
  { protocol, tls }: TcpSettings, sent: readonly { send?: unknown; expect?: unknown }[],
): void {
  if (tls === 'starttls' && !STARTTLS_PROTOCOLS.includes(protocol)) {
    throw fieldError('tcp_config.tls', `${protocol} does not support STARTTLS`);
  }
  if (tls === 'none' && protocol === 'https') throw fieldError('tcp_config.tls', 'https requires TLS');
  for (const name of ['send', 'expect'] as const) {
    if (protocol !== 'generic' && sent.some((one) => one[name])) {
      throw fieldError(`tcp_config.${name}`, 'Applies only to the protocol generic');
    }
  }
}

function unescaped(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : unescapeBytes(text);
}

function partsOf(target: string): HostPort {
  if (hasPlaceholder(target)) {
    const [, host = target, port = null] = /^(.*):(\d{1,5})$/.exec(target) ?? [];
    return { host, port: port === null ? null : Number(port) };
  }
  const parts = splitHostPort(target);
  if (typeof parts === 'string') throw fieldError('target', parts);
  return parts;
}
