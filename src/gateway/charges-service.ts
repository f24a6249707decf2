import type { ChargesWithTokens, ServiceConfig } from '../config/config.ts'
import type { Realm } from '../domain/realm.ts'
import type { ChargeKey } from '../domain/service/charge-route.ts'
import type { ChargesService, MetadataOutcome, ServiceMetadata } from '../domain/service/charges-service.ts'
import { putChargeMetadata } from '../service/charge-resource.ts'
import type { ServiceClient } from '../service/client.ts'
import { ServiceFailure, type ServiceFailureCode } from '../service/failure.ts'

/** An app waits for the answer, and most HTTP clients give up after 30 s. */
const LIMIT_MS = 25_000
/** Document 2, charge metadata attributes. */
const LONGEST_URL = 255

export interface ChargesServiceOptions {
  /** As the charge listener uses it; null: there is none. */
  readonly chargeNotifications: Pick<ChargesWithTokens, 'tokens'> | null
  /** `chargeNotifications.publicUrl` of the configuration that was read last. */
  readonly publicUrl: () => string | null
  /** The entry of the environment in the section `service`; null: none. */
  readonly settingsOf: (environment: Realm) => Pick<ServiceConfig, 'resolveTokens'> | null
  readonly clientOf: (environment: Realm) => ServiceClient | null
}

/** The charges interface of the service, for apps. */
export function createChargesService(options: ChargesServiceOptions): ChargesService {
  const { chargeNotifications, publicUrl, clientOf } = options

  /** The last configured token of the environment is the one that replaces the others; null: no address is known. */
  function addressOf(environment: Realm): string | null {
    const front = publicUrl()
    const token = chargeNotifications?.tokens.findLast((one) => one.environment === environment)?.token
    return front === null || token === undefined ? null : `${front}/charges/${token}`
  }

  return {
    problemOf(environment, need) {
      const problem = problemOfMetadata(environment, clientOf(environment))
      if (problem !== null || need === 'metadata') return problem
      return problemOfRouting(options, environment, addressOf(environment))
    },
    ownAddressOf(environment) {
      const address = addressOf(environment)
      if (address === null) throw new TypeError(`no address for charge notifications of ${environment} is configured`)
      return address
    },
    async changeMetadata(key, metadata) {
      const client = clientOf(key.environment)
      if (client === null) throw new TypeError(`no service of ${key.environment} is configured`)
      const outcome = await change(client, key, metadata)
      const own = addressOf(key.environment)
      return own === null ? outcome : withoutAddress(outcome, own)
    },
  }
}

/** Instead of the service in a command that changes something while no gateway runs. */
export const NO_CHARGES_SERVICE: ChargesService = {
  problemOf: () => 'no gateway runs: only a running gateway calls the service',
  ownAddressOf: () => {
    throw new TypeError('no gateway runs')
  },
  changeMetadata: () => Promise.reject(new TypeError('no gateway runs')),
}

function problemOfMetadata(environment: Realm, client: ServiceClient | null): string | null {
  if (client === null)
    return `this gateway has no access to the service in ${environment}: its operator can add an entry to service`
  if (client.has('charges')) return null
  return `this gateway does not know the charges interface of the service in ${environment}: its operator can set service.baseAddresses.charges`
}

function problemOfRouting(
  { chargeNotifications, publicUrl, settingsOf }: ChargesServiceOptions,
  environment: Realm,
  address: string | null,
): string | null {
  if (chargeNotifications === null)
    return 'this gateway receives no charge notifications: its operator can add the section chargeNotifications'
  if (publicUrl() === null)
    return 'this gateway does not know its own address: its operator can set chargeNotifications.publicUrl'
  if (address === null)
    return `this gateway has no path token for ${environment}: its operator can add one to chargeNotifications.tokens`
  if (address.length > LONGEST_URL)
    return `the gateway's own address is longer than the ${LONGEST_URL} characters that the service takes: its operator can shorten chargeNotifications.publicUrl or the token`
  if (settingsOf(environment)?.resolveTokens !== true)
    return `this gateway does not resolve notification tokens of ${environment}, so it cannot tell charges apart: its operator can set service.resolveTokens`
  return null
}

async function change(client: ServiceClient, key: ChargeKey, metadata: ServiceMetadata): Promise<MetadataOutcome> {
  try {
    await putChargeMetadata(client, key.resource, { id: key.resourceId, metadata, callTimeoutMs: LIMIT_MS })
    return { kind: 'done' }
  } catch (error) {
    if (error instanceof ServiceFailure) return outcomeOf(error)
    throw error
  }
}

/** The cause, as an app gets it. The failure's own message may quote Node or OpenSSL, and its next step is the operator's. */
const FAILURE_TEXTS: Readonly<Record<ServiceFailureCode, string>> = {
  not_configured: "the gateway's access to the service is not complete",
  unreachable: 'the gateway cannot reach the service',
  handshake: 'the TLS handshake between the gateway and the service failed',
  certificate_refused: "the service does not accept the gateway's certificate",
  credentials_refused: "the service does not accept the gateway's credentials",
  insufficient_scope: "the gateway's application at the service lacks the scope for this change",
  rate_limited: 'the service takes no more requests of the gateway for now',
  refused: "the service does not permit the gateway's application this change",
  unavailable: 'the service failed',
  garbage: 'the service gave an answer that the gateway cannot read',
  timeout: 'the service gave no answer in time',
}

/** The gateway's own credentials are no concern of the app: 401 and 403 are failures, like those of the connection. */
function outcomeOf({ code, message, refusal, isOutcomeUnknown, retryAfterMs }: ServiceFailure): MetadataOutcome {
  if (code !== 'refused' || refusal === null || refusal.status === 401 || refusal.status === 403)
    return { kind: 'failed', reason: message, text: FAILURE_TEXTS[code], isOutcomeUnknown, retryAfterMs }
  const { status, name, sentence, property } = refusal
  const description = property !== null && sentence !== null ? { property, message: sentence } : sentence
  return { kind: 'refused', status, code: refusal.code, error: name, description }
}

/** The service may repeat the address in its text, and apps must not learn the token. */
function withoutAddress(outcome: MetadataOutcome, address: string): MetadataOutcome {
  const token = address.slice(address.lastIndexOf('/') + 1)
  return JSON.parse(JSON.stringify(outcome).replaceAll(token, '…')) as MetadataOutcome
}
