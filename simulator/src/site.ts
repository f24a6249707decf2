import type { Applications } from './applications.ts'
import type { Clock } from './clock.ts'
import type { Faults } from './faults/faults.ts'
import type { SimulatorFolder } from './folder/folder.ts'
import type { Tokens } from './http/tokens.ts'
import type { Environment } from './interfaces.ts'
import type { Collection, Records } from './records.ts'
import type { Settings } from './settings.ts'
import type { Tasks } from './tasks.ts'
import type { Webhooks } from './webhooks/webhooks.ts'

/** One environment of the service: what its interfaces share. */
export interface Site {
  readonly environment: Environment
  readonly settings: Settings
  readonly clock: Clock
  /** Kinds of tasks are named after the environment: `sandbox.payment`. */
  readonly tasks: Tasks
  readonly records: Records
  /** A collection of this environment. */
  collection<T>(name: string): Collection<T>
  readonly folder: SimulatorFolder
  /** Where pages for payers and end clients are: `https://localhost:9443`. Known as soon as the server listens. */
  origin(): string
  readonly applications: Applications
  readonly tokens: Tokens
  readonly faults: Faults
  readonly webhooks: Webhooks
}
