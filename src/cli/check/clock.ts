import { existsSync, statSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { openStoreReader } from '../../store/open-store.ts'
import type { ForeignClock } from './context.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('clock')

const PROGRAM = new URL('../../../package.json', import.meta.url)
const NEXT_STEP = 'set the clock, and keep it right with a time service (systemd-timesyncd, chrony)'
/** Answers take a moment, and their dates have no fractions of a second. */
const LIMIT_MS = 30_000
/** Receivers refuse signed deliveries whose time is further away (Standard Webhooks). */
const SIGNATURE_LIMIT_MS = 5 * 60_000

/** A clock that is behind takes good certificates for not yet valid; one that is ahead takes them for expired. */
export async function checkClock(config: Config, now: Date, clocks: readonly ForeignClock[]): Promise<Finding[]> {
  return [...(await pastFindings(config, now)), ...clocks.map(comparison)]
}

/** Without anybody to ask: time cannot be before what has happened already. */
async function pastFindings(config: Config, now: Date): Promise<Finding[]> {
  const happened: [string, number | null][] = [
    ['this program was installed', statSync(PROGRAM).mtimeMs],
    ['the latest event was received', await latestEventAt(config.storage.file)],
  ]
  const behind = happened.flatMap(([what, at]) => {
    if (at === null || now.getTime() >= at - LIMIT_MS) return []
    const found = `it says ${now.toISOString()}, but ${what} at ${new Date(at).toISOString()}`
    return problem('this machine', found, NEXT_STEP)
  })
  return behind.length > 0 ? behind : [good('this machine', `${now.toISOString()}, after all that it knows of`)]
}

async function latestEventAt(file: string): Promise<number | null> {
  if (!existsSync(file)) return null
  try {
    const reader = await openStoreReader(file)
    const { events } = await reader.listEvents({ newestFirst: true }, 1).finally(() => reader.close())
    return events[0]?.receivedAt ?? null
  } catch {
    // Why it cannot be read is told under storage.
    return null
  }
}

function comparison({ whose, aheadMs }: ForeignClock): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const what = `beside ${whose}`
  if (Math.abs(aheadMs) <= LIMIT_MS) return good(what, 'the two agree')
  const found = `this machine's clock is ${seconds} s ${aheadMs > 0 ? 'ahead' : 'behind'}`
  return (Math.abs(aheadMs) > SIGNATURE_LIMIT_MS ? problem : warning)(what, found, NEXT_STEP)
}
