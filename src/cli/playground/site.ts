import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { makeFolder } from '../../platform/folder.ts'
import { say } from '../../platform/said.ts'
import { FREE_PORTS, type LocalSite, writeSite } from '../demo/site.ts'

/** Those of `npm start`. */
const PORTS = { callbacks: 8443, charges: 8444, api: 8080 } as const

/** The first line of the configuration: a file without it belongs to another gateway. */
const MARK = '# Written by "portaria playground" at each start.'

/**
 * Writes what the folder does not have yet, and the configuration.
 * @throws PortariaError `configuration_invalid` for a folder with the configuration of another gateway, and for one in which files cannot be written
 */
export async function writePlaygroundSite(folder: string, hasAnyPorts: boolean): Promise<LocalSite> {
  try {
    return await writeOwnSite(folder, hasAnyPorts)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const reason = systemWords(error)
    throw new PortariaError(
      'configuration_invalid',
      say`cannot use the folder ${{ folder }}: ${{ error: reason }}; choose another --folder`,
    )
  }
}

async function writeOwnSite(folder: string, hasAnyPorts: boolean): Promise<LocalSite> {
  const configFile = join(folder, 'portaria.yaml')
  if (existsSync(configFile) && !readFileSync(configFile, 'utf8').startsWith(MARK))
    throw new PortariaError(
      'configuration_invalid',
      say`${{ file: configFile }} is the configuration of another gateway: choose another --folder`,
    )
  makeFolder(join(folder, 'certs'), 0o700)
  return writeSite(folder, {
    ports: hasAnyPorts ? FREE_PORTS : PORTS,
    forwarding: { allowedNetworks: ['127.0.0.0/8', '::1'] },
    mark: MARK,
  })
}
