import type { Channel } from '../../alarms/channels/channel.ts'
import { createCommandChannel } from '../../alarms/channels/command.ts'
import { type ConnectMail, createEmailChannel } from '../../alarms/channels/email.ts'
import { createWebhookChannel, type SendHttp } from '../../alarms/channels/webhook.ts'
import { createHeartbeat } from '../../alarms/heartbeat.ts'
import { type AlarmRunner, type AlarmSettings, createAlarmRunner } from '../../alarms/runner.ts'
import type { AlarmChannelConfig, Config } from '../../config/config.ts'
import { createNameResolver } from '../../delivery/name-resolver.ts'
import { readAlarmFacts } from '../../domain/alarms/alarm-facts.ts'
import type { AlarmSource } from '../../domain/alarms/alarm-source.ts'
import { unjudgedAfter } from '../../domain/alarms/unjudged.ts'
import { everyReasonOf } from '../../domain/overview/light.ts'
import type { Readiness } from '../../domain/readiness.ts'
import type { Store } from '../../domain/store.ts'
import { pageAbout } from '../../pages/overview/places.ts'
import type { Log } from '../../platform/log.ts'
import type { Closing } from '../close.ts'
import type { Metrics } from '../metrics.ts'
import type { Nodes } from '../nodes/nodes.ts'
import { addressReader } from './alarm-address.ts'
import { createAlarmHttp, createAlarmMail } from './alarm-http.ts'
import { alarmPlanOf } from './alarm-plan.ts'

export interface AlarmParts {
  readonly store: Store
  readonly metrics: Pick<Metrics, 'overviewFacts'>
  readonly readiness: Pick<Readiness, 'reasons'>
  /** null: this process alone uses the database. */
  readonly nodes: Pick<Nodes, 'isMine' | 'onMine'> | null
  readonly now: () => number
  readonly closing: Closing
  readonly log: Log
}

export interface Alarms extends Omit<AlarmRunner, 'use' | 'stop'>, Pick<AlarmSource, 'plan'> {
  /** Takes up the section `alarms`, and the address of its links. */
  take(config: Pick<Config, 'alarms' | 'api'>): void
}

/** Nothing is sent before `start`. */
export function createAlarms(
  config: Config,
  { store, metrics, readiness, nodes, now, closing, log }: AlarmParts,
): Alarms {
  const createdAt = now()
  const resolve = createNameResolver()
  const send = createAlarmHttp(resolve)
  const connect = createAlarmMail(resolve)
  const runner = createAlarmRunner({
    store,
    gateway: config.node.name,
    isMine: nodes?.isMine ?? (() => true),
    now,
    log,
    async readReasons() {
      const facts = await metrics.overviewFacts()
      const reasons = everyReasonOf(facts).map((one) => ({ ...one, subject: one.subject ?? '' }))
      const isUnknown = unjudgedAfter(now() - createdAt, facts)
      return { reasons, isWhole: facts.stored !== null, isUnknown }
    },
    readFacts: (alarm) => readAlarmFacts(store, alarm),
  })
  const heartbeat = createHeartbeat({ send, isReady: () => readiness.reasons().length === 0, log })
  closing.defer(() => runner.stop())
  closing.defer(() => heartbeat.stop())
  let isStarted = false
  let used: Config['alarms'] = config.alarms

  function take({ alarms, api }: Pick<Config, 'alarms' | 'api'>): void {
    used = alarms
    const pages = pagesAt(api)
    const parts = { send, connect, mode: config.mode }
    runner.use(alarms && { ...alarms, pages, channels: alarms.channels.map((one) => channelOf(one, parts)) })
    if (isStarted) beatWith()
  }

  function beatWith(): void {
    const { heartbeat: url = null, heartbeatFile: urlFile = null, heartbeatEveryMs = 0 } = used ?? {}
    const readUrl = addressReader({ url, urlFile, key: 'heartbeatFile', format: null }, config.mode)
    heartbeat.use(url === null && urlFile === null ? null : { readUrl, everyMs: heartbeatEveryMs })
  }

  take(config)
  return {
    ...runner,
    take,
    plan: () => alarmPlanOf(used),
    start() {
      isStarted = true
      runner.start()
      nodes?.onMine(runner.wake)
      beatWith()
    },
  }
}

function pagesAt({ publicUrl, pages }: Config['api']): AlarmSettings['pages'] {
  if (publicUrl === null || pages === null) return null
  return { of: ({ code, about = null }) => publicUrl + pageAbout(code, about), mute: `${publicUrl}/ui/alarms#mutes` }
}

interface ChannelParts {
  readonly send: SendHttp
  readonly connect: ConnectMail
  readonly mode: Config['mode']
}

function channelOf(config: AlarmChannelConfig, { send, connect, mode }: ChannelParts): Channel {
  if (config.kind === 'webhook') {
    const { name, format } = config
    const readUrl = addressReader({ ...config, key: 'webhookFile' }, mode)
    return createWebhookChannel({ name, readUrl, format, send })
  }
  return config.kind === 'command' ? createCommandChannel(config) : createEmailChannel({ ...config, connect })
}
