import { type ProofView, wordsOfProof } from '../api/events/lookup.ts'
import { shownText } from '../platform/body-text.ts'
import { COMMAND } from '../platform/installation.ts'
import { say } from '../platform/said.ts'
import { translated } from './language/language.ts'
import { EXIT, print, printable, printLine, printText, sectionOf } from './output.ts'

/** Prints everything that an independent auditor needs to compute the hash of an event again. */
export async function printEventProof(proof: ProofView, { json = false }: { json?: boolean }): Promise<void> {
  if (json) await printLine(proof)
  else await printProof(proof)
  if (!proof.isSound) process.exitCode = EXIT.no
}

async function printProof(view: ProofView): Promise<void> {
  const { id, isSound, fields, payload, payloadRemovedAt, previous, digest, hash, certificate } = view
  await print(sectionOf(`event ${id}`, fields))
  const chain = { previous: previous.hash, 'up to position': previous.position, digest, hash }
  await print(sectionOf('hashes', chain))
  const contentType = fields.find(([name]) => name === 'contentType')?.[1] ?? null
  const body =
    payload === null
      ? translated(say`removed at ${{ time: payloadRemovedAt ?? '' }}`)
      : shownText(Buffer.from(payload, 'base64'), contentType)
  await print(`${translated('payload')}\n  ${printable(body).slice(0, 4000)}\n`)
  if (certificate !== null) await print(`the caller's certificate\n${printableLines(certificate)}`)
  await printText(`${wordsOfProof()}\n--json prints all of it for programs, the payload byte for byte.\n`)
  await printText(
    isSound
      ? say`It is sound: its hash matches the fields above, and the payload hash matches the payload if that is still kept.`
      : say`It is NOT what was stored: its hash, or that of its payload, does not match the fields above. See ${{ command: COMMAND }} storage verify --chain.`,
  )
}

function printableLines(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `${printable(line)}\n`)
    .join('')
}
