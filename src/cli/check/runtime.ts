import type { Mode } from '../../config/config.ts'
import { hasAllFixes, NODE_ADVICE, SAFE_NODE } from '../../platform/version.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('runtime')

/** An outdated Node with known vulnerabilities is a problem in production and a warning in development. */
export function checkRuntime(mode: Mode, version = process.versions.node): Finding[] {
  if (hasAllFixes(version)) return [good('Node', version)]
  const level = mode === 'production' ? problem : warning
  return [level('Node', `${version} lacks fixes that ${SAFE_NODE} has`, NODE_ADVICE)]
}
