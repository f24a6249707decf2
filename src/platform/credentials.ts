import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The folder that the unit loads as `secrets` (`LoadCredential=secrets:/etc/portaria/secrets`): each file becomes a credential `secrets_NAME`. */
const LOADED_FOLDER = '/etc/portaria/secrets'

/** Why the file of a systemd credential does not exist, and what to do. */
export function adviceForCredential(file: string): string {
  if (!existsSync(dirname(file)))
    return 'systemd loads credentials when portaria.service starts, and it does not run: systemctl restart portaria'
  const [, name] = /^secrets_(.+)$/.exec(basename(file)) ?? []
  if (name === undefined)
    return `the unit loads no credential of this name: add LoadCredential=${basename(file)}:FILE to it, then systemctl restart portaria`
  const source = join(LOADED_FOLDER, name)
  if (existsSync(source)) return `${source} was created after the service started: systemctl restart portaria loads it`
  return `the unit loads no credential of this name: create ${source}, or add LoadCredential= to the unit, then systemctl restart portaria`
}
