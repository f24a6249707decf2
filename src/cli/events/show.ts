import { Command } from 'commander'
import { EVENT_READS } from '../../api/events/contract.ts'
import type { evidenceView } from '../../api/events/serializer.ts'
import type { AnswerOf } from '../../api/http/contract.ts'
import { withCaller } from '../caller.ts'
import { attemptLine, fieldsOf } from '../deliveries/waits.ts'
import { printEventProof } from '../event-proof.ts'
import { answeredDataText, printEvidence, withMember } from '../evidence.ts'
import { speakerInUse } from '../language/language.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, print, printableJson, sectionOf } from '../output.ts'
import { summaryOf } from './remote.ts'

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
  const one = { segments: { id } }
  await withCaller(options, async ({ ask, bytes }) => {
    if (options.evidence === true) return printEventProof(await ask(EVENT_READS.showProof, one), options)
    if (options.raw === true) return print(await bytes(EVENT_READS.showOriginal, one))
    const answer = await bytes(EVENT_READS.showEvent, one)
    const { data } = await ask(EVENT_READS.listEventDeliveries, one)
    if (options.json === true) return print(printableJson(`${withMember(answer, 'deliveries', data)}\n`))
    const { evidence, hashes: _, deliveries: __, ...event }: Detail = JSON.parse(answer.toString())
    await printText({ summary: summaryOf(event), evidence, data: answeredDataText(answer), deliveries: data })
  })
}

type Detail = AnswerOf<typeof EVENT_READS.showEvent>
type Deliveries = AnswerOf<typeof EVENT_READS.listEventDeliveries>['data']

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
  const t = await speakerInUse()
  for (const { latestAttempts, ...delivery } of deliveries) {
    await print(sectionOf(`delivery ${delivery.id}`, fieldsOf(delivery, t)))
    for (const attempt of latestAttempts) await print(attemptLine(attempt))
  }
}
