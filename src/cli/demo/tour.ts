import { type ApiClient, createApiClient } from './api-client.ts'
import { type Caller, createCaller } from './caller.ts'
import type { Kill } from './child-program.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { createServiceClient, type ServiceClient } from './service-client.ts'
import { type SimulatorProcess, spawnSimulator } from './simulator-process.ts'
import { createFolder, type DemoSite, removeFolder, writeSite } from './site.ts'

/** The final counts; null if the tour ended earlier. */
export interface Counts {
  /** Callbacks sent with a certificate, including those without a response, without the calls of the probe and the tests of addresses. */
  readonly sent: number
  /** Different callbacks that got 200. */
  readonly acknowledged: number
  /** Different events in the store for those acknowledged. */
  readonly stored: number | null
  /** Of these, the ones that reached the receiver with a valid signature. */
  readonly delivered: number | null
  readonly lost: number | null
}

/** Shared by the steps. Everything that it opens is closed by `close`, at the latest when this process exits. */
export class Tour {
  readonly signal: AbortSignal
  // Set by open, which the first step calls.
  site!: DemoSite
  receiver!: Receiver
  caller!: Caller
  simulator!: SimulatorProcess
  /** An app at the simulated service. */
  service!: ServiceClient
  gateway!: GatewayProcess
  api!: ApiClient
  #stored: number | null = null
  #delivered: number | null = null
  #folder: string | null = null
  readonly #kills = new Map<'gateway' | 'simulator', Kill>()
  readonly #serviceSubjects: string[] = []
  readonly #atExit = () => this.#leaveNothing()

  constructor(signal: AbortSignal) {
    this.signal = signal
  }

  async open(): Promise<void> {
    process.once('exit', this.#atExit)
    this.#folder = createFolder()
    this.site = await writeSite(this.#folder)
    this.signal.throwIfAborted()
    this.receiver = await startReceiver()
  }

  /** Its certificates are made on the way: the gateway cannot start before them. */
  async startService(): Promise<void> {
    const { service: folder, serverCaFile: receiverCaFile } = this.site
    this.simulator = await spawnSimulator(
      { folder, receiverCaFile },
      { signal: this.signal, onSpawned: (kill) => void this.#kills.set('simulator', kill) },
    )
    this.service = createServiceClient(this.simulator.started, this.signal)
    this.caller = createCaller(this.site, this.signal)
  }

  /** Starts the gateway on the folder, for the first time or again; its ports may change each time. */
  async startGateway(): Promise<void> {
    this.gateway = await spawnGateway(this.site.configFile, {
      signal: this.signal,
      onSpawned: (kill) => void this.#kills.set('gateway', kill),
    })
    this.api = createApiClient(this.gateway.api, this.site.operatorToken, this.signal)
  }

  /** Counts callbacks of the simulated service. @param subjects of the callbacks that got 200, one for each of them */
  addServiceCallbacks(subjects: readonly string[]): void {
    this.#serviceSubjects.push(...subjects)
  }

  /** Looks for every acknowledged callback in the store and at the receiver. */
  async count(): Promise<Counts> {
    const events = await this.api.events()
    const subjects = new Set([...this.caller.acknowledged, ...this.#serviceSubjects])
    const stored = events.filter(({ subject }) => subject !== null && subjects.has(subject))
    this.#stored = stored.length
    this.#delivered = stored.filter(({ id }) => this.receiver.received.has(id)).length
    return this.counts
  }

  get counts(): Counts {
    const byService = this.#serviceSubjects.length
    const acknowledged = (this.caller?.acknowledged.size ?? 0) + byService
    return {
      sent: (this.caller?.sent ?? 0) + byService,
      acknowledged,
      stored: this.#stored,
      delivered: this.#delivered,
      lost: this.#delivered === null ? null : acknowledged - this.#delivered,
    }
  }

  async close(): Promise<void> {
    await this.#killAll()
    this.caller?.close()
    await this.service?.close()
    await this.receiver?.close()
    this.#leaveNothing()
    process.removeListener('exit', this.#atExit)
  }

  async #killAll(): Promise<void> {
    await Promise.all([...this.#kills.values()].map((kill) => kill()))
  }

  #leaveNothing(): void {
    void this.#killAll()
    if (this.#folder !== null) removeFolder(this.#folder)
    this.#folder = null
  }
}
