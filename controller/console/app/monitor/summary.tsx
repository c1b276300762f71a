import { monitorTexts } from '../texts/monitor.ts';
import { Section } from '../ui/page.tsx';
import { Changes } from '../changes/changes.tsx';
import { Figures } from './figures.tsx';
import { Heartbeat } from './heartbeat.tsx';
import type { Monitor } from './monitor-queries.ts';
import { RegionMap, RegionTable } from './regions.tsx';
import { ResponseTimes } from './response-times.tsx';

export function Summary({ monitor }: { monitor: Monitor }) {
  return (
    <>
      <Figures id={monitor.id} />
      {monitor.type === 'HEARTBEAT' && <Heartbeat monitor={monitor} />}
      <ResponseTimes monitor={monitor} />
      <Changes id={monitor.id} />
      {monitor.type !== 'HEARTBEAT' && (
        <Section title={monitorTexts.regions}>
          <div class="regions"><RegionTable id={monitor.id} /><RegionMap id={monitor.id} /></div>
        </Section>
      )}
    </>
  );
}
