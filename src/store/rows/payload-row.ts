import { bytesOfFact } from '../../domain/event.ts'
import { type SpanRow, spanOfRow } from './span-row.ts'

/** An event of a list. The body of a callback with many events is not in each of their rows. */
export interface PayloadRow extends SpanRow {
  readonly callback_id: number
  /** null: the event is a part of the body of its callback. */
  readonly body: Buffer | null
}

/** The bytes of an event. @param bodyOf the body of a callback */
export function payloadOfRow(row: PayloadRow, bodyOf: (callbackId: number) => Buffer): Uint8Array {
  return row.body ?? bytesOfFact(bodyOf(row.callback_id), spanOfRow(row))
}

/** The events of one callback are neighbours in a list: its body is read once for all of them. */
export function readOncePerCallback<T>(read: (callbackId: number) => T): (callbackId: number) => T {
  let last: { readonly id: number; readonly value: T } | undefined
  return function readOnce(id) {
    if (last?.id !== id) last = { id, value: read(id) }
    return last.value
  }
}
