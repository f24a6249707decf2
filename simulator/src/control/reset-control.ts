import { z } from 'zod'
import { type ControlEndpoint, controlEndpoint } from '../control-api/control-endpoint.ts'
import { ENVIRONMENTS } from '../interfaces.ts'
import type { Site } from '../site.ts'

/** Back to the state of a first start. */
export function resetControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'reset',
      isForBoth: true,
      method: 'post',
      path: '/reset',
      summary:
        'Remove all records, faults and tokens of the environment; without one of both, and the simulated time is real again. Files of the folder stay',
      answers: {
        200: {
          description: 'The environments that were reset',
          schema: z.object({ environments: z.array(z.enum(ENVIRONMENTS)) }),
        },
      },
      async run({ sites }) {
        await reset(sites)
        return { status: 200, json: { environments: sites.map(({ environment }) => environment) } }
      },
    }),
  ]
}

async function reset(sites: readonly Site[]): Promise<void> {
  const [{ tasks, records, clock }] = sites as [Site]
  const isWhole = sites.length === ENVIRONMENTS.length
  const prefixes = isWhole ? [''] : sites.map(({ environment }) => `${environment}.`)
  // Calls that are under way must not write into the new state.
  for (const prefix of prefixes) await tasks.clear(prefix)
  if (isWhole) clock.set(Date.now(), false)
  for (const prefix of prefixes) records.clear(prefix)
  for (const { tokens } of sites) tokens.expire()
}
