import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reservePorts } from '../../../support/ports.ts'
import type { Manner } from '../../processes.ts'
import { accepts, type Service, startService } from './service.ts'

/** Not the command on the PATH, which writes below /var. */
const PROGRAM = '/usr/lib/rabbitmq/bin/rabbitmq-server'

/** RabbitMQ without plugins, and the port mapper that its Erlang needs. */
export async function startRabbitmq(site: string, manner: Manner): Promise<Service> {
  const folder = join(site, 'rabbitmq')
  mkdirSync(folder, { recursive: true })
  const [port, mapperPort, distributionPort] = (await reservePorts(3)) as [number, number, number]
  writeFileSync(join(folder, 'rabbitmq.conf'), `listeners.tcp.default = 127.0.0.1:${port}\n`)
  writeFileSync(join(folder, 'plugins'), '[].\n')
  const environment = {
    HOME: folder,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(mapperPort),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_LOG_BASE: folder,
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_NODENAME: 'peers@localhost',
  }
  const mapper = await startService(site, ['epmd'], { ...manner, environment }, () => accepts(mapperPort))
  const broker = await startService(site, [PROGRAM], { ...manner, environment }, () => accepts(port))
  return { pids: [broker, mapper], address: `amqp://127.0.0.1:${port}` }
}
