import type { z } from 'zod';
import type { diagnosisView } from '../../../diagnosis/responses.ts';

export type Diagnosis = z.infer<typeof diagnosisView>;
export type ExaminedRegion = Diagnosis['regions'][number];
