import { findEvent } from '../api/events/lookup.ts'
import { HASHED_FIELDS } from '../domain/event-hash.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { shownText } from '../platform/body-text.ts'
import { PortariaError } from '../platform/errors.ts'
import { COMMAND } from '../platform/installation.ts'
import { isoOrNull } from '../platform/time.ts'
import { EXIT, print, printable, printLine, printText, sectionOf } from './output.ts'

const HOW = `The digest is the SHA-256 of the fields in order: each as its length in bytes (4 bytes, big-endian) and its bytes in UTF-8, \
null as ff ff ff ff. The hash is the SHA-256 of the 32 bytes of the previous hash and the 32 bytes of the digest. payloadHash is the \
SHA-256 of the payload, peerFingerprint that of the certificate in DER form.`

/** Prints everything that an independent auditor needs to compute the hash of an event again. */
export async function showProof(reader: StoreReader, id: string, { json = false }: { json?: boolean }): Promise<void> {
  const view = await proofOf(reader, id)
  if (json) await printLine(view)
  else await printProof(view)
  if (!view.isSound) process.exitCode = EXIT.no
}

type ProofView = Awaited<ReturnType<typeof proofOf>>

/** As it is printed. @throws PortariaError `not_found` */
export async function proofOf(reader: StoreReader, id: string) {
  const { event, evidence } = await findEvent(reader, id)
  const proof = await reader.getProof(id)
  if (proof === null) throw new PortariaError('not_found', `retention has just removed the event ${id}`)
  const { values, hashes, digest, previous, isSound } = proof
  const isRemoved = event.payloadRemovedAt !== null
  return {
    id: event.id,
    isSound,
    fields: HASHED_FIELDS.map((name, index) => [name, textOf(values[index] ?? null)] as const),
    payload: isRemoved ? null : Buffer.from(event.body).toString('base64'),
    payloadRemovedAt: isoOrNull(event.payloadRemovedAt),
    previous,
    digest,
    hash: hashes.event,
    certificate: evidence.peer?.pem ?? null,
    how: HOW,
  }
}

function textOf(value: string | number | null): string | null {
  return value === null ? null : String(value)
}

async function printProof(view: ProofView): Promise<void> {
  const { id, isSound, fields, payload, payloadRemovedAt, previous, digest, hash, certificate } = view
  await print(sectionOf(`event ${id}`, fields))
  const chain = { previous: previous.hash, 'up to position': previous.position, digest, hash }
  await print(sectionOf('hashes', chain))
  const contentType = fields.find(([name]) => name === 'contentType')?.[1] ?? null
  const body =
    payload === null ? `removed at ${payloadRemovedAt}` : shownText(Buffer.from(payload, 'base64'), contentType)
  await print(`payload\n  ${printable(body).slice(0, 4000)}\n`)
  if (certificate !== null) await print(`the caller's certificate\n${printableLines(certificate)}`)
  await printText(`${HOW}\n--json prints all of it for programs, the payload byte for byte.\n`)
  await printText(
    isSound
      ? 'It is sound: its hash matches the fields above, and the payload hash matches the payload if that is still kept.\n'
      : `It is NOT what was stored: its hash, or that of its payload, does not match the fields above. See ${COMMAND} storage verify --chain.\n`,
  )
}

function printableLines(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `${printable(line)}\n`)
    .join('')
}
