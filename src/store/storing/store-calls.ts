import type { NewCallback } from '../../domain/event.ts'
import type { Store } from '../../domain/store.ts'
import type { StoreReader } from '../../domain/store-reader.ts'

/** Their steps are methods of the writer of each store. */
type SeveralSteps = 'workOnSearch' | 'prepareRemoval'

export type WriteMethod = Exclude<
  keyof Store,
  keyof StoreReader | 'pulse' | 'offerSlots' | 'nodes' | 'pageSessions' | 'checkpointWal' | SeveralSteps
>

/** What every writer performs. */
export type Writes = Pick<Store, WriteMethod>

/** A call of a writing method. */
export type StoreCall<W extends object = Writes> = {
  [M in keyof W]: { readonly method: M; readonly args: Readonly<ParametersOf<W[M]>> }
}[keyof W]

/** The same as a store performs it: a callback has its facts. */
export type WriteCall<W extends object = Writes> = StoreCall<Omit<W, 'storeCallback'>> | StoreCallbackCall

interface StoreCallbackCall {
  readonly method: 'storeCallback'
  readonly args: readonly [NewCallback]
}

export type ArgumentsOf<M extends keyof W, W extends object = Writes> = M extends 'storeCallback'
  ? [NewCallback]
  : ParametersOf<W[M]>

export type ResultOf<M extends keyof W, W extends object = Writes> = W[M] extends (...args: never) => infer Result
  ? Awaited<Result>
  : never

type ParametersOf<F> = F extends (...args: infer Args) => unknown ? Args : never
