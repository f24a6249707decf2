import {
  issueAuthority,
  issueClient,
  issueServer,
  type KeyPair,
  makeEcKey,
  type Validity,
} from '../folder/certificates.ts'
import type { Environment } from '../interfaces.ts'
import type { Credentials } from '../webhooks/secure-contexts.ts'
import { authorityName, clientName, type Laboratory, ROOT_NAME } from './laboratory.ts'

/**
 * Client certificates that a receiver must refuse.
 * - `sibling`: by another issuing certificate below the root of the chain
 * - `foreign`: by an authority of which the receiver knows nothing
 * - `foreign-same-name`: the same, with every name as in the right chain
 * - `expired`: by the right issuing certificate, out of date since a day
 * - `server-only`: by the right issuing certificate, for servers
 * - `other-environment`: the right one of the other environment
 */
export type WrongCaller = 'sibling' | 'foreign' | 'foreign-same-name' | 'expired' | 'server-only' | 'other-environment'

type Make = (laboratory: Laboratory, environment: Environment, now: Date) => Promise<Credentials>

const DAY_MS = 86_400_000

export const MAKE_WRONG: Readonly<Record<WrongCaller, Make>> = {
  async sibling({ root }, environment, now) {
    const issuer = await issueAuthority({ name: 'Conformance test customers CA', issuer: root, now })
    return client(clientName(environment), issuer, now)
  },
  async foreign(_laboratory, _environment, now) {
    const root = await issueAuthority({ name: 'Foreign root', now })
    return client('Foreign caller', await issueAuthority({ name: 'Foreign CA', issuer: root, now }), now)
  },
  async 'foreign-same-name'(_laboratory, environment, now) {
    const root = await issueAuthority({ name: ROOT_NAME, now })
    const issuer = await issueAuthority({ name: authorityName(environment), issuer: root, now })
    return client(clientName(environment), issuer, now)
  },
  expired(laboratory, environment, now) {
    const validity = { notBefore: new Date(now.getTime() - 400 * DAY_MS), notAfter: new Date(now.getTime() - DAY_MS) }
    return client(clientName(environment), laboratory.environments[environment].authority, now, validity)
  },
  async 'server-only'(laboratory, environment, now) {
    const issuer = laboratory.environments[environment].authority
    const key = await makeEcKey()
    const leaf = await issueServer({ key, issuer, now, hostNames: [] })
    return { certificate: leaf + issuer.cert, privateKey: key }
  },
  async 'other-environment'({ environments }, environment) {
    return environments[environment === 'production' ? 'sandbox' : 'production'].credentials
  },
}

async function client(name: string, issuer: KeyPair, now: Date, validity?: Validity): Promise<Credentials> {
  const key = await makeEcKey()
  const leaf = await issueClient({ name, key, issuer, now, validity })
  return { certificate: leaf + issuer.cert, privateKey: key }
}
