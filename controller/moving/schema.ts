import { z } from 'zod';

const FROM = ['kuma', 'gatus', 'uptimerobot', 'betterstack', 'healthchecks', 'blackbox', 'csv'] as const;
export type From = (typeof FROM)[number];

export const convertQuery = z.strictObject({ from: z.enum(FROM).describe('The tool that the file is from.') });

/** Bytes. */
export const fileInput = z.unknown()
  .meta({ type: 'string', contentMediaType: 'application/octet-stream' }).describe('The file as it is, up to 64 MB.');
