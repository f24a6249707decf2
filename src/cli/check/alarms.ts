import type { Config } from '../../config/config.ts'
import { reasonOf } from '../../config/secret-files.ts'
import { readRegularFile } from '../../platform/regular-file.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning } = reportOn('alarms')

/** The files of channels, which the gateway reads for each message. Nothing is sent. */
export function checkAlarms({ alarms }: Pick<Config, 'alarms'>): Finding[] {
  if (alarms === null) return []
  const unusable = alarms.channels.flatMap((channel) =>
    channel.kind !== 'email'
      ? []
      : (['authorities', 'userFile', 'passwordFile'] as const).flatMap((key) => {
          const file = channel.smtp[key]
          const problem = file === null ? null : problemOf(file)
          return problem === null ? [] : [unusableFile(channel.name, `smtp.${key}: ${file}: ${problem}`)]
        }),
  )
  if (unusable.length > 0) return unusable
  const names = alarms.channels.map(({ name }) => name)
  return names.length === 0 ? [] : [good('channels', names.join(', '))]
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
