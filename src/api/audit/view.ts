import type { ActionRecord } from '../../domain/actions/action.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { iso } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { actionSchema } from './schema.ts'

/** Names of all clients by their ids, revoked ones too. */
export async function actorNames(store: Pick<StoreReader, 'listClients'>): Promise<ReadonlyMap<string, string>> {
  return new Map((await store.listClients({ revoked: true })).map(({ id, name }) => [id, name]))
}

export function actionView(action: ActionRecord, names: ReadonlyMap<string, string>): View<typeof actionSchema> {
  return {
    id: numberedId('act', action.id),
    at: iso(action.at),
    actor: action.actor,
    actorName: names.get(action.actor) ?? action.details?.person ?? null,
    channel: action.channel,
    action: action.action,
    target: action.target,
    reason: action.reason,
    details: action.details,
    refersTo: action.refersTo === null ? null : numberedId('act', action.refersTo),
    hash: action.hash,
  }
}
