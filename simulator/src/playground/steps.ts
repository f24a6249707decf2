import type { Filled } from './caller-calls.ts'
import type { View } from './page.ts'

/** A request that one button makes among others. */
export interface Step {
  /** Operation id. */
  readonly name: string
  /** null: no answer came. */
  readonly status: number | null
  readonly text: string
}

/** Something that is there already, as an address that is registered, is no failure. */
const IS_THERE = 409

export function isDone({ status }: Step): boolean {
  return status !== null && (status < 300 || status === IS_THERE)
}

/** A request to the service in the name of the view's caller. */
export async function callOperation(view: View, id: string, filled: Filled): Promise<Step> {
  const operation = (await view.surroundings.operations()).find((one) => one.id === id)
  if (operation === undefined) throw new Error(`unreachable: there is no operation ${id}`)
  const { answer, failure } = await view.calls.send(view.caller, operation, filled)
  return { name: id, status: answer?.status ?? null, text: answer?.text ?? failure ?? '' }
}

/** A request to the control API about the view's environment. @throws ControlError */
export async function controlStep(
  { surroundings, caller }: View,
  id: string,
  request: { readonly params?: Readonly<Record<string, string>>; readonly body?: object | undefined },
): Promise<Step> {
  const query = { environment: caller.environment }
  const { status, json } = await surroundings.askControl(id, { ...request, query })
  return { name: id, status, text: JSON.stringify(json) }
}
