import { openingsOf } from '../registration/openings.ts'
import { type Preparation, SUBJECTS } from './candidates.ts'
import { openForm } from './filled.ts'
import type { Operation } from './operations.ts'
import type { View } from './page.ts'
import { callOperation, controlStep, isDone, type Step } from './steps.ts'

/** Makes the records that an endpoint needs, by other endpoints and the control API. The last step is the one that failed, if one did. */
export async function prepare(view: View, operation: Operation): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (const one of SUBJECTS[operation.id]?.made ?? []) {
    const step = await carryOut(view, one)
    steps.push(step)
    if (!isDone(step)) break
  }
  return steps
}

async function carryOut(view: View, preparation: Preparation): Promise<Step> {
  const { surroundings, gateway, caller } = view
  if ('operation' in preparation) {
    const all = await surroundings.operations()
    const operation = all.find((other) => other.id === preparation.operation) as Operation
    const { filled } = await openForm(surroundings, gateway, { operation, caller })
    return callOperation(view, operation.id, filled)
  }
  const { control, about, body } = preparation
  const newest = openingsOf(surroundings.sites[caller.environment]).at(-1)?.id ?? ''
  return controlStep(view, control, { params: about === undefined ? {} : { [about]: newest }, body })
}
