import type { Overview } from '../../domain/overview/overview.ts'
import { endpoint } from '../http/endpoint.ts'
import { STREAM_TYPE } from '../streams/open-stream.ts'
import type { StreamRegistry } from '../streams/stream-registry.ts'
import { overviewSchema, overviewStreamSchema } from './schema.ts'
import { showTraffic, type TrafficOptions } from './traffic.ts'
import { overviewView } from './view.ts'

export interface OverviewSource {
  /** At most a few seconds old. @throws PortariaError `store_unavailable` while the gateway starts */
  read(): Promise<Overview>
  /** As in TrafficOptions. */
  readonly sumUp: TrafficOptions['sumUp']
}

export interface OverviewOptions extends Omit<TrafficOptions, 'sumUp'> {
  readonly overview: OverviewSource
  readonly streams: Pick<StreamRegistry, 'serve'>
}

const INTERVAL_MS = 2000

const common = { method: 'get', access: ['operations.read'], tag: 'Operations', errors: 'problem' } as const

export function overviewEndpoints(options: OverviewOptions) {
  return {
    showOverview: showOverview(options),
    streamOverview: streamOverview(options),
    showTraffic: showTraffic({ ...options, sumUp: options.overview.sumUp }),
  }
}

function showOverview({ overview }: OverviewOptions) {
  return endpoint({
    ...common,
    path: '/v1/overview',
    summary: 'Show the state of the gateway at one glance',
    description:
      'A light with its reasons, traffic of the last hour, backlogs, certificates and free space. Cheap: values counted in the database are at most a few seconds old.',
    answers: { 200: { description: 'The overview.', schema: overviewSchema } },
    run: async () => ({ json: overviewView(await overview.read()) }),
  })
}

function streamOverview({ overview, streams }: OverviewOptions) {
  return endpoint({
    ...common,
    path: '/v1/overview/stream',
    takesTurn: false,
    summary: 'Follow the overview as a stream',
    description: 'Server-sent events: the overview every 2 seconds. It ends as the stream of events does.',
    answers: {
      200: { description: 'Messages until the connection ends.', schema: overviewStreamSchema, type: STREAM_TYPE },
      406: { description: 'The request does not accept an event stream.' },
      503: { description: 'Too many streams are open, or the gateway is starting or stopping.' },
    },
    async run(call) {
      return streams.serve(call, async (stream) => {
        if (stream.isHead) return stream.begin()
        while (stream.isOpen()) {
          const data = JSON.stringify(overviewView(await overview.read()))
          stream.send({ event: 'overview', data })
          await stream.room()
          await stream.next(INTERVAL_MS)
        }
      })
    },
  })
}
