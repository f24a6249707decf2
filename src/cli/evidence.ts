import { requireBody } from '../api/events/lookup.ts'
import type { eventSchema } from '../api/events/schema.ts'
import type { evidenceView } from '../api/events/serializer.ts'
import type { View } from '../api/http/schema-parts.ts'
import type { Evidence } from '../domain/event-record.ts'
import { shownText } from '../platform/body-text.ts'
import { locate, textOf } from '../platform/json-text.ts'
import { preciseLocalText } from '../platform/local-time.ts'
import { say } from '../platform/said.ts'
import { translated } from './language/language.ts'
import { print, printable, sectionOf } from './output.ts'

/** Prints the request body byte for byte. @throws PortariaError if retention has removed it */
export function printBody(evidence: Evidence): void {
  requireBody(evidence)
  process.stdout.write(evidence.body)
}

/** Prints the request, its caller and its data, for people. */
export async function printEvidence(evidence: ReturnType<typeof evidenceView>, data: string): Promise<void> {
  const { headers, peer, ...call } = evidence
  await print(sectionOf('evidence', call))
  // Its PEM is for programs: --json has it.
  if (peer !== null) await print(sectionOf("the caller's certificate", { ...peer, pem: null }))
  if (headers.length > 0) await print(sectionOf('headers', headers))
  await print(`${translated('data')}\n  ${printable(data).slice(0, 4000)}\n`)
}

type AnsweredFact = Pick<View<typeof eventSchema>, 'data' | 'dataBase64' | 'contentType' | 'payloadRemovedAt'>

/** The data of an event or a fact, for people. @param answer its JSON, from which the data is copied */
export function answeredDataText(answer: Buffer): string {
  const { data, dataBase64, contentType, payloadRemovedAt } = JSON.parse(answer.toString()) as AnsweredFact
  if (payloadRemovedAt !== null) return removedText(Date.parse(payloadRemovedAt))
  if (dataBase64 !== undefined) return shownText(Buffer.from(dataBase64, 'base64'), contentType)
  return typeof data === 'string' ? data : memberText(answer, 'data')
}

/** The JSON text of a member, as the answer has it. */
function memberText(answer: Buffer, name: string): string {
  const span = locate(answer, { start: 0, end: answer.length }, [name])
  return span === null ? 'null' : textOf(answer, span)
}

/** The JSON text of an answer in which a member has another value; the rest is as it came. */
export function withMember(answer: Buffer, name: string, value: unknown): string {
  const span = locate(answer, { start: 0, end: answer.length }, [name])
  if (span === null) return answer.toString()
  const [before, behind] = [answer.subarray(0, span.start), answer.subarray(span.end)]
  return `${before.toString()}${JSON.stringify(value)}${behind.toString()}`
}

function removedText(at: number): string {
  return translated(say`removed on ${{ time: preciseLocalText(at) }}`)
}
