import type { Config, ConfigWithServiceSecrets } from '../config/config.ts'
import { configFile, loadWithoutSecrets, loadWithServiceSecrets } from '../config/load-config.ts'
import type { ConfigOption } from './options.ts'
import { tell } from './output.ts'
import { requireThisMachine } from './remote/chosen.ts'

/** Without secrets. @throws PortariaError `configuration_invalid` */
export function readConfig(options: ConfigOption): Config {
  return loadWithoutSecrets(chooseConfig(options))
}

/** For commands that call the service: with its client secrets, and no other. @throws PortariaError `configuration_invalid` */
export function readServiceConfig(options: ConfigOption): ConfigWithServiceSecrets {
  return loadWithServiceSecrets(chooseConfig(options))
}

/** Path of the configuration file. `--verbose` tells it on standard error. @throws PortariaError `request_invalid` if a gateway of another machine is chosen */
export function chooseConfig({ config, verbose = false }: ConfigOption): string {
  requireThisMachine()
  const file = configFile(config, process.env)
  const namedBy = config ? '--config' : process.env.PORTARIA_CONFIG ? 'PORTARIA_CONFIG' : null
  const reason = namedBy === null ? 'neither --config nor PORTARIA_CONFIG names another' : `${namedBy} names it`
  if (verbose) tell(`the configuration is ${file}: ${reason}`)
  return file
}
