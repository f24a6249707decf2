import { type Environment, INTERFACES } from '../../src/interfaces.ts'
import type { Receiver } from '../receiver.ts'
import type { RunningSimulator } from '../running.ts'
import { API_OF, type ClientOptions, type LoadedBuild } from './builds.ts'
import type { Surroundings } from './calls.ts'

/** What makes every call possible: the first account of the sandbox, and receivers of callbacks. */
export function surroundingsOf(running: RunningSimulator, receiver: Receiver): Surroundings {
  return {
    options: { ...credentialsOf(running), certificate: filesOf(running).p12 },
    production: credentialsOf(running, 'production'),
    control: `http://localhost:${running.simulator.controlPort}/control`,
    receiver: receiver.urlOf('callbacks'),
    notifications: receiver.urlOf('notifications'),
  }
}

/** Credentials of an environment's first account, without a certificate. */
export function credentialsOf({ simulator }: RunningSimulator, environment: Environment = 'sandbox'): ClientOptions {
  const [application] = simulator.folder.environments[environment].applications
  if (application === undefined) throw new Error('the folder has no application')
  const { clientId, clientSecret } = application
  return { sandbox: environment === 'sandbox', client_id: clientId, client_secret: clientSecret }
}

/** Certificate files of the same account. */
export function filesOf({ simulator }: RunningSimulator, environment: Environment = 'sandbox') {
  const [account] = simulator.folder.environments[environment].accounts
  if (account === undefined) throw new Error('the folder has no account')
  return account.files
}

/** A method of the client that the simulator has an endpoint for. */
interface AnsweredMethod {
  readonly method: string
  /** Of its endpoint, as `1:22`; null: the endpoint is of service-decisions.md. */
  readonly number: string | null
}

/** The methods of the client whose endpoints the simulator has: its OpenAPI documents say which. */
export async function answeredMethods(running: RunningSimulator, { apis }: LoadedBuild): Promise<AnsweredMethod[]> {
  const methods = INTERFACES.map(async (name) => {
    const { json } = await running.askRaw(`${running.baseOf(name)}/openapi.json`, {})
    const numbers = numbersIn(json.paths)
    const { ENDPOINTS: endpoints, URL: urls } = apis[API_OF[name]] as LoadedBuild['apis'][string]
    const version = /\/v\d$/.exec(urls.SANDBOX)?.[0] ?? ''
    return Object.entries(endpoints)
      .map(([method, endpoint]) => ({
        method,
        number: numbers.get(`${endpoint.method.toLowerCase()} ${plain(version + endpoint.route)}`),
      }))
      .filter((one): one is AnsweredMethod => one.number !== undefined && one.method !== 'authorize')
  })
  return (await Promise.all(methods)).flat()
}

/** Numbers of endpoints by method and path: the description of an operation has them. */
function numbersIn(paths: Record<string, Record<string, { description?: string }>>): Map<string, string | null> {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { description = '' }]) => {
      const [, document, endpoint] = /^Document (\d), endpoint (\d+)\.$/.exec(description) ?? []
      return [`${method} ${plain(path)}`, document === undefined ? null : `${document}:${endpoint}`] as const
    }),
  )
  return new Map(operations)
}

/** A path without the names of its segments, and without a slash at its end. */
function plain(path: string): string {
  return path.replace(/:\w+|\{\w+\}/g, '*').replace(/\/$/, '')
}
