import { AlarmFailure } from '../../alarms/channels/channel.ts'
import type { Config } from '../../config/config.ts'
import { reasonOf } from '../../config/secret-files.ts'
import { type AlarmAddress, addressReader } from '../../gateway/alarms/alarm-address.ts'
import { readRegularFile } from '../../platform/regular-file.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning } = reportOn('alarms')

/** The files of channels, which the gateway reads for each message. Nothing is sent. */
export function checkAlarms({ alarms, mode }: Pick<Config, 'alarms' | 'mode'>): Finding[] {
  if (alarms === null) return []
  const { heartbeatFile } = alarms
  const ofHeartbeat = { url: null, urlFile: heartbeatFile, key: 'heartbeatFile', format: null } as const
  const beat = heartbeatFile === null ? [] : ofAddress('heartbeat', ofHeartbeat, mode)
  const unusable = alarms.channels.flatMap((channel) =>
    channel.kind !== 'email'
      ? channel.kind === 'webhook'
        ? ofAddress(channel.name, { ...channel, key: 'webhookFile' }, mode)
        : []
      : (['authorities', 'userFile', 'passwordFile'] as const).flatMap((key) => {
          const file = channel.smtp[key]
          const problem = file === null ? null : problemOf(file)
          return problem === null ? [] : [unusableFile(channel.name, `smtp.${key}: ${file}: ${problem}`)]
        }),
  )
  if (unusable.length + beat.length > 0) return [...unusable, ...beat]
  const names = alarms.channels.map(({ name }) => name)
  return names.length === 0 ? [] : [good('channels', names.join(', '))]
}

function ofAddress(channel: string, address: AlarmAddress, mode: Config['mode']): Finding[] {
  try {
    addressReader(address, mode)()
    return []
  } catch (error) {
    if (!(error instanceof AlarmFailure)) throw error
    return [unusableFile(channel, `${error.words}`)]
  }
}

function unusableFile(channel: string, found: string): Finding {
  return warning(
    'alarms.file_unusable',
    channel,
    found,
    'correct the file or its path: until then nothing is sent by it',
  )
}

function problemOf(file: string): string | null {
  try {
    readRegularFile(file)
    return null
  } catch (error) {
    return reasonOf(error, file)
  }
}
