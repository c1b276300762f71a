import type { z } from 'zod';
import { addressOf, foreignVendor } from '../destinations/channels/registry.ts';
import { integrationItem, newSettings, type IntegrationItem } from '../destinations/schema.ts';
import { AppError } from '../errors/app-error.ts';
import { check, fieldError, type ValidationIssue } from '../http/input/validation.ts';
import type { MonitorItem } from '../import-export/schema.ts';
import { checkTimes, windowItem, type WindowItem } from '../maintenance/schema.ts';
import { settable } from '../monitors/settable.ts';

/** Why no import would accept the monitor; empty if one would. */
export function monitorFaults(
  schema: z.ZodType, monitor: unknown, minIntervalSeconds: number,
): ValidationIssue[] {
  return faultsOf(schema, monitor, (item) => {
    const parsed = item as MonitorItem;
    settable(parsed, null, parsed, minIntervalSeconds);
  });
}

/** Why no import would accept the destination, apart from a private address; empty if one would. */
export function destinationFaults(destination: unknown): ValidationIssue[] {
  return faultsOf(integrationItem, destination, (item) => {
    const settings = newSettings(item as IntegrationItem);
    const address = addressOf(settings);
    const refusal = address && foreignVendor(settings.type, address.url);
    if (refusal) throw fieldError(address.field, `The address ${refusal}`);
  });
}

/** Why no import would accept the maintenance window; empty if one would. */
export function windowFaults(window: unknown): ValidationIssue[] {
  return faultsOf(windowItem, window, (item) => {
    const { starts_at, ends_at, recurrence = null, timezone = 'UTC' } = item as WindowItem;
    checkTimes({ starts_at, ends_at, recurrence, timezone });
  });
}

function faultsOf(schema: z.ZodType, sent: unknown, validate: (item: unknown) => void): ValidationIssue[] {
  const { data, issues } = check(schema, sent);
  if (issues.length > 0) return issues;
  try {
    validate(data);
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || !Array.isArray(error.details)) throw error;
    return error.details as ValidationIssue[];
  }
}
