import { InvalidArgumentError } from 'commander'
import type { AuditVerification, WrittenPoint } from '../../store/sqlite/audit/verify-audit-chain.ts'
import { runWithProgress } from '../database-job.ts'
import { printable } from '../output.ts'

/** A position and the hash up to it, as this command prints them at its end. */
export function writtenPoint(text: string, earlier: readonly WrittenPoint[] = []): WrittenPoint[] {
  const [, position, hash] = /^([0-9]{1,15}):([0-9a-fA-F]{64})$/.exec(text) ?? []
  if (position === undefined || hash === undefined)
    throw new InvalidArgumentError(
      'It must be a position and its hash, such as 1200:9f86d0…, as an earlier run printed them.',
    )
  return [...earlier, { position: Number(position), hash: hash.toLowerCase() }]
}

/** @throws PortariaError also where it was interrupted */
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
    return `The events are not what was stored:\n${listed([...problems, ...incomparable])}The end of the chain: ${point}
Keep the files as they are: they are evidence. A backup from before may show what was there.\n`
  }
  const gone =
    anchor === 0 && removed === 0
      ? 'Retention has removed none.'
      : `Retention has removed ${anchor === 0 ? '' : `everything up to ${anchor}`}${anchor > 0 && removed > 0 ? ', and ' : ''}${removed === 0 ? '' : `${removed} behind it`}.`
  const unproved = incomparable.length === 0 ? '' : `Not proved:\n${listed(incomparable)}`
  return `No event was altered, inserted, or removed by hand: ${events} follow from one another, ${withoutPayload} of them without their payload. ${gone}
${unproved}The end of the chain: ${point}
Write it down where nobody who can write this database can write, and check later that it still stands: --expect ${point}\n`
}

function listed(sentences: readonly string[]): string {
  return sentences.map((sentence) => `  - ${printable(sentence)}\n`).join('')
}
