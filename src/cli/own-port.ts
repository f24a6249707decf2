import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Config } from '../config/config.ts'
import { askGateway } from './control-client.ts'

/**
 * A free port to connect from, once and at once. The gateway that runs here leaves a refusal of that connection out of its record.
 * undefined: none answers, so the connection is one like any other.
 */
export async function reserveOwnPort(config: Config): Promise<number | undefined> {
  const reserved = createServer()
  try {
    await once(reserved.listen(0), 'listening')
    const { port } = reserved.address() as AddressInfo
    return (await askGateway(config, 'POST', `/v1/gateway/own-connections?port=${port}`)) === null ? undefined : port
  } catch {
    // This user may not use the control socket, or an older gateway runs. Its own checks report that.
    return undefined
  } finally {
    reserved.close()
  }
}
