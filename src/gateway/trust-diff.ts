import type { CertificateOptions } from '../api/certificates/endpoints.ts'
import { consequencesOfActivation, consequencesView, entryFor, SEEN_MS } from '../certificates/trust/trust-change.ts'
import type { UsedChain } from '../certificates/trust/trust-reading.ts'
import type { Config } from '../config/config.ts'
import { realmNamed } from '../config/institutions.ts'
import { daysLeft } from '../domain/expiry.ts'
import { partsOf } from '../domain/realm.ts'
import type { StoreReader } from '../domain/store-reader.ts'

/** Names the chain of a request in texts. */
const GIVEN = 'the given chain'

/** Compares a chain with those that the current configuration trusts. */
export function createTrustDiff({
  config,
  inUse,
  store,
  now,
}: {
  readonly config: () => Pick<Config, 'callbacks' | 'institutions' | 'service' | 'file'>
  readonly inUse: () => readonly UsedChain[]
  readonly store: Pick<StoreReader, 'listPeers'>
  readonly now: () => number
}): CertificateOptions['diffTrust'] {
  return async function diffTrust({ pem, activation, ...whose }) {
    const at = now()
    const peers = await store.listPeers(at - SEEN_MS)
    const current = config()
    const { callbacks, file } = current
    const realm = realmNamed(current, whose)
    const question = { entries: callbacks.trust, entry: entryFor(callbacks.trust, realm, file), inUse: inUse() }
    const consequences = consequencesOfActivation(question, { file: GIVEN, pem }, { activation, peers, now: at })
    const { changes, ...callers } = consequencesView(consequences)
    return {
      ...partsOf(realm),
      activeChains: consequences.compared,
      changes: changes.map((change) => ({ ...change, daysLeft: daysLeft(Date.parse(change.notAfter), at) })),
      ...callers,
    }
  }
}
