import { readFileSync } from 'node:fs'

/** What the CPU time of a callback is spent for, in the order of the table. */
export const STAGES = [
  'TLS and sockets',
  'event loop, native code',
  'HTTP (node:http)',
  'Express',
  'reading and interpretation',
  'hashing',
  'hand-over between threads',
  'SQLite statements',
  'commit: WAL, fsync',
  'deliveries',
  'log',
  'metrics',
  'wiring and jobs',
  'garbage collection',
  'other',
] as const
export type Stage = (typeof STAGES)[number]

/** By the file of a function; the first that matches counts. What matches none belongs to its caller. */
const FILES: readonly (readonly [RegExp, Stage])[] = [
  [/better-sqlite3\/lib\/methods\/transaction\.js$/, 'commit: WAL, fsync'],
  [/better-sqlite3\//, 'SQLite statements'],
  [/node_modules\/(pino|sonic-boom|thread-stream|safe-stable-stringify)|(stored-log|\/log|logger)[\w-]*\.ts$/, 'log'],
  [/src\/metrics\/|node_modules\/prom-client\//, 'metrics'],
  [/src\/delivery\/|node_modules\/undici\//, 'deliveries'],
  [/(event|fact|payload)-hash\.ts$|node:internal\/crypto\//, 'hashing'],
  [
    /sqlite\/(threads\/|sqlite-(store|reader)\.ts)|node:internal\/(worker|per_context\/messageport)/,
    'hand-over between threads',
  ],
  [/src\/store\//, 'SQLite statements'],
  [/node:(_tls|tls|net|internal\/tls|internal\/stream_base_commons)|src\/tls\//, 'TLS and sockets'],
  [/node:(_http|https?$|internal\/http)/, 'HTTP (node:http)'],
  [/node_modules\//, 'Express'],
  [/src\/(receiving|domain)\/|src\/platform\/json/, 'reading and interpretation'],
  [/src\/(gateway|jobs|api|platform|config|certificates)\//, 'wiring and jobs'],
]

const BY_NAME: Readonly<Record<string, Stage>> = {
  '(program)': 'event loop, native code',
  '(garbage collector)': 'garbage collection',
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** In µs of the monotonic clock, as all times here. */
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** The time of a thread by stage, in µs, without what it was idle. */
export interface Spent {
  /** Whether this thread runs a file of this name. */
  runs(file: string): boolean
  readonly stages: ReadonlyMap<Stage, number>
}

/** @param file of `node --cpu-prof` @param window from and to, in µs of `process.hrtime` */
export function readProfile(file: string, window: readonly [number, number]): Spent {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile
  const stageOf = stagesOf(profile.nodes)
  const stages = new Map<Stage, number>()
  let now = profile.startTime
  for (const [i, id] of profile.samples.entries()) {
    const took = profile.timeDeltas[i] ?? 0
    now += took
    const stage = stageOf.get(id)
    if (stage === undefined || now < window[0] || now > window[1]) continue
    stages.set(stage, (stages.get(stage) ?? 0) + took)
  }
  return { runs: (name) => profile.nodes.some(({ callFrame }) => callFrame.url.endsWith(name)), stages }
}

/** By node; none for idle ones. */
function stagesOf(nodes: readonly ProfileNode[]): Map<number, Stage> {
  const stages = new Map<number, Stage>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  function visit(node: ProfileNode, ofCaller: Stage): void {
    const { functionName, url } = node.callFrame
    const stage = BY_NAME[functionName] ?? FILES.find(([pattern]) => pattern.test(url))?.[1] ?? ofCaller
    if (functionName !== '(idle)') stages.set(node.id, stage)
    for (const id of node.children ?? []) visit(byId.get(id) as ProfileNode, stage)
  }
  if (nodes[0] !== undefined) visit(nodes[0], 'other')
  return stages
}
