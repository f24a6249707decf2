import type { Address } from '../../gateway/addresses.ts'
import { type ChildOptions, type ChildProgram, spawnProgram } from './child-program.ts'

interface Addresses {
  readonly callbacks: Address
  readonly charges: Address
  readonly api: Address
}

export type GatewayProcess = Omit<ChildProgram<Addresses>, 'started'> & Addresses

/** Starts `portaria serve`; resolves once it has logged its ports. */
export async function spawnGateway(
  configFile: string,
  options: Pick<ChildOptions<Addresses>, 'signal' | 'onSpawned'>,
): Promise<GatewayProcess> {
  const program = { name: 'the gateway', read: addressesIn, ...options }
  const { started, ...child } = await spawnProgram(['serve', '--config', configFile], program)
  return { ...child, ...started }
}

/** From the line `gateway.started`; null for other lines. */
function addressesIn(line: string): Addresses | null {
  if (!line.includes('"gateway.started"')) return null
  const { callbacks, charges, api } = JSON.parse(line) as Addresses
  return { callbacks, charges, api }
}
