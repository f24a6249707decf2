import { join } from 'node:path'
import type { Environment } from '../../domain/event.ts'
import { type ChildOptions, type ChildProgram, spawnProgram } from './child-program.ts'

type InterfaceName = 'payment' | 'registration' | 'charges'

/** The members of the simulator's JSON output that the demo reads. */
export interface SimulatorSummary {
  /** File of the authority of its server certificate. */
  readonly serverCa: string
  readonly control: string
  readonly environments: Readonly<Record<Environment, SimulatedEnvironment>>
}

export interface SimulatedEnvironment {
  readonly baseAddresses: Readonly<Record<InterfaceName, string>>
  readonly tokenEndpoints: Readonly<Record<InterfaceName, string>>
  /** File of the CA certificates of its callers. */
  readonly chain: string
  readonly applications: readonly {
    readonly clientId: string
    readonly clientSecret: string
    readonly files: { readonly cert: string; readonly key: string }
  }[]
}

export interface SimulatorProcess extends ChildProgram<SimulatorSummary> {
  readonly folder: string
}

/** Starts `portaria simulator` on free ports. @param receiverCaFile authority of the gateway's server certificate */
export async function spawnSimulator(
  { folder, receiverCaFile }: { folder: string; receiverCaFile: string },
  options: Pick<ChildOptions<SimulatorSummary>, 'signal' | 'onSpawned'>,
): Promise<SimulatorProcess> {
  const flags = ['--json', '--port', '0', '--control-port', '0', '--folder', folder, '--receiver-ca', receiverCaFile]
  const program = { name: 'the simulated service', read: summaryIn, ...options }
  return { ...(await spawnProgram(['simulator', ...flags], program)), folder }
}

/** Certificate and key with which the simulated service calls. */
export function serviceClientFiles(folder: string, environment: Environment): { cert: string; key: string } {
  const file = (extension: string) => join(folder, `service/${environment}-client.${extension}`)
  return { cert: file('crt'), key: file('key') }
}

/** null for a line that is not the summary. */
function summaryIn(line: string): SimulatorSummary | null {
  return line.startsWith('{') && line.includes('"serverCa"') ? (JSON.parse(line) as SimulatorSummary) : null
}
