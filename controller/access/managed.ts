import { z } from 'zod';

/** What imports can manage. */
export interface Managed {
  /** The owner of the imports that manage it; absent or null if nobody's do. */
  managed_by?: string | null;
}

/** Of responses. */
export const managedBy = z.string().nullable()
  .describe('The `owner` of the imports that manage it; null if nobody\'s do. Later ones overwrite other changes.');
