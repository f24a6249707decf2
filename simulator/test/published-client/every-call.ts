import { accountCalls } from './account-calls.ts'
import { billCalls } from './bill-calls.ts'
import type { Client, LoadedBuild } from './builds.ts'
import { askControl, type Caller, type CallOf, type Surroundings } from './calls.ts'
import { carnetCalls } from './carnet-calls.ts'
import { chargeCalls } from './charge-calls.ts'
import { openBankingCalls, registrationCalls } from './registration-calls.ts'
import { subscriptionCalls } from './subscription-calls.ts'

/** Makes every call that the simulator answers, against empty records and on a Monday noon of the simulated clock. */
export async function makeEveryCall({ Client }: LoadedBuild, surroundings: Surroundings): Promise<CallOf[]> {
  const made: CallOf[] = []
  const own = new Client(surroundings.options)
  const control: Caller['control'] = (...args) => askControl(surroundings.control, ...args)
  async function callAs(client: Client, method: string, about: string, ...args: unknown[]) {
    const answer = await client[method]?.(...args).catch((error: unknown) => {
      throw new Error(`${method} (${about}): ${JSON.stringify(error)} ${error}`, { cause: error })
    })
    made.push({ method, args, about, answer })
    return answer
  }
  const caller: Caller = {
    surroundings,
    Client,
    control,
    callAs,
    call: (...args) => callAs(own, ...args),
  }
  await control('POST', '/reset')
  await control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
  const groups = [
    billCalls,
    accountCalls,
    registrationCalls,
    openBankingCalls,
    chargeCalls,
    subscriptionCalls,
    carnetCalls,
  ]
  for (const calls of groups) await calls(caller)
  return made
}
