import { setTimeout as sleep } from 'node:timers/promises'
import type { ReconcileReads, ReconcileWrites } from '../../domain/reconcile/reconcile-store.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { seenIn } from './seen-subjects.ts'
import type { SettingsOf } from './settings.ts'

export interface TakeUpParts {
  readonly store: Pick<StoreReader, 'listEvents'> &
    Pick<ReconcileReads, 'subjectsThrough'> &
    Pick<ReconcileWrites, 'noteSubjects'>
  readonly settingsOf: SettingsOf
}

/** Events of a step: it must not keep callbacks waiting. */
const STEP = 200

/** Takes up the events that came since the last time. A long way is gone in small steps with rests, beside callbacks. */
export async function takeUpEvents({ store, settingsOf }: TakeUpParts, signal: AbortSignal): Promise<void> {
  let from = await store.subjectsThrough()
  while (!signal.aborted) {
    const began = performance.now()
    const page = await store.listEvents({ after: from }, STEP)
    if (page.next <= from) return
    const isTaken = await store.noteSubjects({ from, through: page.next, ...seenIn(page.events, settingsOf) })
    from = isTaken ? page.next : await store.subjectsThrough()
    if (!page.more) return
    await sleep(performance.now() - began, undefined, { signal }).catch(() => undefined)
  }
}
