import type { OwnEvent } from '../domain/event.ts'
import type { RaisedWarning } from '../domain/event-record.ts'
import { namedParts } from '../domain/realm.ts'
import type { NewRefusal } from '../domain/refusal.ts'
import { type GivingUp, isRefusedCallback, refusedCallbackAlarm } from '../domain/refused-callbacks.ts'
import type { Store } from '../domain/store.ts'
import { messageOf } from '../platform/errors.ts'
import { COMMAND } from '../platform/installation.ts'
import type { Log } from '../platform/log.ts'

export interface RefusedCallbackAlarmOptions {
  readonly store: Pick<Store, 'raiseInactivity'>
  /** An alarm was stored as an event, with pending deliveries to these destinations. */
  readonly onRaised: (event: OwnEvent, raised: RaisedWarning) => void
  readonly givingUp: GivingUp
  readonly log: Log
}

const HINT = `"${COMMAND} check" names the remedy`

/** Takes each recorded refusal. Warns in the log and with an event, once a day for each environment and code, also over restarts. Never throws. */
export function createRefusedCallbackAlarm({ store, onRaised, givingUp, log }: RefusedCallbackAlarmOptions) {
  /** The day of the last alarm, by cause. */
  const raisedFor = new Map<string, number>()

  return function onRefused(refusal: NewRefusal): void {
    if (!isRefusedCallback(refusal)) return
    const alarm = refusedCallbackAlarm(refusal, givingUp)
    if (raisedFor.get(alarm.kind) === alarm.since) return
    raisedFor.set(alarm.kind, alarm.since)
    const { environment, code, detail: path } = refusal
    store.raiseInactivity(alarm).then(
      (raised) => {
        if (raised === null) return
        log.error({ ...namedParts(environment), code, path, eventId: raised.eventId, hint: HINT }, 'callback.refused')
        onRaised(alarm.event, raised)
      },
      (error: unknown) => {
        // The next refusal tries again.
        raisedFor.delete(alarm.kind)
        log.warn({ ...namedParts(environment), code, error: messageOf(error) }, 'callback.alert_failed')
      },
    )
  }
}
