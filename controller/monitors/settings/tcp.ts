import { z } from 'zod';
import { TCP_PROTOCOLS } from '../../../shared/contracts/check-spec.ts';
import { fieldError } from '../../http/validation.ts';
import { asciiHost, joinHostPort, splitHostPort, type HostPort } from '../target.ts';
import { chooseSettings, type CheckType, type FieldsOf } from './check-type.ts';

export interface TcpSettings {
  port: number;
  protocol: (typeof TCP_PROTOCOLS)[number];
  /** Whether the service must send its protocol's greeting; null if not set. */
  protocol_validation: boolean | null;
}

const portRule = 'Port must be from 1 to 65535';
const flatFields = {
  port: z.int().min(1, portRule).max(65_535, portRule).optional()
    .describe('Can also be part of `target`, as `host:port`.'),
  protocol: z.enum(TCP_PROTOCOLS).optional(),
  protocol_validation: z.boolean().nullable().optional()
    .describe('Whether the service must send its protocol\'s greeting, not only accept the connection.'),
};

export const tcpFields = { ...flatFields, tcp_config: z.strictObject(flatFields).nullable().optional() };

export const tcpAnswer = {
  tcp_config: z.strictObject({
    port: z.int(), protocol: z.enum(TCP_PROTOCOLS), protocol_validation: z.boolean().optional(),
  }).optional(),
  port: z.int().optional(),
};

export const tcpType: CheckType<FieldsOf<typeof tcpFields>, { tcp: TcpSettings | null }> = {
  fields: Object.keys(tcpFields),
  resolve: (input, current) => {
    const target = input.target ?? current?.target ?? '';
    const { host, port } = partsOf(target);
    const portOfTarget = input.target === undefined ? undefined : (port ?? undefined);
    const tcp = chooseSettings<TcpSettings>({
      config: 'tcp_config', sent: [{ port: portOfTarget }, input, input.tcp_config ?? {}],
      current: current?.tcp ?? null,
      defaults: { port: undefined, protocol: 'generic', protocol_validation: null },
    });
    // A target that names a port names the one that is checked.
    return { target: port === null || port === tcp.port ? target : joinHostPort(host, tcp.port), tcp };
  },
  view: ({ tcp }) => {
    if (tcp === null) return {};
    const { protocol_validation: validation, ...settings } = tcp;
    return { tcp_config: { protocol_validation: validation ?? undefined, ...settings }, port: tcp.port };
  },
  toSpec: ({ target, tcp }) => ({
    type: 'TCP', host: asciiHost(partsOf(target).host), port: tcp?.port ?? 0,
    protocol: tcp?.protocol ?? 'generic', protocol_validation: tcp?.protocol_validation ?? false,
  }),
};

function partsOf(target: string): HostPort {
  const parts = splitHostPort(target);
  if (typeof parts === 'string') throw fieldError('target', parts);
  return parts;
}
