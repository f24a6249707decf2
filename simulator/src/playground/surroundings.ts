import { readFileSync } from 'node:fs'
import { Agent } from 'undici'
import type { Application } from '../applications.ts'
import { type ControlEndpoint, ControlError } from '../control-api/control-endpoint.ts'
import { answerControl, type ControlRequest } from '../control-api/control-server.ts'
import type { SimulatorFolder } from '../folder/folder.ts'
import type { AccountFiles } from '../folder/layout.ts'
import type { Reply } from '../http/endpoint.ts'
import type { Environment, Interface } from '../interfaces.ts'
import type { Site } from '../site.ts'
import { type Operation, readOperations } from './operations.ts'

/** An application whose account has its certificate in the folder, so that requests can be made in its name. */
export interface Caller {
  readonly environment: Environment
  readonly application: Application
  readonly files: AccountFiles
}

/** What the pages are about, and how they reach it. */
export interface Surroundings {
  readonly sites: Readonly<Record<Environment, Site>>
  /** File of the authority of the API's server certificate. */
  readonly serverCaFile: string
  /** `https://localhost:9443/payment`. */
  baseOf(environment: Environment, on: Interface): string
  /** Connections to the API. @param files of the certificate that they show; null: none */
  agent(environment: Environment, files: AccountFiles | null): Agent
  callers(environment: Environment): readonly Caller[]
  operations(): Promise<readonly Operation[]>
  readonly control: readonly ControlEndpoint[]
  /** Carries out a request of the control API. @throws ControlError */
  askControl(id: string, request: Partial<ControlRequest>): Promise<Reply>
  close(): Promise<void>
}

export interface SurroundingsOptions {
  readonly sites: Readonly<Record<Environment, Site>>
  /** Known as soon as the servers listen. */
  readonly ports: () => Readonly<Record<Environment, number>>
  readonly folder: SimulatorFolder
  readonly control: readonly ControlEndpoint[]
}

export function createSurroundings({ sites, ports, folder, control }: SurroundingsOptions): Surroundings {
  const agents = new Map<string, Agent>()
  let operations: Promise<readonly Operation[]> | undefined

  function agent(environment: Environment, files: AccountFiles | null): Agent {
    const key = `${environment} ${files?.cert}`
    const found = agents.get(key) ?? new Agent({ connect: { ca: folder.root, ...certificateIn(files) } })
    agents.set(key, found)
    return found
  }

  const surroundings: Surroundings = {
    sites,
    serverCaFile: folder.rootFile,
    control,
    baseOf: (environment, on) => `https://localhost:${ports()[environment]}/${on}`,
    agent,
    callers(environment) {
      const { accounts, applications } = folder.environments[environment]
      return applications.flatMap(({ clientId, account }) => {
        const application = sites[environment].applications.find(clientId)
        const files = accounts.find(({ number }) => number === account.number)?.files
        return application === undefined || files === undefined ? [] : [{ environment, application, files }]
      })
    },
    async operations() {
      operations ??= readOperations(surroundings)
      return operations
    },
    async askControl(id, { params = {}, query = {}, body }) {
      const endpoint = control.find((one) => one.id === id)
      if (endpoint === undefined) throw new ControlError(404, `there is no operation ${id}`)
      return answerControl(sites, endpoint, { params, query, body })
    },
    async close() {
      await Promise.all([...agents.values()].map((one) => one.destroy()))
    },
  }
  return surroundings
}

function certificateIn(files: AccountFiles | null) {
  return files && { cert: readFileSync(files.cert), key: readFileSync(files.key) }
}
