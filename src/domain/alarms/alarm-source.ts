import type { ChannelTest } from './alarm.ts'
import type { QuietHours } from './quiet-hours.ts'

export const CHANNEL_KINDS = ['email', 'slack', 'teams', 'telegram', 'discord', 'json', 'command'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/** Of the section `alarms` what people may see: no address, which may be a secret. */
export interface AlarmPlan {
  readonly quietHours: QuietHours | null
  readonly hasHeartbeat: boolean
  readonly channels: readonly { readonly name: string; readonly kind: ChannelKind }[]
}

/** The alarms of this process. */
export interface AlarmSource {
  /** null: the configuration has no section `alarms`. */
  readonly plan: () => AlarmPlan | null
  /** Sends a test by these channels now, at the same time; null: no gateway runs. */
  readonly test: ((channels: readonly string[]) => Promise<readonly ChannelTest[]>) | null
  /** Mutes were changed. */
  readonly wake: () => void
}
