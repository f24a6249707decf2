import { X509Certificate } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { PortariaError } from '../../platform/errors.ts'
import { type Finding, markAccepted } from '../check/finding.ts'
import { checkOutside } from '../check/outside.ts'
import { type OutsideFlags, outsideOptions } from '../check.ts'

/** Options of `check --url` that the commands take too. */
export type AddressFlags = Omit<OutsideFlags, 'url'>

/**
 * The checks of `portaria check --url`, before the service makes its own. Returns the warnings, as texts.
 * @throws PortariaError `conflict` with the problems, and `request_invalid` as `check`
 */
export async function checkAddress(config: Config, url: string, flags: AddressFlags): Promise<readonly string[]> {
  const options = await outsideOptions({ ...flags, url }, config)
  if (options === null) throw new Error('unreachable: there is a URL')
  const authorities = options.authorities?.map((pem) => new X509Certificate(pem)) ?? null
  const context = { config, now: new Date(), days: null, authorities, progress: () => undefined, isQuiet: true }
  const { findings } = await checkOutside(context, options)
  const open = markAccepted(findings, config.check.accepted).filter(({ accepted }) => accepted === null)
  const problems = open.filter(({ level }) => level === 'problem')
  if (problems.length === 0) return open.filter(({ level }) => level === 'warning').map(textOf)
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  throw new PortariaError('conflict', `the check of ${url} found ${count}: nothing was changed at the service`, {
    details: problems.map(textOf),
  })
}

function textOf({ what, found, nextStep, code }: Finding): string {
  return `${what}: ${found} → ${nextStep} (${code})`
}
