import { z } from 'zod';
import { TCP_PROTOCOLS } from '../../../shared/contracts/check-spec.ts';
import { fieldError } from '../../http/validation.ts';
import { asciiHost, joinHostPort, splitHostPort, type HostPort } from '../target.ts';
import type { CheckType, FieldsOf } from './check-type.ts';
import { chosen } from './chosen.ts';

export interface TcpSettings {
  port: number;
  protocol: (typeof TCP_PROTOCOLS)[number];
  /** Whether the service must greet as its protocol does; null when nobody has said. */
  protocol_validation: boolean | null;
}

const port = z.int().min(1, 'Port must be from 1 to 65535').max(65_535, 'Port must be from 1 to 65535');
const flatFields = {
  port: port.optional().describe('Can also be part of `target`, as `host:port`.'),
  protocol: z.enum(TCP_PROTOCOLS).optional(),
  protocol_validation: z.boolean().nullable().optional().describe('Whether the service must send its protocol\'s greeting, not only accept the connection.'),
};

/** TCP in bodies of create and update. */
export const tcpFields = { ...flatFields, tcp_config: z.strictObject(flatFields).nullable().optional() };
type TcpInput = FieldsOf<typeof tcpFields>;

/** TCP in answers. */
export const tcpAnswer = {
  tcp_config: z.strictObject({ port: z.int(), protocol: z.enum(TCP_PROTOCOLS), protocol_validation: z.boolean().optional() }).optional(),
  port: z.int().optional(),
};

export const tcpType: CheckType<TcpInput> = {
  fields: Object.keys(tcpFields),
  resolve: (input, current) => {
    const target = input.target ?? current?.target ?? '';
    const place = placeOf(target);
    const sent = input.target === undefined ? undefined : (place.port ?? undefined);
    const tcp = resolveTcp(input, current?.tcp ?? null, sent);
    // A target that names a port names the one that is checked.
    return { target: place.port === null || place.port === tcp.port ? target : joinHostPort(place.host, tcp.port), tcp };
  },
  view: (doc) => (doc.tcp === null ? {} : viewTcp(doc.tcp)),
  toSpec: (doc) => ({
    type: 'TCP', host: asciiHost(placeOf(doc.target).host), port: doc.tcp?.port ?? 0, protocol: doc.tcp?.protocol ?? 'generic',
    protocol_validation: doc.tcp?.protocol_validation ?? false,
  }),
};

function placeOf(target: string): HostPort {
  const place = splitHostPort(target);
  if (typeof place === 'string') throw fieldError('target', place);
  return place;
}

function resolveTcp(input: TcpInput, current: TcpSettings | null, portOfTarget: number | undefined): TcpSettings {
  const nested = input.tcp_config ?? {};
  const chosenPort = chosen('tcp_config.port', current?.port, [portOfTarget, input.port, nested.port]);
  if (chosenPort === undefined) throw fieldError('tcp_config.port', 'Required');
  return {
    port: chosenPort,
    protocol: chosen('tcp_config.protocol', current?.protocol, [input.protocol, nested.protocol]) ?? 'generic',
    protocol_validation: chosen('tcp_config.protocol_validation', current?.protocol_validation, [input.protocol_validation, nested.protocol_validation]) ?? null,
  };
}

function viewTcp(tcp: TcpSettings) {
  const { protocol_validation: validation, ...rest } = tcp;
  return { tcp_config: { ...rest, ...(validation === null ? {} : { protocol_validation: validation }) }, port: tcp.port };
}
