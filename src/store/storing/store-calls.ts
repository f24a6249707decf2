import type { NewCallback } from '../../domain/event.ts'
import type { Store } from '../../domain/store.ts'
import type { StoreReader } from '../../domain/store-reader.ts'

export type WriteMethod = Exclude<keyof Store, keyof StoreReader | 'pulse' | 'offerSlots'>

/** A call of a writing Store method. */
export type StoreCall<M extends WriteMethod = WriteMethod> = {
  [K in M]: { readonly method: K; readonly args: Readonly<Parameters<Store[K]>> }
}[M]

/** The same as a store performs it: a callback has its facts. */
export type WriteCall = StoreCall<Exclude<WriteMethod, 'storeCallback'>> | StoreCallbackCall

interface StoreCallbackCall {
  readonly method: 'storeCallback'
  readonly args: readonly [NewCallback]
}

export type ArgumentsOf<M extends WriteMethod> = M extends 'storeCallback' ? [NewCallback] : Parameters<Store[M]>
