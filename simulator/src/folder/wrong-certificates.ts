import type { Environment } from '../interfaces.ts'
import { issueAuthority, type KeyPair } from './certificates.ts'
import { makeServiceAuthority, makeServiceClient } from './first-start.ts'
import type { FolderFiles } from './read.ts'

/**
 * Client certificates that a receiver must refuse.
 * - `expired`: by the right intermediate, out of date since a day
 * - `sibling`: by the intermediate of the account certificates, below the same root
 * - `unknown-root`: by a root of the same name with another key
 * - `other-environment`: the service's own certificate of the other environment
 * - `rotated`: by a new intermediate below the same root, which is not published
 */
export type WrongCertificate = 'expired' | 'sibling' | 'unknown-root' | 'other-environment' | 'rotated'

type Make = (files: FolderFiles, environment: Environment, now: Date) => Promise<KeyPair>

const DAY_MS = 86_400_000

export const MAKE_WRONG: Readonly<Record<WrongCertificate, Make>> = {
  async expired(files, environment, now) {
    const validity = { notBefore: daysBefore(now, 400), notAfter: daysBefore(now, 1) }
    return makeServiceClient(environment, files.environments[environment].authority, now, validity)
  },
  async sibling(files, environment, now) {
    return makeServiceClient(environment, files.environments[environment].accountAuthority, now)
  },
  async 'unknown-root'(_files, environment, now) {
    const root = await issueAuthority({ name: 'Simulated service root', now })
    return makeServiceClient(environment, await makeServiceAuthority(environment, { generation: 1, root, now }), now)
  },
  async 'other-environment'(files, environment) {
    return files.environments[environment === 'production' ? 'sandbox' : 'production'].client
  },
  async rotated({ root, environments }, environment, now) {
    const generation = environments[environment].publishedGeneration + 1
    return makeServiceClient(environment, await makeServiceAuthority(environment, { generation, root, now }), now)
  },
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS)
}
