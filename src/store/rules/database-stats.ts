import type { SearchState } from '../../domain/search/search-index.ts'

export interface TableStats {
  readonly name: string
  readonly rows: number
  /** Including its indexes. */
  readonly bytes: number
  readonly indexBytes: number
}

export interface DatabaseStats {
  readonly bytes: number
  /** Free pages inside, which are used before the file grows; null: unknown. */
  readonly reusableBytes: number | null
  readonly tables: readonly TableStats[]
  readonly callbacks: CallbackStats
  readonly search: SearchState
}

export interface CallbackStats {
  readonly all: number
  readonly withPayload: number
  readonly recent: number
  /** null: none. */
  readonly oldestAt: number | null
  readonly oldestWithPayloadAt: number | null
}
