import { request } from 'undici'
import { z } from 'zod'
import { type ControlEndpoint, controlEndpoint } from '../control-api/control-endpoint.ts'
import { readBounded } from '../http/bounded-body.ts'

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]']
const TIMEOUT_MS = 5_000

const callbackAddress = z.url({ protocol: /^https$/, error: 'must be an https address' })

const addresses = {
  payment: callbackAddress.describe('Where callbacks of payments go'),
  registration: callbackAddress.describe('Where callbacks of account openings go'),
  charges: z
    .url({ protocol: /^https?$/, error: 'must be an address' })
    .nullable()
    .default(null)
    .describe('Where notifications of charges go; null: unknown'),
  api: z
    .url({ protocol: /^http$/, error: 'must be an http address' })
    .refine((text) => URL.canParse(text) && LOOPBACK_HOSTS.includes(new URL(text).hostname), 'must be on this machine')
    .nullable()
    .default(null)
    .describe('Base address of its API on this machine; null: what arrived is not asked for'),
  pages: z
    .url({ protocol: /^https?$/, error: 'must be an address' })
    .nullable()
    .default(null)
    .describe('Its pages'),
}

const gatewayBody = z.strictObject({
  ...addresses,
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, 'must be visible ASCII')
    .nullable()
    .default(null)
    .describe("The operator's token of its API; it is shown nowhere"),
})
const gatewayView = z.object({ ...addresses, hasToken: z.boolean() })

export type GatewayAddresses = z.output<typeof gatewayBody>

/** The addresses of `npm start`. */
const DEFAULT: GatewayAddresses = {
  payment: 'https://localhost:8443/callbacks/payment',
  registration: 'https://localhost:8443/callbacks/registration',
  charges: null,
  api: null,
  pages: null,
  token: null,
}

/** An event that the gateway stored. */
export interface StoredEvent {
  readonly id: string
  readonly kind: string
  readonly environment: string
  readonly status: string | null
  readonly receivedAt: string
}

export interface LocalGateway {
  addresses(): GatewayAddresses
  set(addresses: GatewayAddresses): void
  /** The stored events about a subject. null: no API is known. @throws Error where it does not answer */
  eventsOf(subject: string): Promise<readonly StoredEvent[] | null>
}

/** The gateway whose receiving the playground shows. It is kept in memory, because its token is a secret. */
export function createLocalGateway(): LocalGateway {
  let known = DEFAULT
  return {
    addresses: () => known,
    set(addresses) {
      known = addresses
    },
    async eventsOf(subject) {
      const { api, token } = known
      if (api === null || token === null) return null
      const url = new URL(`/v1/events?${new URLSearchParams({ subject, limit: '100' })}`, api)
      const { statusCode, body } = await request(url, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const text = await readBounded(body)
      if (statusCode !== 200) throw new Error(`the gateway answered GET ${url.pathname} with ${statusCode}`)
      return (JSON.parse(text) as { data: StoredEvent[] }).data
    },
  }
}

/** Says which gateway the playground shows. */
export function gatewayControl(gateway: LocalGateway): ControlEndpoint[] {
  const answers = { 200: { description: 'The gateway', schema: gatewayView } }
  return [
    controlEndpoint({
      id: 'showGateway',
      method: 'get',
      path: '/gateway',
      summary: 'Show the local gateway, to which the playground sends a first payment',
      answers,
      run: () => ({ status: 200, json: viewOf(gateway.addresses()) }),
    }),
    controlEndpoint({
      id: 'setGateway',
      method: 'put',
      path: '/gateway',
      summary: 'Set the local gateway, to which the playground sends a first payment; a restart forgets it',
      body: gatewayBody,
      answers,
      run({ body }) {
        gateway.set(body)
        return { status: 200, json: viewOf(body) }
      },
    }),
  ]
}

function viewOf({ token, ...addresses }: GatewayAddresses): z.input<typeof gatewayView> {
  return { ...addresses, hasToken: token !== null }
}
