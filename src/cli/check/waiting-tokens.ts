import { existsSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { filledIn, MANY_TOKENS, REASON_TEXTS } from '../../domain/overview/reasons.ts'
import { PortariaError } from '../../platform/errors.ts'
import { withReader } from '../reader.ts'
import { type Finding, reportOn } from './finding.ts'

const { warning } = reportOn('service')

/** Environments in which many charge tokens wait, with the limit and the words of the overview. */
export async function checkWaitingTokens(config: Config): Promise<Finding[]> {
  if (!existsSync(config.storage.file)) return []
  const { text, nextStep } = REASON_TEXTS.tokens_many
  try {
    const backlogs = await withReader(config, (reader) => reader.countWaitingTokens())
    const many = backlogs.filter(({ waiting }) => waiting > MANY_TOKENS)
    return many.map(({ environment, waiting }) => {
      const found = filledIn(text, { subject: environment, value: waiting, detail: null })
      return warning('service.tokens_many', `${environment}: waiting tokens`, found, nextStep)
    })
  } catch (error) {
    // The storage findings say why it cannot be read.
    if (error instanceof PortariaError) return []
    throw error
  }
}
