import type { Details, Narration } from './narration.ts'
import type { Tour } from './tour.ts'

export interface Step {
  readonly title: string
  /** @throws DemoFailure if a promise is broken */
  run(tour: Tour, narration: Pick<Narration, 'did' | 'saw'>): Promise<Details>
}
