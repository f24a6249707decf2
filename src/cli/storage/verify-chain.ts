import { InvalidArgumentError } from 'commander'
import type { AuditVerification, WrittenPoint } from '../../store/verification/audit-verification.ts'
import { runWithProgress } from '../database-job.ts'
import { printable } from '../output.ts'

/** A position and its hash in the audit chain, in the form that `verify --chain` prints. */
export function writtenPoint(text: string, earlier: readonly WrittenPoint[] = []): WrittenPoint[] {
  const [, position, hash] = /^([0-9]{1,15}):([0-9a-fA-F]{64})$/.exec(text) ?? []
  if (position === undefined || hash === undefined)
    throw new InvalidArgumentError(
      'It must be a position and its hash, such as 1200:9f86d0…, as printed by an earlier run.',
    )
  return [...earlier, { position: Number(position), hash: hash.toLowerCase() }]
}

/** @throws PortariaError also when interrupted */
export function verifyChainWithProgress(
  file: string,
  expected: readonly WrittenPoint[],
  { isQuiet }: { isQuiet: boolean },
): Promise<AuditVerification> {
  const interrupted = `interrupted: the events of ${file} were not checked completely`
  return runWithProgress('verifyChain', { file, expected }, { isQuiet, done: 'every event checked', interrupted })
}

export function chainWords(verification: AuditVerification): string {
  const { problems, incomparable, events, withoutPayload, removed, anchor, head } = verification
  const point = head === null ? 'not known' : `${head.position}:${head.hash}`
  if (problems.length > 0) {
    return `The events differ from those that were stored:\n${listed([...problems, ...incomparable])}The end of the audit chain: ${point}
Keep the files as they are: they are evidence. An earlier backup may show the original.\n`
  }
  const gone = [
    ...(anchor === 0 ? [] : [`everything up to ${anchor}`]),
    ...(removed === 0 ? [] : [`${removed} after it`]),
  ]
  const unproved = incomparable.length === 0 ? '' : `Not proved:\n${listed(incomparable)}`
  const sound = `${events} follow from one another, ${withoutPayload} of them without their payload`
  return `No event was altered, inserted, or removed by hand: ${sound}. Retention has removed ${gone.join(', and ') || 'none'}.
${unproved}The end of the audit chain: ${point}
Write it down in a place that cannot be changed from this machine, and check it later with: --expect ${point}\n`
}

function listed(sentences: readonly string[]): string {
  return sentences.map((sentence) => `  - ${printable(sentence)}\n`).join('')
}
