import type { View } from '../../api/http/schema-parts.ts'
import type { overviewSchema } from '../../api/overview/schema.ts'

export type OverviewState = View<typeof overviewSchema>
export type ReasonState = OverviewState['reasons'][number]
export type DestinationState = OverviewState['destinations'][number]
export type CertificateState = OverviewState['certificates'][number]
export type SearchLag = NonNullable<OverviewState['search']>
