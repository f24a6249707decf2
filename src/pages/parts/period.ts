import { localText, readLocalTime } from '../../platform/local-time.ts'

/**
 * A time that a person typed, as the API takes it. Without an offset it is local time of the gateway. Text that is no time stays as it is, so that the
 * API says what is wrong with it. '' and null: null.
 */
export function typedTime(text: string | null): string | null {
  const typed = text?.trim() ?? ''
  if (typed === '') return null
  const reading = readLocalTime(typed)
  return 'value' in reading ? new Date(reading.value).toISOString() : typed
}

/** A time as `<input type="datetime-local">` takes it, in the zone of the gateway. @param time in ms since 1970 */
export function wallTime(time: number): string {
  return localText(time).slice(0, 'YYYY-MM-DD hh:mm'.length).replace(' ', 'T')
}
