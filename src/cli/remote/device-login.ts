import { setTimeout as pause } from 'node:timers/promises'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { printable, tell } from '../output.ts'
import type { Profile, Session } from './profiles.ts'
import { type Granted, grantedIn, sessionOf } from './session.ts'
import { type Answer, jsonIn, notAGateway, openTransport, type Problem, settled, type Transport } from './transport.ts'

/** RFC 8628, section 3.2. */
interface DeviceAuthorization {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete?: string
  readonly expires_in: number
  readonly interval?: number
}

const CLIENT_ID = 'portaria'
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** RFC 8628, section 3.5. */
const SLOWER_S = 5
const DEFAULT_INTERVAL_S = 5
const SHORTEST_INTERVAL_S = 1
const LONGEST_INTERVAL_S = 60
const REQUEST_MS = 30_000

/** Says on standard error what the person has to do, and waits for it. @throws PortariaError `unauthorized`, `store_unavailable` */
export async function signInOnDevice(
  place: Pick<Profile, 'api' | 'ca' | 'certificate'>,
): Promise<{ readonly session: Session; readonly scopes: string }> {
  const transport = await openTransport(place, '--')
  try {
    const begun = await begin(place.api, transport)
    sayWhere(begun)
    const askedAt = Date.now()
    const granted = await waitFor(begun, place.api, transport)
    return { session: sessionOf(granted, askedAt), scopes: granted.scope }
  } finally {
    await transport.close()
  }
}

function send(transport: Transport, path: string, form: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams({ client_id: CLIENT_ID, ...form }).toString()
  return transport.exchange(path, { method: 'POST', body, timeoutMs: REQUEST_MS }, null)
}

async function begin(api: string, transport: Transport): Promise<DeviceAuthorization> {
  const { status, bytes } = await send(transport, '/oauth/device_authorization', {})
  const { error, code, error_description: words } = (jsonIn(bytes) ?? {}) as Problem
  const isOffered = error !== 'unsupported_grant_type' && !(status === 404 && code === 'not_found')
  if (isOffered) {
    const begun = settled<Partial<DeviceAuthorization> | undefined>(api, status, bytes)
    if (isWhole(begun)) return begun
    throw notAGateway(api, status)
  }
  throw new PortariaError(
    'unauthorized',
    `${api} offers no sign-in for people${words === undefined ? '' : `: ${words}`}; give --client-id and --client-secret-file of a client ("${COMMAND} clients create" makes one on the gateway's machine), or --token-file`,
  )
}

function isWhole(begun: Partial<DeviceAuthorization> | undefined): begun is DeviceAuthorization {
  const { verification_uri: address, verification_uri_complete: whole = address, interval = 0 } = begun ?? {}
  const areTexts = [begun?.device_code, begun?.user_code, address, whole].every((one) => typeof one === 'string')
  const areAddresses = [address, whole].every((one) => /^https?:\/\//i.test(String(one)))
  return areTexts && areAddresses && Number.isFinite(begun?.expires_in) && Number.isFinite(interval)
}

function sayWhere({
  user_code: code,
  verification_uri: address,
  verification_uri_complete: whole,
}: DeviceAuthorization) {
  tell(
    say`open ${{ address: printable(address) }} in a browser, on any machine, and enter the code ${{ code: printable(code) }}`,
  )
  if (whole !== undefined) tell(say`the same with the code: ${{ address: printable(whole) }}`)
}

async function waitFor(begun: DeviceAuthorization, api: string, transport: Transport): Promise<Granted> {
  const endsAt = performance.now() + begun.expires_in * 1000
  /** Rises where the gateway or its provider ask for it. */
  let intervalS = Math.min(Math.max(begun.interval ?? DEFAULT_INTERVAL_S, SHORTEST_INTERVAL_S), LONGEST_INTERVAL_S)
  let isAway = false
  while (performance.now() < endsAt) {
    await pause(intervalS * 1000)
    const answer = await poll(begun, transport)
    if (answer === null) {
      if (!isAway) tell(say`no answer of ${{ api }}: the sign-in goes on when it answers again`)
      isAway = true
      intervalS = Math.min(intervalS * 2, LONGEST_INTERVAL_S)
      continue
    }
    if (isAway) tell(say`${{ address: api }} answers again`)
    isAway = false
    const { error } = (jsonIn(answer.bytes) ?? {}) as Problem
    if (error === 'slow_down') intervalS += SLOWER_S
    else if (error !== 'authorization_pending') return grantedIn(api, answer)
  }
  throw new PortariaError('unauthorized', say`the code was not used in time: run the command again`)
}

/** @returns null: no answer, or none of a gateway that works */
async function poll({ device_code: code }: DeviceAuthorization, transport: Transport): Promise<Answer | null> {
  try {
    const answer = await send(transport, '/oauth/token', { grant_type: GRANT, device_code: code })
    const { error } = (jsonIn(answer.bytes) ?? {}) as Problem
    return answer.status >= 500 || error === 'temporarily_unavailable' ? null : answer
  } catch (error) {
    if (error instanceof PortariaError && error.code === 'store_unavailable') return null
    throw error
  }
}
