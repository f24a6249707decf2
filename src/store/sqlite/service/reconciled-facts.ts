import type { Realm } from '../../../domain/realm.ts'
import type { FactValues, ReconciledFacts } from '../../storing/reconciled-facts.ts'
import type { Connection } from '../database/connection.ts'

/** While there are none at all, a search costs nothing. */
export function createReconciledFacts(db: Connection): ReconciledFacts {
  type Values = FactValues & { readonly environment: Realm }
  const find = db
    .prepare<[Values], number>(
      'select event_id from reconciled_facts where kind = :kind and environment = :environment and subject = :subject and status = :status',
    )
    .pluck()
  const insert = db.prepare<[Values & { readonly position: number }]>(
    'insert into reconciled_facts (kind, environment, subject, status, event_id) values (:kind, :environment, :subject, :status, :position)',
  )
  /** `add` sets it, and a rollback leaves it as it is. */
  let isAny = db.prepare('select 1 from reconciled_facts limit 1').get() !== undefined
  return {
    find(environment, { kind, subject, status }) {
      if (!isAny || subject === null || status === null) return null
      return find.get({ kind, environment, subject, status }) ?? null
    },
    add(environment, { kind, subject, status }, position) {
      isAny = true
      insert.run({ kind, environment, subject, status, position })
    },
  }
}
