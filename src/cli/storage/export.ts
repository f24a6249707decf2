import { Command, InvalidArgumentError } from 'commander'
import { triedDeliveries } from '../../api/events/lookup.ts'
import { eventSummary, eventText, evidenceView } from '../../api/events/serializer.ts'
import type { EventFilter, EventWithBody } from '../../domain/event-record.ts'
import { parseEventId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { localText } from '../../platform/local-time.ts'
import { readConfig } from '../config-file.ts'
import { checkNames, type FilterOptions, filterOf, withFilters } from '../events/filter.ts'
import { withPeriod } from '../listing/period.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, print, printableJson } from '../output.ts'
import type { Screen } from '../progress.ts'
import { withReader } from '../reader.ts'

interface ExportOptions extends ConfigOption, FilterOptions {
  readonly after?: number
  readonly data: boolean
  readonly evidence?: boolean
  readonly deliveries?: boolean
}

const PAGE = 500
/** Limits memory: each event may carry the whole body of its callback, which a thousand events may share. */
const AT_ONCE = 20

export function exportCommand(): Command {
  return withPeriod(withFilters(withConfig(new Command('export'))), 'received')
    .description('Write events to standard output as JSON Lines, oldest first, with or without a running gateway')
    .option('--after <id>', 'only events after this one, evt_…: continues an export that was interrupted', positionOf)
    .option('--no-data', 'without the data of the events')
    .option('--evidence', 'with the caller, the request and the hashes of each event')
    .option('--deliveries', 'with the deliveries of each event and every attempt')
    .action(action(exportEvents))
}

function positionOf(id: string): number {
  const parsed = parseEventId(id)
  if (parsed === null)
    throw new InvalidArgumentError('It must be an event id, evt_…, such as that of the last complete line.')
  return parsed.position
}

async function exportEvents(options: ExportOptions): Promise<void> {
  await withReader(readConfig(options), async (reader, config) => {
    const progress = process.stdout.isTTY ? null : exportProgress(process.stderr)
    await checkNames(options, config, reader)
    for await (const events of pagesOf(reader, options)) {
      for (let done = 0; done < events.length; done += AT_ONCE) {
        const lines = events.slice(done, done + AT_ONCE).map((event) => lineOf(reader, event, options))
        await print((await Promise.all(lines)).join(''))
      }
      progress?.count(events)
    }
    progress?.end()
  })
}

/** The events that exist at the start; later ones are left to the next export. */
async function* pagesOf(reader: StoreReader, options: ExportOptions): AsyncGenerator<readonly EventWithBody[]> {
  const { after: start = 0 } = options
  const filter: EventFilter = { ...filterOf(options), before: (await reader.latestPosition()) + 1 }
  for (let after = start; ; ) {
    const { events, next, more } = await reader.listEvents({ ...filter, after }, PAGE)
    yield events
    if (!more) return
    after = next
  }
}

async function lineOf(reader: StoreReader, event: EventWithBody, options: ExportOptions): Promise<string> {
  const text = options.data ? eventText(event) : JSON.stringify(eventSummary(event))
  const [found, deliveries] = await Promise.all([
    options.evidence === true ? reader.getEvent(event.id) : undefined,
    options.deliveries === true ? triedDeliveries(reader, event, () => null) : undefined,
  ])
  // Retention may have removed the event since it was listed.
  const proof = found ? { evidence: evidenceView(found.evidence), hashes: found.hashes } : {}
  const rest = JSON.stringify({ ...proof, deliveries })
  return printableJson(rest === '{}' ? `${text}\n` : `${text.slice(0, -1)},${rest.slice(1)}\n`)
}

const TERMINAL_MS = 200
const LINES_MS = 10_000

/** Shows how many events were written and the last one; the total is not known. */
function exportProgress(screen: Screen) {
  let written = 0
  let last: EventWithBody | undefined
  let shownAt = performance.now()

  function words(): string {
    const upTo = last === undefined ? '' : `, up to ${last.id} of ${localText(last.receivedAt)}`
    return `${written === 1 ? '1 event' : `${written} events`}${upTo}`
  }

  function show(end: string): void {
    screen.write(screen.isTTY === true ? `\r\x1b[K${words()}${end}` : `${words()}\n`)
    shownAt = performance.now()
  }

  return {
    count(events: readonly EventWithBody[]): void {
      written += events.length
      last = events.at(-1) ?? last
      if (performance.now() - shownAt >= (screen.isTTY === true ? TERMINAL_MS : LINES_MS)) show('')
    },
    end: () => show('\n'),
  }
}
