/** The candidate that was probably meant; null if none is similar. */
export function similarWord(word: string, candidates: readonly string[]): string | null {
  const wanted = word.toLowerCase()
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  let best: { candidate: string; distance: number } | null = null
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance <= limit && (best === null || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate ?? onlyOneThatContains(wanted, candidates)
}

/** `; did you mean "x"?`, or the list of known words. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const likely = similarWord(word, candidates)
  if (likely !== null) return `; did you mean "${likely}"?`
  return candidates.length === 0 ? '' : `; known here: ${candidates.join(', ')}`
}

/** `key` for privateKey, `hostname` for host: too different for an edit distance. */
function onlyOneThatContains(word: string, candidates: readonly string[]): string | null {
  const likely = candidates.filter((candidate) => {
    const other = candidate.toLowerCase()
    return Math.min(other.length, word.length) >= 3 && (other.includes(word) || word.includes(other))
  })
  return likely.length === 1 ? (likely[0] ?? null) : null
}

/** Insertions, deletions, substitutions and swaps of neighbors (optimal string alignment). Long words never match. */
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 20 || from.length > 100) return Number.POSITIVE_INFINITY
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const costs = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      ]
      current.push(Math.min(...costs))
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}
