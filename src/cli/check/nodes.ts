import { differencesOf } from '../../domain/nodes/differences.ts'
import { JOBS, type NodeRecord } from '../../domain/nodes/node.ts'
import { COMMAND } from '../../platform/installation.ts'
import { readIfPossible } from '../reader.ts'
import type { CheckContext } from './context.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('nodes')

/** The gateways that share a PostgreSQL database. */
export async function checkNodes({ config }: Pick<CheckContext, 'config'>): Promise<Finding[]> {
  if ('file' in config.storage.database) return []
  return nodeFindings(await readIfPossible(config, [], (reader) => reader.listNodes()))
}

export function nodeFindings(nodes: readonly NodeRecord[]): Finding[] {
  const differences = differencesOf(nodes)
  const living = nodes.filter(({ isLiving }) => isLiving).map(({ name }) => name)
  const shared = new Set(living.filter((name, at) => living.indexOf(name) !== at))
  return [
    ...nodes.map((node, at) => nodeFinding(node, differences[at] ?? [])),
    ...[...shared].map((name) =>
      problem(
        'nodes.name_shared',
        name,
        'several nodes that live have this name',
        'set node.name on each of them, and restart it; after a crash look again in a minute',
      ),
    ),
  ]
}

function nodeFinding(node: NodeRecord, differences: readonly string[]): Finding {
  const { name, version, isLiving, seenAt } = node
  if (!isLiving) {
    const found = `version ${version}, silent since ${new Date(seenAt).toISOString()}: others send in its place`
    return warning('nodes.silent', name, found, `start it; a node that is gone for good is forgotten after 30 days`)
  }
  if (differences.length === 0) return good(name, workOf(node))
  const found = `${workOf(node)}; not as on most nodes: ${differences.join(', ')}`
  return warning(
    'nodes.differ',
    name,
    found,
    `make its files equal to those of the others, and reload it (${COMMAND} reload)`,
  )
}

function workOf({ version, leases }: NodeRecord): string {
  const destinations = leases.filter((id) => id !== JOBS).length
  return `version ${version}, sends to ${destinations} destinations${leases.includes(JOBS) ? ', runs the jobs' : ''}`
}
