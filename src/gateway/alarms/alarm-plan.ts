import type { AlarmsConfig } from '../../config/config.ts'
import type { AlarmPlan } from '../../domain/alarms/alarm-source.ts'

export function alarmPlanOf(alarms: AlarmsConfig | null): AlarmPlan | null {
  if (alarms === null) return null
  const { quietHours, heartbeat, heartbeatFile, channels } = alarms
  return {
    quietHours,
    hasHeartbeat: heartbeat !== null || heartbeatFile !== null,
    channels: channels.map((one) => ({ name: one.name, kind: one.kind === 'webhook' ? one.format : one.kind })),
  }
}
