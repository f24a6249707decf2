import { type Command, InvalidArgumentError } from 'commander'
import { localText, readLocalTime } from '../../platform/local-time.ts'

/** In ms since 1970; `to` is exclusive. */
export interface PeriodOptions {
  readonly from?: number
  readonly to?: number
}

const FORMS = 'such as "2026-11-22 10:00" (local time), 2026-11-22T10:00:00Z, or an age such as 2h'

/** @param done what happened in the period, such as `received` */
export function withPeriod(command: Command, done: string): Command {
  return withFrom(command, `${done} at this time or later, ${FORMS}`)
    .option('--to <time>', `${done} before this time`, timeOrAge)
    .hook('preAction', (_, called) => refuseEmpty(called))
}

/** A period that ends before it begins would silently be without results. */
function refuseEmpty(called: Command): void {
  const { from, to } = called.opts<PeriodOptions>()
  if (from === undefined || to === undefined || from < to) return
  const words = `--from ${localText(from)} is not before --to ${localText(to)}, and --to is not included`
  called.error(`error: ${words}`, { exitCode: 2 })
}

/** @param description what begins at that time */
export function withFrom(command: Command, description: string): Command {
  return command.option('--from <time>', description, timeOrAge)
}

/** A time as `readLocalTime` reads it, or an age such as `15m`, `2h`, `7d`. */
export function timeOrAge(text: string): number {
  const age = /^([1-9][0-9]{0,6})(s|m|h|d)$/.exec(text)
  if (age !== null) return Date.now() - Number(age[1]) * AGE_UNITS[age[2] as keyof typeof AGE_UNITS]
  const reading = readLocalTime(text)
  if ('problem' in reading)
    throw new InvalidArgumentError(
      `It ${reading.problem}${/^must/.test(reading.problem) ? ', or an age such as 2h' : ''}.`,
    )
  return reading.value
}

const AGE_UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
