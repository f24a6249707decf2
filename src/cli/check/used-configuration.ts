import { realpathSync } from 'node:fs'
import type { aboutSchema } from '../../api/gateway/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import type { Config } from '../../config/config.ts'
import { askGateway } from '../control-client.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning } = reportOn('configuration')

const WHAT = 'running gateway'

/** Whether the running gateway uses this file as it is now; nothing where none runs, or one that does not say. */
export async function checkUsedConfiguration(config: Config): Promise<Finding[]> {
  const gateway = await askGateway<Partial<View<typeof aboutSchema>>>(config, 'GET', '/v1/gateway').catch(() => null)
  const used = gateway?.configuration ?? null
  if (used === null) return []
  if (!isSameFile(used.file, config.file))
    return [warning('configuration.not_loaded', WHAT, `it uses another file, ${used.file}`, NAME_IT)]
  if (used.sha256 !== config.sha256)
    return [warning('configuration.not_loaded', WHAT, 'the file was changed and not taken up', RELOAD)]
  return [good(WHAT, 'uses the file as it is now')]
}

const NAME_IT = 'name its file with --config, or restart it with this one'
const RELOAD =
  'reload it (systemctl reload portaria, or the command reload); where that found a mistake, correct it first'

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other)
  } catch {
    return one === other
  }
}
