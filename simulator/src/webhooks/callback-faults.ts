import type { Clock } from '../clock.ts'
import type { CallbackFault } from '../faults/fault.ts'
import type { Faults } from '../faults/faults.ts'
import type { SimulatorFolder } from '../folder/folder.ts'
import type { Environment } from '../interfaces.ts'
import type { Collection, Records } from '../records.ts'
import type { Tasks } from '../tasks.ts'
import type { Callback, NewCallback } from './callback.ts'
import { mergedBody, repeatedBody } from './fault-bodies.ts'
import type { ReceiverCall } from './receiver-call.ts'

/** What faults do to callbacks, around each call. */
export interface CallbackFaults {
  connect(outlet: Outlet): void
  /** Before a call. `not_now`: a fault decided that this callback is not sent, or not yet. */
  begin(callback: Callback): CallbackFault | 'not_now' | undefined
  change(call: ReceiverCall, fault: CallbackFault): Promise<ReceiverCall>
  /** What is held for an address goes to another one; null: it is held no longer. */
  redirect(id: number, url: string | null): void
  /** After a call. */
  finish(callback: Callback, fault: CallbackFault | undefined): void
}

/** How faults send callbacks of their own. */
export interface Outlet {
  readonly callbacks: Collection<Callback>
  send(callback: NewCallback): number
  /** Calls a callback at once that is `pending` again. */
  resume(id: number): void
}

/** A callback that a fault holds back. */
interface Held {
  readonly id: number
  readonly url: string
  readonly fault: CallbackFault & { readonly fault: 'reorder' | 'several_facts' }
}

/** These decide whether and how often a callback is sent: they meet its first call only, and nothing that a fault made. */
const ONCE: readonly CallbackFault['fault'][] = [
  ...(['drop', 'duplicate', 'reorder', 'several_facts', 'same_id_other_content'] as const),
]

export interface CallbackFaultsOptions {
  readonly environment: Environment
  readonly records: Records
  readonly clock: Clock
  readonly tasks: Tasks
  readonly folder: SimulatorFolder
  readonly faults: Faults
}

export function createCallbackFaults(options: CallbackFaultsOptions): CallbackFaults {
  const { environment, records, clock, tasks, folder, faults } = options
  const held = records.collection<Held>(`${environment}.held`)
  const releaseKind = `${environment}.release`
  /** `connect` sets it once, before the first callback. */
  let outlet: Outlet

  function setState(id: number, change: Partial<Callback>): void {
    const callback = outlet.callbacks.get(id)
    if (callback !== undefined) outlet.callbacks.put(id, { ...callback, ...change })
  }

  function hold(id: number, url: string, fault: Held['fault']): 'not_now' {
    held.put(id, { id, url, fault })
    setState(id, { state: 'waiting' })
    tasks.schedule(releaseKind, clock.now() + fault.holdSeconds * 1000, id)
    return 'not_now'
  }

  function release({ id }: Held): void {
    if (!held.delete(id)) return
    setState(id, { state: 'pending', hasWaited: true })
    outlet.resume(id)
  }

  /** The callbacks whose facts go to a URL in one call. */
  const groupFor = (url: string) => held.list().filter((one) => one.fault.fault === 'several_facts' && one.url === url)

  function sendGroup(group: readonly Held[]): void {
    const [first] = group
    if (first?.fault.fault !== 'several_facts' || group.length < 2) return group.forEach(release)
    const members = group.flatMap(({ id }) => outlet.callbacks.get(id) ?? [])
    const [{ interface: on, account, url, notification }] = members as [Callback]
    const carries = members.map(({ id }) => id)
    const body = mergedBody(members, first.fault.member)
    // Facts of charges are sent without a certificate, and an answer delivers them.
    const asJson = notification && { notification: { ...notification, form: 'json' as const } }
    const mergedInto = outlet.send({ interface: on, account, url, body, carries, ...asJson })
    for (const id of carries) {
      held.delete(id)
      setState(id, { state: 'merged', mergedInto })
    }
  }

  tasks.define<number>(releaseKind, (id) => {
    const one = held.get(id)
    if (one === undefined) return
    records.transaction(() => (one.fault.fault === 'reorder' ? release(one) : sendGroup(groupFor(one.url))))
  })

  function join(id: number, url: string, fault: Held['fault']): 'not_now' {
    hold(id, url, fault)
    const group = groupFor(url)
    if (fault.fault === 'several_facts' && group.length >= fault.facts) sendGroup(group)
    return 'not_now'
  }

  return {
    connect(given) {
      outlet = given
    },
    begin: (callback) =>
      records.transaction(() => {
        const { id, url } = callback
        const isFresh = isUntouched(callback)
        const [group] = isFresh ? groupFor(url) : []
        if (group !== undefined) return join(id, url, group.fault)
        const fault = faults.takeForCallback(callback, (one) => canChange(one.fault, callback, isFresh))
        if (fault?.fault === 'drop') {
          setState(id, { state: 'dropped' })
          return 'not_now'
        }
        if (fault?.fault === 'reorder' || fault?.fault === 'several_facts') return join(id, url, fault)
        return fault
      }),
    redirect(id, url) {
      const one = held.get(id)
      if (one === undefined) return
      if (url === null) held.delete(id)
      else held.put(id, { ...one, url })
    },
    change: (call, fault) => changedCall(call, fault, { folder, environment }),
    finish({ id, url, ...callback }, fault) {
      for (const one of held.list()) if (one.fault.fault === 'reorder' && one.url === url) release(one)
      if (callback.addressRemovedAt !== undefined) return
      const repeat = (body: string) => outlet.send({ ...newFrom(callback), url, body, copyOf: id })
      if (fault?.fault === 'duplicate') for (let copy = 0; copy < fault.copies; copy++) repeat(callback.body)
      if (fault?.fault === 'same_id_other_content') repeat(repeatedBody(callback.body, fault.change))
    },
  }
}

/** Charge notifications show no certificate, and those over http have no handshake. */
function canChange(fault: CallbackFault['fault'], { notification, url }: Callback, isFresh: boolean): boolean {
  if (fault === 'wrong_certificate') return notification === undefined
  if (fault === 'without_server_name' || fault === 'tls12') return !url.startsWith('http:')
  return isFresh || !ONCE.includes(fault)
}

function isUntouched({ attempts, copyOf, carries, hasWaited }: Callback): boolean {
  return attempts.length === 0 && copyOf === undefined && carries === undefined && hasWaited !== true
}

function newFrom({
  interface: on,
  account,
  encoding,
  contentType,
  notification,
}: Omit<Callback, 'id' | 'url'>): Omit<NewCallback, 'url' | 'body'> {
  return {
    interface: on,
    account,
    ...(encoding !== undefined && { encoding }),
    ...(contentType !== undefined && { contentType }),
    ...(notification !== undefined && { notification }),
  }
}

async function changedCall(
  call: ReceiverCall,
  fault: CallbackFault,
  { folder, environment }: Pick<CallbackFaultsOptions, 'folder' | 'environment'>,
): Promise<ReceiverCall> {
  switch (fault.fault) {
    case 'timeout':
      return { ...call, abandonAfterMs: fault.afterMs }
    case 'late_answer':
      return { ...call, isTooLate: true }
    case 'cut_before_request':
      return { ...call, cut: 'before_request' }
    case 'cut_after_request':
      return { ...call, cut: 'after_request' }
    case 'without_server_name':
      return { ...call, withoutServerName: true }
    case 'tls12':
      return { ...call, tlsVersion: 'TLSv1.2' }
    case 'suffix':
      return { ...call, url: new URL(`${call.url.href}${fault.suffix}`) }
    case 'slow_body':
      return { ...call, bodyOverMs: fault.overMs }
    case 'wrong_certificate': {
      if (call.credentials === null) return call
      if (fault.certificate === 'none') return { ...call, credentials: null }
      const { cert, key } = await folder.wrongCertificate(environment, fault.certificate)
      return { ...call, credentials: { certificate: cert, privateKey: key } }
    }
    default:
      return call
  }
}
