import { evidenceView } from '../api/event-text.ts'
import type { Evidence } from '../domain/store.ts'
import { print, printable, sectionOf } from './output.ts'

/** Who sent something and how, and then what it says, for people. */
export async function printEvidence(evidence: Evidence, body: Uint8Array): Promise<void> {
  const { headers, peer, ...call } = evidenceView(evidence)
  await print(sectionOf('evidence', call))
  // Its PEM is for programs: --json has it.
  if (peer !== null) await print(sectionOf("the caller's certificate", { ...peer, pem: null }))
  if (headers.length > 0) await print(sectionOf('headers', headers))
  await print(`data\n  ${printable(Buffer.from(body).toString('utf8')).slice(0, 4000)}\n`)
}
