import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../domain/realm.ts'
import { askJson } from './ask-json.ts'
import type { Counts, Details, Narration } from './narration.ts'
import { type Gateway, type Kill, type Simulator, spawnProgram } from './programs.ts'
import { Receiver } from './receiver.ts'
import { createService, type Service } from './service.ts'
import { FREE_PORTS, type LocalSite, writeSite } from './site.ts'

export interface Step {
  readonly title: string
  /** @throws DemoFailure if a promise is broken */
  run(tour: Tour, narration: Pick<Narration, 'did' | 'saw' | 'quote'>): Promise<Details>
}

/** A callback that the tour lets the service send. */
export interface MadeCallback {
  readonly kind: 'registration' | 'payment' | 'charge'
  readonly subject: string
  readonly body: object
}

/** The members of an event that the demo reads. */
export interface SeenEvent {
  readonly id: string
  readonly kind: string
  readonly environment: string
  readonly subject: string | null
  readonly status: string | null
  readonly duplicates: number
}

const FORWARDING = {
  allowedNetworks: ['127.0.0.0/8'],
  // Short waits keep the demo fast; there are enough of them to outlast it.
  schedule: ['0s', '300ms', '300ms', '500ms', '500ms', ...Array(5).fill('1s'), ...Array(30).fill('2s')],
  timeout: '5s',
  circuit: { probeInterval: '1s' },
}

/** Shared by the steps. Everything that it opens is closed by `close`, at the latest when this process exits. */
export class Tour {
  readonly signal: AbortSignal
  readonly receiver = new Receiver()
  // The first step sets them.
  site!: LocalSite
  simulator!: Simulator
  service!: Service
  gateway!: Gateway
  /** Callbacks sent. */
  #sent = 0
  /** Subjects of those that got 200: one for each different callback. */
  readonly #acknowledged: string[] = []
  #stored: number | null = null
  #delivered: number | null = null
  #folder: string | null = null
  readonly #kills: Kill[] = []
  readonly #atExit = () => this.#leaveNothing()

  constructor(signal: AbortSignal) {
    this.signal = signal
  }

  async open(): Promise<void> {
    process.once('exit', this.#atExit)
    this.#folder = mkdtempSync(join(tmpdir(), 'portaria-demo-'))
    this.site = await writeSite(this.#folder, {
      ports: FREE_PORTS,
      forwarding: FORWARDING,
      mark: '# Of "portaria demo".',
    })
    this.signal.throwIfAborted()
    await this.receiver.start()
  }

  /** Its certificates are made on the way: the gateway cannot start before them. */
  async startService(): Promise<void> {
    const { service: folder, serverCaFile } = this.site
    const flags = ['--json', '--port', '0', '--control-port', '0', '--folder', folder, '--receiver-ca', serverCaFile]
    const program = { name: 'the simulated service', mark: '"serverCa"', ...this.#spawning() }
    this.simulator = await spawnProgram(['simulator', ...flags], program)
    this.service = createService(this.simulator, this.signal)
  }

  /** Starts the gateway on the folder, for the first time or again; its ports may change each time. */
  async startGateway(): Promise<void> {
    const program = { name: 'the gateway', mark: '"gateway.started"', ...this.#spawning() }
    this.gateway = await spawnProgram(['serve', '--config', this.site.configFile], program)
  }

  #spawning() {
    return { signal: this.signal, onSpawned: (kill: Kill) => void this.#kills.push(kill) }
  }

  /** The address that the service calls for a kind. */
  urlOf(kind: string): string {
    return `https://localhost:${this.gateway.callbacks.port}/callbacks/${kind}`
  }

  /** Asks the gateway's API, with the operator's token. */
  askApi<T>(method: string, path: string, body?: object): Promise<T> {
    const { host, port } = this.gateway.api
    const authorization = `Bearer ${this.site.operatorToken}`
    const url = `http://${host}:${port}${path}`
    return askJson({ who: 'the API', method, url, body, authorization, signal: this.signal })
  }

  /** The items of a list of the API. A tour has fewer than a page can hold. */
  async list<T>(path: string, query = ''): Promise<T[]> {
    return (await this.askApi<{ data: T[] }>('GET', `${path}?limit=1000${query}`)).data
  }

  /** Lets the service send a callback. @returns the status of the answer; null: none came */
  async call({ kind, subject, body }: MadeCallback, environment: Environment = 'production'): Promise<number | null> {
    this.#sent++
    const status = await this.service.send(environment, this.urlOf(kind), JSON.stringify(body))
    if (status === 200 && !this.#acknowledged.includes(subject)) this.#acknowledged.push(subject)
    return status
  }

  /** Counts callbacks of the service that the tour did not make. @param subjects of the callbacks that got 200, one for each of them */
  addServiceCallbacks(subjects: readonly string[]): void {
    this.#sent += subjects.length
    this.#acknowledged.push(...subjects)
  }

  /** Looks for every acknowledged callback in the store and at the receiver. */
  async count(): Promise<Counts> {
    const events = await this.list<SeenEvent>('/v1/events')
    const stored = events.filter(({ subject }) => subject !== null && this.#acknowledged.includes(subject))
    this.#stored = stored.length
    this.#delivered = stored.filter(({ id }) => this.receiver.received.has(id)).length
    return this.counts
  }

  get counts(): Counts {
    const acknowledged = this.#acknowledged.length
    return {
      sent: this.#sent,
      acknowledged,
      stored: this.#stored,
      delivered: this.#delivered,
      lost: this.#delivered === null ? null : acknowledged - this.#delivered,
    }
  }

  async close(): Promise<void> {
    await this.#killAll()
    await this.service?.close()
    await this.receiver.close()
    this.#leaveNothing()
    process.removeListener('exit', this.#atExit)
  }

  async #killAll(): Promise<void> {
    await Promise.all(this.#kills.map((kill) => kill()))
  }

  #leaveNothing(): void {
    void this.#killAll()
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    this.#folder = null
  }
}
