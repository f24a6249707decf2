import { openingsOf } from '../registration/openings.ts'
import type { Filled } from './caller-calls.ts'
import { SUBJECTS } from './candidates.ts'
import { openForm } from './filled.ts'
import type { Operation } from './operations.ts'
import type { View } from './page.ts'

/** A step that was made for an endpoint. */
export interface PreparedStep {
  readonly name: string
  /** Status of the answer; null: none came. */
  readonly status: number | null
  readonly text: string
}

/** Makes the records that an endpoint needs, by other endpoints and the control API. The last step is the one that failed, if one did. */
export async function prepare(view: View, operation: Operation): Promise<readonly PreparedStep[]> {
  const { surroundings, calls, gateway, caller } = view
  const steps: PreparedStep[] = []
  for (const one of SUBJECTS[operation.id]?.made ?? []) {
    const step = 'operation' in one ? await call(one.operation) : await control(one)
    steps.push(step)
    const isDone = step.status !== null && (step.status < 300 || step.status === 409)
    if (!isDone) break
  }
  return steps

  async function call(id: string): Promise<PreparedStep> {
    const all = await surroundings.operations()
    const found = all.find((other) => other.id === id) as Operation
    const filled: Filled = (await openForm(surroundings, gateway, { operation: found, caller })).filled
    const { answer, failure } = await calls.send(caller, found, filled)
    return { name: id, status: answer?.status ?? null, text: answer?.text ?? failure ?? '' }
  }

  async function control({ control: id, about, body }: { control: string; about?: string; body?: object }) {
    const site = surroundings.sites[caller.environment]
    const params = about === undefined ? {} : { [about]: openingsOf(site).at(-1)?.id ?? '' }
    const { status, json } = await surroundings.askControl(id, {
      params,
      body,
      query: { environment: caller.environment },
    })
    return { name: id, status, text: JSON.stringify(json) }
  }
}
