import type { Mode } from '../../config/config.ts'
import { hasAllFixes, NODE_ADVICE, SAFE_NODE } from '../../platform/version.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('runtime')

/** In production a Node with known holes is a problem, in development it is worth a line. */
export function checkRuntime(mode: Mode, version = process.versions.node): Finding[] {
  if (hasAllFixes(version)) return [good('Node', version)]
  const level = mode === 'production' ? problem : warning
  return [level('Node', `${version} lacks fixes that ${SAFE_NODE} has`, NODE_ADVICE)]
}
