import type { Mode } from '../../config/config.ts'
import { hasAllFixes, hasNeededFixes, NODE_ADVICE, SAFE_NODE } from '../../platform/version.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, note, warning, problem } = reportOn('runtime')

/** A Node with known vulnerabilities in what Portaria uses is a problem in production and a warning in development; another one is worth a note. */
export function checkRuntime(mode: Mode, version = process.versions.node): Finding[] {
  if (hasAllFixes(version)) return [good('Node', version)]
  if (hasNeededFixes(version)) {
    const found = `${version} lacks fixes that ${SAFE_NODE} has, all in parts that Portaria does not use (the Brotli decoder)`
    return [note('node.unneeded_fixes', 'Node', found, `nothing must be done; when you update: ${NODE_ADVICE}`)]
  }
  const level = mode === 'production' ? problem : warning
  return [level('node.outdated', 'Node', `${version} lacks fixes that ${SAFE_NODE} has`, NODE_ADVICE)]
}
