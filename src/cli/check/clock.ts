import { statSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { CONFIRM_CLOCK_HINT, clockProblem, isFarAhead, lastCertainTime } from '../../domain/clock.ts'
import { programFile } from '../../platform/program-files.ts'
import { readIfPossible } from '../reader.ts'
import type { ForeignClock } from './context.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('clock')

const PROGRAM = programFile('package.json')
const NEXT_STEP = 'set the clock, and keep it right with a time service (systemd-timesyncd, chrony)'
/** Tolerance: responses take time, and their dates have no fractions of a second. */
const LIMIT_MS = 30_000
/** Receivers refuse signed deliveries with a larger time difference (Standard Webhooks). */
const SIGNATURE_LIMIT_MS = 5 * 60_000

/** With a slow clock, good certificates look not yet valid; with a fast clock, expired. */
export async function checkClock(config: Config, now: Date, clocks: readonly ForeignClock[]): Promise<Finding[]> {
  return [...(await pastFindings(config, now)), ...clocks.map(comparison)]
}

/** Compares with local facts: the time cannot be before known events. */
async function pastFindings(config: Config, now: Date): Promise<Finding[]> {
  const known = await readIfPossible(config, { latestEventAt: null, certain: null }, async (reader) => {
    const { events } = await reader.listEvents({ newestFirst: true }, 1)
    return { latestEventAt: events[0]?.receivedAt ?? null, certain: lastCertainTime(await reader.readClock()) }
  })
  const happened: [string, number | null][] = [
    ['this program was installed', statSync(PROGRAM).mtimeMs],
    ['the latest event was received', known.latestEventAt],
  ]
  const behind = happened.flatMap(([what, at]) => {
    if (at === null || now.getTime() >= at - LIMIT_MS) return []
    const found = `it says ${now.toISOString()}, but ${what} at ${new Date(at).toISOString()}`
    return problem('clock.behind', 'this machine', found, NEXT_STEP)
  })
  if (isFarAhead(now.getTime(), known.certain)) {
    const found = clockProblem(now.getTime(), known.certain ?? 0)
    return [...behind, problem('clock_implausible', 'this machine', found, CONFIRM_CLOCK_HINT)]
  }
  return behind.length > 0 ? behind : [good('this machine', `${now.toISOString()}, which is after every known time`)]
}

function comparison({ whose, aheadMs }: ForeignClock): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const what = `beside ${whose}`
  if (Math.abs(aheadMs) <= LIMIT_MS) return good(what, 'the two agree')
  const found = `this machine's clock is ${seconds} s ${aheadMs > 0 ? 'ahead' : 'behind'}`
  return (Math.abs(aheadMs) > SIGNATURE_LIMIT_MS ? problem : warning)('clock.differs', what, found, NEXT_STEP)
}
