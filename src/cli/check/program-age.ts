import { readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { CODE } from '../../platform/program-files.ts'
import { VERSION } from '../../platform/version.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning } = reportOn('listeners')

/** Of a running gateway; one that is older than this answer has no `startedAt`. */
export interface Started {
  readonly version: string
  readonly startedAt?: string
}

/**
 * Whether the running gateway was started from the program that is here now. In development the sources change all the time.
 * @param code of this command, which the next start of the gateway runs, too
 */
export function gatewayFinding({ mode }: Pick<Config, 'mode'>, running: Started, code = CODE): Finding {
  const older = mode === 'development' ? null : whyOlder(running, code)
  if (older === null) return good('gateway', 'runs')
  return warning('gateway.older', 'gateway', `runs, but it is older than the program: ${older}`, RESTART)
}

const RESTART = 'restart it, so that it runs this program: systemctl restart portaria, or stop it and start it'

function whyOlder({ version, startedAt }: Started, code: string): string | null {
  if (version !== VERSION) return `it is version ${version}, and the program is ${VERSION}`
  if (startedAt === undefined) return 'it does not say when it was started'
  const changedAt = newestChange(code)
  if (changedAt <= Date.parse(startedAt)) return null
  return `it was started at ${startedAt}, and the program was changed at ${new Date(changedAt).toISOString()}`
}

/** When a file of the folder was last written or put in its place, in ms: an installation keeps the times of what it copies, but not this one. */
function newestChange(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Math.max(...files.map((file) => statSync(resolve(folder, file)).ctimeMs))
}
