import type { Config } from '../../config/config.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { nameOfDatabase, type PostgresAddress } from '../../platform/postgres/postgres-address.ts'
import { readServerFacts } from '../../store/open-store.ts'
import type { ServerFacts } from '../../store/postgres/server-facts.ts'
import { withReader } from '../reader.ts'
import { type Finding, FOLLOW, reportOn } from './finding.ts'

const { good, note, warning, problem } = reportOn('storage')

/** The server, its settings, and the rights of the user. */
export async function checkPostgres(config: Config, address: PostgresAddress): Promise<Finding[]> {
  try {
    const facts = await readServerFacts(address)
    return [await databaseFinding(config, address), ...serverFindings(facts, config)]
  } catch (error) {
    return [unusableFinding(error)]
  }
}

async function databaseFinding(config: Config, address: PostgresAddress): Promise<Finding> {
  try {
    await withReader(config, async () => {})
    return good('database', nameOfDatabase(address))
  } catch (error) {
    if (error instanceof PortariaError && error.code === 'store_missing')
      return warning('database.missing', 'database', error.message, `${COMMAND} serve`)
    return unusableFinding(error)
  }
}

function unusableFinding(error: unknown): Finding {
  if (!(error instanceof PortariaError)) throw error
  return problem('database.unusable', 'database', error.message, FOLLOW)
}

export function serverFindings(facts: ServerFacts, { mode }: Pick<Config, 'mode'>): Finding[] {
  const { version, hasTls, hasSynchronousStandby, isSuperuser, isOpenToAll, lackingRights, unsafeSettings } = facts
  const how = hasTls ? 'with TLS: its certificate is verified' : 'on this machine, without TLS'
  const settings = unsafeSettings.map((words) => {
    const nextStep = 'give the setting its default again: ALTER SYSTEM RESET, then reload PostgreSQL'
    if (mode === 'production') return problem('database.settings', 'settings', words, nextStep)
    return warning('database.settings', 'settings', words, nextStep)
  })
  return [
    good('server', `PostgreSQL ${version}, ${how}`),
    ...(settings.length > 0 ? settings : [good('settings', 'what was acknowledged survives a crash of the server')]),
    hasSynchronousStandby
      ? good('standby', 'synchronous: a failover to it loses nothing')
      : note('database.standby', 'standby', NO_STANDBY, 'docs/several-nodes.md shows how to set one up'),
    ...roleFindings(isSuperuser, lackingRights),
    ...(isOpenToAll ? [warning('database.public', 'access', OPEN_TO_ALL, REVOKE)] : []),
  ]
}

const NO_STANDBY = 'none is synchronous: a failover may lose what was acknowledged'
const OPEN_TO_ALL = 'every role of the server may connect to the database, and send notices to the nodes'
const REVOKE = 'take the right to connect from PUBLIC, as docs/examples/postgres-role.sql does'
const ROLE = 'docs/examples/postgres-role.sql makes a user with the rights that it needs'

function roleFindings(isSuperuser: boolean, lacking: readonly string[]): Finding[] {
  if (isSuperuser)
    return [warning('database.superuser', 'user', 'is a superuser, and may do more than Portaria needs', ROLE)]
  if (lacking.length === 0) return [good('user', 'has the rights that it needs, and is no superuser')]
  return [problem('database.rights', 'user', `may not ${lacking.slice(0, 3).join(', ')}`, ROLE)]
}
