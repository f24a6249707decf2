import type { Config } from '../../config/config.ts'
import {
  CONNECTION_USERS,
  type DescriptorPlan,
  descriptorLimit,
  isLowered,
  planDescriptors,
  RAISE,
} from '../../gateway/descriptors.ts'
import { PortariaError } from '../../platform/errors.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('listeners')
const WHAT = 'open files'

/** Whether the limit of open files allows the connections of all listeners. @param running plan of the running gateway; null: none runs */
export function checkDescriptors(config: Config, running: DescriptorPlan | null): Finding {
  if (running !== null) return findingOf(running, `the gateway's limit of ${running.limit}`)
  const limit = descriptorLimit()
  // A unit or a container may give the gateway another limit.
  const words = `this command's limit of ${limit}`
  try {
    return findingOf(planDescriptors(config, limit), words)
  } catch (error) {
    if (!(error instanceof PortariaError)) throw error
    return problem('open_files.too_few', WHAT, `${words} is too low: ${error.message}`, RAISE)
  }
}

function findingOf(plan: DescriptorPlan, words: string): Finding {
  if (plan.limit === null) return good(WHAT, 'their limit cannot be read here')
  if (!isLowered(plan)) return good(WHAT, `${words} is enough for all connections`)
  const lowered = CONNECTION_USERS.filter((user) => plan.wanted[user] > 0)
    .map((user) => `${user} ${plan.allowed[user]} instead of ${plan.wanted[user]}`)
    .join(', ')
  return warning('open_files.lowered', WHAT, `${words} lowers the connections: ${lowered}`, RAISE)
}
