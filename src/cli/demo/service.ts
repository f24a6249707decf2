import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent } from 'undici'
import type { Environment } from '../../domain/realm.ts'
import { askJson } from './ask-json.ts'
import type { InterfaceName, Simulator } from './programs.ts'

/** A callback, as the control API shows it. */
export interface SentCallback {
  readonly interface: InterfaceName
  readonly body: string
  readonly state: 'pending' | 'delivered' | 'given_up'
  readonly attempts: readonly { readonly response: { readonly status: number } | null }[]
}

export type Service = ReturnType<typeof createService>

const POLL_MS = 20

/** The simulated service: its interfaces, as an app of the integrator uses them, and its control API. Everything throws DemoFailure. */
export function createService({ serverCa, control: controlUrl, environments }: Simulator, signal: AbortSignal) {
  const read = (file: string) => readFileSync(file, 'utf8')
  const apps = { production: appOf('production'), sandbox: appOf('sandbox') }

  function appOf(environment: Environment) {
    const { applications, ...addresses } = environments[environment]
    const [{ clientId, clientSecret, files }] = applications
    const dispatcher = new Agent({ connect: { ca: read(serverCa), cert: read(files.cert), key: read(files.key) } })
    return { ...addresses, dispatcher, basic: Buffer.from(`${clientId}:${clientSecret}`).toString('base64') }
  }

  const call = { who: 'the service', signal }
  const control = <T>(method: string, path: string, body?: object) =>
    askJson<T>({ ...call, method, url: `${controlUrl}${path}`, body })

  return {
    control,
    async ask<T>(on: InterfaceName, request: string, body?: object, environment: Environment = 'sandbox'): Promise<T> {
      const { baseAddresses, tokenEndpoints, basic, dispatcher } = apps[environment]
      const [method = '', path] = request.split(' ')
      const { access_token: token } = await askJson<{ access_token: string }>({
        ...call,
        method: 'POST',
        url: tokenEndpoints[on],
        body: { grant_type: 'client_credentials' },
        authorization: `Basic ${basic}`,
        dispatcher,
      })
      const url = `${baseAddresses[on]}${path}`
      return askJson({ ...call, method, url, body, authorization: `Bearer ${token}`, dispatcher })
    },
    callbacks: async () => (await control<{ callbacks: SentCallback[] }>('GET', '/callbacks')).callbacks,
    /** Sends a body to a registered URL. @returns the status of the answer to the first attempt; null: none came */
    async send(environment: Environment, url: string, text: string): Promise<number | null> {
      const query = `?environment=${environment}`
      const { callbacks } = await control<{ callbacks: number[] }>('POST', `/callbacks${query}`, { url, text })
      for (;;) {
        await wait(POLL_MS, undefined, { signal })
        const { attempts } = await control<SentCallback>('GET', `/callbacks/${callbacks[0]}${query}`)
        if (attempts[0] !== undefined) return attempts[0].response?.status ?? null
      }
    },
    close: () => Promise.all(Object.values(apps).map(({ dispatcher }) => dispatcher.destroy())),
  }
}
