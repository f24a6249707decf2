import { Command } from 'commander'
import { attemptView, deliveryView } from '../../api/deliveries/view.ts'
import { findEvent, type ProofView, proofOf } from '../../api/events/lookup.ts'
import type { eventDetailSchema } from '../../api/events/schema.ts'
import { eventSummary, eventText, evidenceView } from '../../api/events/serializer.ts'
import type { View } from '../../api/http/schema-parts.ts'
import type { Config } from '../../config/config.ts'
import type { EventRecord } from '../../domain/event-record.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { preciseLocalText } from '../../platform/local-time.ts'
import { askOrRead } from '../control-client.ts'
import { fieldsOf, NO_PROBES, nextProbesOf } from '../deliveries/waits.ts'
import { printEventProof } from '../event-proof.ts'
import { answeredDataText, dataText, printBody, printEvidence, withMember } from '../evidence.ts'
import { translated } from '../language/language.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, print, printable, printableJson, sectionOf } from '../output.ts'
import { summaryOf } from './remote.ts'

/** Deliveries and attempts. */
const MOST = 500

export function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one event: its data, its caller, and its deliveries with every attempt')
    .argument('<id>', 'the event, evt_…')
    .option('--json', 'print one JSON object')
    .option('--raw', 'print only the request body, byte for byte')
    .option('--evidence', 'show what proves the event: every hashed field, the hashes, the peer certificate')
    .action(action(show))
}

interface ShowOptions extends ConfigOption {
  readonly raw?: boolean
  readonly evidence?: boolean
}

async function show(id: string, options: ShowOptions): Promise<void> {
  await askOrRead(options, {
    async ask(call, gateway) {
      const path = `/v1/events/${encodeURIComponent(id)}`
      if (options.evidence === true) return printEventProof(await call<ProofView>('GET', `${path}/proof`), options)
      if (options.raw === true) return print(await gateway.download({ method: 'GET', target: `${path}/original` }))
      const answer = await gateway.download({ method: 'GET', target: path })
      const { data } = await call<{ data: Deliveries }>('GET', `${path}/deliveries`)
      if (options.json === true) return print(printableJson(`${withMember(answer, 'deliveries', data)}\n`))
      const { evidence, hashes: _, deliveries: __, ...event } = JSON.parse(answer.toString()) as Detail
      await printText({ summary: summaryOf(event), evidence, data: answeredDataText(answer), deliveries: data })
    },
    async read(reader, config) {
      if (options.evidence === true) return printEventProof(await proofOf(reader, id), options)
      const found = await findEvent(reader, id)
      if (options.raw === true) return printBody(found.evidence)
      const deliveries = await deliveriesOf(reader, found.event, config)
      if (options.json === true) return printJson(found, deliveries)
      const [summary, evidence] = [eventSummary(found.event), evidenceView(found.evidence)]
      await printText({ summary, evidence, data: dataText(found.event), deliveries })
    },
  })
}

type Detail = View<typeof eventDetailSchema>
type Found = Awaited<ReturnType<typeof findEvent>>
type Deliveries = Awaited<ReturnType<typeof deliveriesOf>>

async function printJson({ event, evidence, hashes }: Found, deliveries: Deliveries): Promise<void> {
  const rest = JSON.stringify({ evidence: evidenceView(evidence), hashes, deliveries })
  await print(printableJson(`${eventText(event).slice(0, -1)},${rest.slice(1)}\n`))
}

async function printText({
  summary,
  evidence,
  data,
  deliveries,
}: {
  readonly summary: object
  readonly evidence: ReturnType<typeof evidenceView>
  readonly data: string
  readonly deliveries: Deliveries
}): Promise<void> {
  await print(sectionOf('event', summary))
  await printEvidence(evidence, data)
  for (const { latestAttempts, ...delivery } of deliveries) {
    await print(sectionOf(`delivery ${delivery.id}`, fieldsOf(delivery)))
    for (const attempt of latestAttempts) await print(attemptLine(attempt))
  }
}

/** One attempt of a delivery, with the beginning of the response body. */
export function attemptLine(a: ReturnType<typeof attemptView>): string {
  const startedAt = preciseLocalText(Date.parse(a.startedAt))
  const outcome = [translated(a.error ?? 'delivered'), ...(a.answer === '' ? [] : [a.answer])].map(printable).join(': ')
  return `  ${translated(`attempt ${a.attempt}`)}  ${startedAt}  ${a.durationMs} ms  ${a.status ?? translated('no answer')}  ${outcome}
`
}

/** With every attempt. @param config of the gateway that knows the times of probes; null: they are left out */
export async function deliveriesOf(reader: StoreReader, { position }: EventRecord, config: Config | null) {
  const deliveries = await reader.listDeliveries({ position }, MOST)
  const nextProbeOf = config === null ? NO_PROBES : await nextProbesOf(deliveries, config)
  return Promise.all(
    deliveries.map(async (delivery) => ({
      ...deliveryView(delivery, nextProbeOf),
      latestAttempts: (await reader.listAttempts(delivery.deliveryId, MOST)).map(attemptView),
    })),
  )
}
