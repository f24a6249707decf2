import type { Log } from '../domain/log.ts'
import type { Refusal } from './listener.ts'

const LINES_PER_MINUTE = 120

/** `caller.refused` lines, bounded a minute, so that a scan cannot fill the disk; what was left out is counted. */
export function createRefusalLog(log: Log, listener: string, now: () => number): (refusal: Refusal) => void {
  let minute = 0
  let lines = 0
  let leftOut = 0
  return function logRefusal(refusal) {
    const current = Math.floor(now() / 60_000)
    if (current !== minute) {
      if (leftOut > 0) log.warn({ listener, leftOut }, 'callers.refused')
      minute = current
      lines = 0
      leftOut = 0
    }
    lines++
    if (lines > LINES_PER_MINUTE) leftOut++
    else log.warn({ listener, ...refusal }, 'caller.refused')
  }
}
