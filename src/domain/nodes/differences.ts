import type { ConfigurationState } from '../configuration-state.ts'
import type { NodeRecord } from './node.ts'

type Compared = Pick<NodeRecord, 'version' | 'facts' | 'isLiving'>

/**
 * What of each node is not as on most living ones, such as its version or the chains of its callers. Where as many nodes have one thing as another, the
 * first in the list counts. Nothing of a node that does not live.
 */
export function differencesOf(nodes: readonly Compared[]): string[][] {
  const living = nodes.filter(({ isLiving }) => isLiving).map(factsOf)
  const names = [...new Set(living.flatMap((facts) => Object.keys(facts)))].sort()
  const usual = new Map(names.map((name) => [name, mostFrequent(living.map((facts) => facts[name]))]))
  return nodes.map((node) => {
    const facts = factsOf(node)
    return node.isLiving ? names.filter((name) => facts[name] !== usual.get(name)) : []
  })
}

function factsOf({ version, facts }: Compared): Readonly<Record<string, string | undefined>> {
  const compared = Object.entries(facts).filter(([name]) => !name.startsWith(OF_CONFIGURATION))
  return { ...Object.fromEntries(compared), version }
}

/** Each node has a configuration file of its own, with paths and a name of its own. */
const OF_CONFIGURATION = 'configuration.'

export type NodeConfiguration = Pick<ConfigurationState, 'sha256' | 'generation' | 'needRestart'>

/** The facts that say which configuration a node uses. */
export function configurationFacts({ sha256, generation, needRestart }: NodeConfiguration): Record<string, string> {
  return {
    [`${OF_CONFIGURATION}sha256`]: sha256,
    [`${OF_CONFIGURATION}generation`]: String(generation),
    [`${OF_CONFIGURATION}needRestart`]: needRestart.join(' '),
  }
}

/** null: an older node, which does not say. */
export function configurationOf({ facts }: Pick<NodeRecord, 'facts'>): NodeConfiguration | null {
  const sha256 = facts[`${OF_CONFIGURATION}sha256`]
  if (sha256 === undefined) return null
  return {
    sha256,
    generation: Number(facts[`${OF_CONFIGURATION}generation`]),
    needRestart: (facts[`${OF_CONFIGURATION}needRestart`] ?? '').split(' ').filter((key) => key !== ''),
  }
}

function mostFrequent<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [values[0] as T, 0])[0]
}
