import { Agent, request } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { serviceCredentials } from '../gateway.ts'
import { until } from '../until.ts'
import { type Callers, longestWait } from './callers.ts'
import type { Cluster } from './cluster.ts'
import { askApi, type ClusterNode } from './nodes.ts'
import type { ClusterReceiver } from './receivers.ts'

/** What faults come upon. */
export interface Scene {
  readonly cluster: Cluster
  readonly callers: Callers
  readonly receivers: readonly ClusterReceiver[]
  readonly random: () => number
  /** When PostgreSQL crashed, by the monotonic clock: the faults add to it. */
  readonly crashes: number[]
}

/** A time that the product promises. */
export interface Figure {
  readonly what: string
  readonly ms: number
  readonly limitMs: number
  /** What came before. */
  readonly failures?: readonly (number | string)[]
}

type Fault = (scene: Scene) => Promise<Figure[]>

/** While one node and PostgreSQL are well. */
const ANSWER_MS = 10_000
const TAKEOVER_MS = 30_000
const CLEAN_TAKEOVER_MS = 5_000
const REFUSAL_MS = 5_000
const RETURN_MS = 15_000
/** Longer than a lease. */
const FROZEN_MS = 25_000
const LOST_COMMITS = 6

/** Each ends when everything is well again. */
export const FAULTS = {
  killed,
  frozen,
  stopped,
  cutOff,
  lostCommits,
  slow,
  databaseKilled,
  failedOver,
} satisfies Record<string, Fault>
export type FaultName = keyof typeof FAULTS

async function killed(scene: Scene): Promise<Figure[]> {
  const nodes = someNodes(scene)
  const from = performance.now()
  await Promise.all(nodes.map((node) => node.end('SIGKILL')))
  const takeover = await takenOver(scene, from, TAKEOVER_MS)
  await Promise.all(nodes.map((node) => node.start()))
  await allWell(scene)
  return [takeover, longestCall(scene, from)]
}

async function stopped(scene: Scene): Promise<Figure[]> {
  const node = anyNode(scene)
  const from = performance.now()
  await node.end('SIGTERM')
  const takeover = await takenOver(scene, performance.now(), CLEAN_TAKEOVER_MS)
  await node.start()
  await allWell(scene)
  return [takeover, longestCall(scene, from)]
}

async function frozen(scene: Scene): Promise<Figure[]> {
  const nodes = someNodes(scene)
  const from = performance.now()
  for (const node of nodes) node.signal('SIGSTOP')
  const takeover = await takenOver(scene, from, TAKEOVER_MS)
  await wait(Math.max(0, from + FROZEN_MS - performance.now()))
  for (const node of nodes) node.signal('SIGCONT')
  await allWell(scene)
  return [takeover, longestCall(scene, from)]
}

/** The network between nodes and PostgreSQL loses every packet. */
async function cutOff(scene: Scene): Promise<Figure[]> {
  const nodes = someNodes(scene)
  const from = performance.now()
  for (const { link } of nodes) link.setMode('dropped')
  const takeover = await takenOver(scene, from, TAKEOVER_MS)
  for (const { link } of nodes) {
    link.setMode('passed')
    link.cut()
  }
  await allWell(scene)
  return [takeover, longestCall(scene, from)]
}

/** PostgreSQL has committed, and the node does not know. */
async function lostCommits(scene: Scene): Promise<Figure[]> {
  const from = performance.now()
  for (let count = 0; count < LOST_COMMITS; count++) {
    const { link } = anyNode(scene)
    await link.loseNextCommit(scene.random() < 0.5 ? 'reset' : 'silence')
    await wait(1000 * scene.random())
  }
  await allWell(scene)
  return [longestCall(scene, from)]
}

async function slow(scene: Scene): Promise<Figure[]> {
  const from = performance.now()
  const { nodes } = scene.cluster
  for (const { link } of nodes) link.setDelay(30 + 40 * scene.random())
  await wait(5000)
  for (const { link } of nodes) link.setDelay(0)
  await allWell(scene)
  return [longestCall(scene, from)]
}

async function databaseKilled(scene: Scene): Promise<Figure[]> {
  const { postgres } = scene.cluster
  scene.crashes.push(performance.now())
  await postgres.kill()
  const refused = await allRefuse(scene)
  await wait(3000 * scene.random())
  await postgres.start()
  return [refused, await firstAnswer(scene)]
}

/** Nothing that was acknowledged may be missing on the standby. */
async function failedOver(scene: Scene): Promise<Figure[]> {
  const { cluster } = scene
  await cluster.postgres.addStandby()
  await wait(2000 * scene.random())
  scene.crashes.push(performance.now())
  await cluster.postgres.failOver()
  for (const { link } of cluster.nodes) link.cut()
  cluster.followPrimary()
  return [await firstAnswer(scene)]
}

/** Each node holds leases. */
async function isShared({ cluster: { postgres, nodes } }: Scene): Promise<boolean> {
  const [row] = await postgres.query<{ holders: string }>('select count(distinct node) as holders from leases')
  return Number(row?.holders) === nodes.length
}

/** At least one is left out. */
function someNodes({ cluster: { nodes }, random }: Scene): ClusterNode[] {
  const first = Math.floor(random() * nodes.length)
  const count = 1 + Math.floor(random() * (nodes.length - 1))
  return [...nodes, ...nodes].slice(first, first + count)
}

function anyNode({ cluster: { nodes }, random }: Scene): ClusterNode {
  return nodes[Math.floor(random() * nodes.length)] as ClusterNode
}

/** Every destination gets what was stored after the fault had begun. */
async function takenOver({ cluster, receivers }: Scene, from: number, limitMs: number): Promise<Figure> {
  const [head] = await cluster.postgres.query<{ position: string }>('select position from head')
  const behind = Number(head?.position)
  const firstOf = ({ arrivals }: ClusterReceiver) => arrivals.find(({ position }) => position > behind)?.at
  await until(() => receivers.every((receiver) => firstOf(receiver) !== undefined), Boolean, 2 * TAKEOVER_MS)
  const ms = Math.round(Math.max(...receivers.map((receiver) => firstOf(receiver) as number)) - from)
  return { what: 'takeover', ms, limitMs }
}

function longestCall({ callers }: Scene, from: number): Figure {
  const { ms, failures } = longestWait(callers.sent, from)
  return { what: 'longest wait for a 200', ms, limitMs: ANSWER_MS, failures }
}

/** PostgreSQL has come back. */
async function firstAnswer(scene: Scene): Promise<Figure> {
  const from = performance.now()
  const at = await until(
    () => scene.callers.sent.find(({ endedAt }) => endedAt !== null && endedAt > from)?.endedAt,
    Boolean,
    2 * RETURN_MS,
  )
  const figure = { what: 'first 200', ms: Math.round((at ?? 0) - from), limitMs: RETURN_MS }
  await allWell(scene)
  return figure
}

/** The balancer uses every node, each of them holds leases, and what comes from now on is delivered to every destination. */
export async function allWell(scene: Scene): Promise<void> {
  await scene.cluster.balanced()
  await until(() => isShared(scene))
  await takenOver(scene, performance.now(), TAKEOVER_MS)
}

/** Each node answers 503 with `Retry-After`, and `/readyz` says why. What is left of a killed server may store for a moment. */
async function allRefuse({ cluster: { nodes } }: Scene): Promise<Figure> {
  const refusalOf = (node: ClusterNode) =>
    until(
      () => callDirectly(node),
      ({ status }) => status === 503,
    )
  const answers = await Promise.all(nodes.map(refusalOf))
  if (answers.some(({ retryAfter }) => retryAfter === undefined))
    throw new Error(`without PostgreSQL nodes answered ${JSON.stringify(answers)}`)
  const ready = await Promise.all(nodes.map(({ ports, site }) => askApi({ port: ports.api, site }, '/readyz')))
  if (ready.some(({ status }) => status !== 503))
    throw new Error(`without PostgreSQL /readyz answered ${JSON.stringify(ready)}`)
  return { what: 'slowest 503', ms: Math.max(...answers.map(({ ms }) => ms)), limitMs: REFUSAL_MS }
}

interface DirectAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly ms: number
}

function callDirectly({ site, ports }: ClusterNode): Promise<DirectAnswer> {
  const from = performance.now()
  const at = { host: '127.0.0.1', port: ports.callbacks, path: '/callbacks/payment', method: 'POST' }
  return new Promise((resolve, reject) => {
    request({ ...at, ...serviceCredentials(site), servername: 'localhost', agent: new Agent() })
      .on('response', (response) => {
        response.resume()
        const { statusCode: status = 0, headers } = response
        resolve({ status, retryAfter: headers['retry-after'], ms: Math.round(performance.now() - from) })
      })
      .on('error', reject)
      .end('{"identificador":"refused"}')
  })
}
