import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Haproxy, startConfiguredHaproxy } from '../haproxy.ts'
import { reservePorts } from '../ports.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const DOCUMENTED = resolve(import.meta.dirname, '../../../docs/examples/haproxy.cfg')

/** Where haproxy connects from: only connections from there begin with a PROXY header. */
export const BALANCER_ADDRESS = '127.0.0.5'

/** The ports of a node. */
export interface NodePorts {
  readonly callbacks: number
  readonly api: number
}

export interface Balancer extends Haproxy {
  /** Its own ports. */
  readonly callbacks: number
  readonly api: number
}

/** haproxy as docs/examples/haproxy.cfg has it, with the addresses of these nodes. @param certs of a site */
export async function startBalancer(nodes: readonly NodePorts[], certs: string): Promise<Balancer> {
  const [callbacks = 0, api = 0] = await reservePorts(2)
  const servers = (at: keyof NodePorts) =>
    nodes.map((node, index) => `  server node-${index + 1} 127.0.0.1:${node[at]} port ${node.api}\n`).join('')
  const text = readFileSync(DOCUMENTED, 'utf8')
    .replace(/( {2}server .*:8443\n)+/, servers('callbacks'))
    .replace(/( {2}server .*:8080\n)+/, servers('api'))
    .replace(':443,:::443', `127.0.0.1:${callbacks}`)
    .replace(':8080,:::8080', `127.0.0.1:${api}`)
    .replace('api.example.com', 'localhost')
    .replace('  mode tcp\n', `  mode tcp\n  source ${BALANCER_ADDRESS}\n`)
    .replace('@system-ca', join(certs, 'server-ca.crt'))
  return { callbacks, api, ...(await startConfiguredHaproxy(temporaryFolder(), text)) }
}

/** By node, whether haproxy sends callbacks there. */
export async function usedNodes(balancer: Balancer): Promise<boolean[]> {
  const states = await balancer.states()
  const names = Object.keys(states).filter((name) => name.startsWith('callbacks/'))
  return names.map((name) => states[name]?.startsWith('UP') === true)
}
