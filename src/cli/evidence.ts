import { requireBody } from '../api/events/lookup.ts'
import { evidenceView } from '../api/events/serializer.ts'
import type { EventWithBody, Evidence } from '../domain/event-record.ts'
import { shownText } from '../platform/body-text.ts'
import { preciseLocalText } from '../platform/local-time.ts'
import { print, printable, sectionOf } from './output.ts'

/** Prints the request body byte for byte. @throws PortariaError if retention has removed it */
export function printBody(evidence: Evidence): void {
  requireBody(evidence)
  process.stdout.write(evidence.body)
}

/** Prints the request, its caller and its data, for people. */
export async function printEvidence(
  evidence: Evidence,
  { body, contentType, payloadRemovedAt }: Pick<EventWithBody, 'body' | 'contentType' | 'payloadRemovedAt'>,
): Promise<void> {
  const { headers, peer, ...call } = evidenceView(evidence)
  await print(sectionOf('evidence', call))
  // Its PEM is for programs: --json has it.
  if (peer !== null) await print(sectionOf("the caller's certificate", { ...peer, pem: null }))
  if (headers.length > 0) await print(sectionOf('headers', headers))
  const data =
    payloadRemovedAt === null ? shownText(body, contentType) : `removed on ${preciseLocalText(payloadRemovedAt)}`
  await print(`data\n  ${printable(data).slice(0, 4000)}\n`)
}
