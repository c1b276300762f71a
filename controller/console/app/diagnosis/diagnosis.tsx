import { useState } from 'preact/hooks';
import type { components } from '../api/openapi.d.ts';
import { diagnosisTexts as texts } from '../texts/diagnosis.ts';
import { Button } from '../ui/button.tsx';
import { StateBadge, type State } from '../ui/state.tsx';
import { numberText, Time } from '../ui/time.tsx';
import { BoundedList, ExaminedTable } from './examined-table.tsx';
import { Paths } from './paths.tsx';

type Diagnosis = components['schemas']['Diagnosis'];

/** Of regions that see the target down, and of those that see it up. */
const MAX_PATHS = 3;

/** Where the problem is, the observations that decided, and what each region has seen. */
export function DiagnosisDetails({ diagnosis }: { diagnosis: Diagnosis }) {
  const { classification, summary, decided_by: observations, regions } = diagnosis;
  const [showsAll, setShowsAll] = useState(false);
  const [down, up] = [regions.filter(({ sees }) => sees === 'down'), regions.filter(({ sees }) => sees === 'up')];
  const shown = [down, up].flatMap((some) => (showsAll ? some : some.slice(0, MAX_PATHS)));
  return (
    <div class="card diagnosis">
      <header>
        <h3>{summary}</h3>
        <p class="diagnosis-facts">
          <StateBadge state={stateOf(classification)} text={texts[classification]} />
          <span class="faint small">{texts.diagnosed}: <Time at={diagnosis.diagnosed_at} /></span>
        </p>
        {classification === 'unknown' && down.length > 0 && <p class="hint">{texts.unknownHint}</p>}
      </header>
      {observations.length > 0 && (
        <div><h4>{classification === 'unknown' ? texts.observations : texts.decidedBy}</h4><BoundedList items={observations} class="observations" /></div>
      )}
      {regions.length === 0 ? <p class="faint">{texts.noRegions}</p> : (
        <>
          <section aria-label={texts.paths}><h4>{texts.paths}</h4><Paths regions={shown} /></section>
          {shown.length < regions.length && (
            <div><Button onClick={() => setShowsAll(true)}>{texts.allRegions(numberText(regions.length))}</Button></div>
          )}
          <ExaminedTable regions={shown} />
        </>
      )}
    </div>
  );
}

function stateOf(classification: Diagnosis['classification']): State {
  if (classification === 'unknown') return 'unknown';
  return classification === 'probe' ? 'degraded' : 'down';
}
