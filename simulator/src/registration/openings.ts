import { randomBytes, randomUUID } from 'node:crypto'
import { openLedger } from '../account/ledger.ts'
import type { Account, Application } from '../applications.ts'
import { INTERFACES } from '../interfaces.ts'
import { addToOutbox } from '../outbox.ts'
import { modulo10 } from '../rules/check-digits.ts'
import type { Site } from '../site.ts'
import type { CHANNELS, EndClient, OpeningRequest } from './opening-schema.ts'

/** How the end client takes part: those who have an account already choose between the last two (Document 1, Account-opening rules). */
export type Decision =
  | { readonly as: 'new_account' | 'secondary_account' }
  | { readonly as: 'application'; readonly account: string }

/** The opening of an account for an end client, whom an integrator asked for it. */
export interface Opening {
  readonly id: string
  /** Number of the integrator's account. */
  readonly integrator: string
  readonly endClient: EndClient
  readonly channels: readonly (typeof CHANNELS)[number][]
  readonly scopes: readonly string[]
  /** Secret part of the end client's link. */
  readonly link: string
  /** `processing`: accepted, and the account is not there yet. */
  readonly state: 'requested' | 'refused' | 'processing' | 'open'
  /** Simulated times, in ms since 1970. */
  readonly requestedAt: number
  readonly answeredAt: number | null
  readonly decision: Decision | null
  /** Of the application that the opening made. */
  readonly clientId: string | null
}

/** Simulated time from the acceptance until the account is there. */
export const OPENING_MS = 60_000

/** Numbers of opened accounts begin here. */
const FIRST_NUMBER = 300_001

export function openingsOf(site: Site): Opening[] {
  return collectionOf(site).list()
}

export function openingBy(site: Site, id: string): Opening | undefined {
  return collectionOf(site).get(id)
}

/** Where the end client accepts or refuses. */
export function linkOf(site: Site, { link }: Opening): string {
  return `${site.origin()}/openings/${link}`
}

/** An account with a company's tax id is in the business tier (Document 1, Account-opening rules). */
export function tierOf({ endClient }: Opening): 'individual' | 'business' {
  return endClient.cnpj === undefined ? 'individual' : 'business'
}

/** Accounts that the holder of the future account has already. */
export function accountsOfHolder(site: Site, { endClient }: Opening): Account[] {
  const holder = endClient.cnpj ?? endClient.cpf
  return site.applications.accounts().filter(({ document }) => document === holder)
}

/** Starts an opening that was checked, and sends the link once through each channel. */
export function requestOpening(site: Site, integrator: Account, request: OpeningRequest): Opening {
  const opening: Opening = {
    id: randomUUID(),
    integrator: integrator.number,
    endClient: request.clienteFinal,
    channels: [...new Set(request.meioDeNotificacao)],
    scopes: [...new Set(request.escoposIntegrados)],
    link: randomBytes(24).toString('base64url'),
    state: 'requested',
    requestedAt: site.clock.now(),
    answeredAt: null,
    decision: null,
    clientId: null,
  }
  site.records.transaction(() => {
    collectionOf(site).put(opening.id, opening)
    const { celular, nomeCompleto } = opening.endClient
    const text = `${nomeCompleto}: ${integrator.name} asks you to open an account. Accept or refuse here.`
    for (const channel of opening.channels)
      addToOutbox(site, { channel, to: celular, subject: 'account_opening', text, link: linkOf(site, opening) })
  })
  return opening
}

/** The account is there after `OPENING_MS`. Only for an opening that waits for its answer. */
export function acceptOpening(site: Site, opening: Opening, decision: Decision): void {
  const answeredAt = site.clock.now()
  site.records.transaction(() => {
    collectionOf(site).put(opening.id, { ...opening, state: 'processing', answeredAt, decision })
    site.tasks.schedule(taskOf(site), answeredAt + OPENING_MS, opening.id)
  })
}

/** Only for an opening that waits for its answer. */
export function refuseOpening(site: Site, opening: Opening): void {
  site.records.transaction(() => {
    collectionOf(site).put(opening.id, { ...opening, state: 'refused', answeredAt: site.clock.now() })
    callBack(site, opening, 'conta_recusada_pelo_cliente_final')
  })
}

/** Says what happens when accepted accounts are due. */
export function defineOpeningTask(site: Site): void {
  site.tasks.define<string>(taskOf(site), (id) => {
    site.records.transaction(() => {
      const opening = openingBy(site, id)
      if (opening?.state === 'processing' && opening.decision !== null) complete(site, opening, opening.decision)
    })
  })
}

function complete(site: Site, opening: Opening, decision: Decision): void {
  const isApplication = decision.as === 'application'
  const application: Application = {
    clientId: randomUUID(),
    clientSecret: randomBytes(32).toString('hex'),
    account: isApplication ? decision.account : addAccount(site, opening),
    interfaces: INTERFACES,
    scopes: opening.scopes,
  }
  site.applications.addApplication(application)
  collectionOf(site).put(opening.id, { ...opening, state: 'open', clientId: application.clientId })
  callBack(site, opening, 'conta_aberta')
}

/** An account without money and without certificates. @returns its number */
function addAccount(site: Site, { endClient }: Opening): string {
  const taken = new Set(site.applications.accounts().map(({ number }) => number))
  let number: string
  do number = String(site.records.nextNumber(`${site.environment}.account-numbers`, FIRST_NUMBER))
  while (taken.has(number))
  site.applications.addAccount({
    number,
    digit: String(modulo10(number)),
    payeeCode: randomBytes(16).toString('hex'),
    name: endClient.razaoSocial ?? endClient.nomeCompleto,
    document: endClient.cnpj ?? endClient.cpf,
    fingerprints: [],
  })
  openLedger(site, number, 0)
  return number
}

/** The body as seen in the field (service-decisions.md, registration callback). */
function callBack(site: Site, { id, integrator }: Opening, evento: string): void {
  site.webhooks.publish(
    'registration',
    integrator,
    JSON.stringify({ contaSimplificada: { identificador: id }, evento }),
  )
}

function collectionOf(site: Site) {
  return site.collection<Opening>('openings')
}

function taskOf({ environment }: Site): string {
  return `${environment}.account-opening`
}
