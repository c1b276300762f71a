import type { AnySection, SectionName } from './section.ts';
import { groups } from './sections/groups.ts';
import { integrations } from './sections/integrations.ts';
import { maintenanceWindows } from './sections/maintenance-windows.ts';
import { monitors } from './sections/monitors.ts';
import { statusPages } from './sections/status-pages.ts';
import { variables } from './sections/variables.ts';

/**
 * The lists of a document, in the order in which an import writes them. Before that, it removes items in the
 * reverse order.
 */
export const SECTIONS: Record<SectionName, AnySection> = {
  groups, integrations, variables, monitors, status_pages: statusPages,
  maintenance_windows: maintenanceWindows,
};

export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];
