/** A system call that is over, as strace saw it. Times in seconds. */
export interface SystemCall {
  readonly name: string
  /** The first argument, a descriptor, by what it belongs to. */
  readonly descriptor: string
  /** The bytes, as strace writes them, as far as it was asked to. */
  readonly text: string
  readonly startedAt: number
  readonly endedAt: number
  readonly result: number
}

/** Lines of `strace -f -ttt -T -yy`, calls that were interrupted by others put together again, in order of their beginning. */
export function systemCallsOf(log: string): SystemCall[] {
  const calls: SystemCall[] = []
  const unfinished = new Map<string, Omit<SystemCall, 'endedAt' | 'result'>>()
  for (const line of log.split('\n')) {
    const [, thread = '', time = '', rest = ''] = /^(\d+) +(\d+\.\d+) (.*)$/.exec(line) ?? []
    const startedAt = Number(time)
    const begun = /^(\w+)\(\d+<(.*?)>(?:, "((?:[^"\\]|\\.)*)"|,|\)| <unf)/.exec(rest)
    const resumed = /^<\.\.\. \w+ resumed>/.test(rest) ? unfinished.get(thread) : undefined
    const result = Number(/ = (-?\d+)[^"]*$/.exec(rest)?.[1] ?? Number.NaN)
    const took = Number(/<(\d+\.\d+)>$/.exec(rest)?.[1] ?? 0)
    if (begun !== null) {
      const [, name = '', descriptor = '', text = ''] = begun
      const call = { name, descriptor, text, startedAt }
      if (rest.endsWith('<unfinished ...>')) unfinished.set(thread, call)
      else calls.push({ ...call, endedAt: startedAt + took, result })
    } else if (resumed !== undefined) {
      calls.push({ ...resumed, endedAt: resumed.startedAt + took, result })
      unfinished.delete(thread)
    }
  }
  return calls.sort((one, other) => one.startedAt - other.startedAt)
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, '"': 34, '\\': 92 }

/** The bytes of a text with the escapes of C, in which strace writes them. */
export function bytesOf(text: string): Buffer {
  const tokens = text.match(/\\[0-7]{1,3}|\\.|[^\\]/gs) ?? []
  return Buffer.from(
    tokens.map((token) => {
      if (!token.startsWith('\\')) return token.charCodeAt(0)
      return ESCAPES[token.slice(1)] ?? Number.parseInt(token.slice(1), 8)
    }),
  )
}
