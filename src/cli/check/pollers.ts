import type { StoreReader } from '../../domain/store-reader.ts'

/** Whether there is a consumer, or a client that may read events. */
export async function hasPollersIn(reader: StoreReader): Promise<boolean> {
  if ((await reader.listConsumers()).length > 0) return true
  return (await reader.listClients()).some(({ scopes }) => scopes.includes('events.read'))
}
