import type { OwnEvent } from '../event.ts'
import type { RaisedWarning } from '../event-record.ts'
import type { Realm } from '../realm.ts'
import type { SettledAnswer, SubjectAnswer } from './answers.ts'
import type { Gaps, GapsQuery } from './gaps.ts'
import type { GatewayRun, Outage } from './outages.ts'
import type { KnownSubject, SubjectKey, SubjectType } from './subjects.ts'

/** What an event has told of a subject. */
export interface SeenSubject extends SubjectKey {
  readonly type: SubjectType
  readonly status: string | null
  /** As in KnownSubject. */
  readonly token: string | null
  readonly day: string | null
  readonly receivedAt: number
}

/** Events of a kind and a UTC day. */
export interface SeenEvents {
  readonly kind: string
  readonly environment: Realm
  readonly day: string
  readonly received: number
  readonly reconciled: number
}

/** What the events after `from`, up to `through`, have told. */
export interface SeenBatch {
  readonly from: number
  readonly through: number
  readonly subjects: readonly SeenSubject[]
  readonly events: readonly SeenEvents[]
}

export interface ExpectedSubject extends SubjectKey {
  readonly type: SubjectType
}

export interface OpenSubjectsQuery {
  readonly kind: string
  readonly environment: Realm
  /** Only those whose next question is due by then; left out: all that are not given up. */
  readonly dueBy?: number
  /** Only those known since then. */
  readonly since?: number
  /** Continues behind this one. */
  readonly after?: Pick<KnownSubject, 'firstAt' | 'subject'>
}

/** A silent subject, and its operator event. */
export interface SilentSubject {
  readonly key: SubjectKey
  readonly event: OwnEvent
}

/** Payments of a local day that the service counts and does not name. */
export interface UnknownCount {
  readonly kind: string
  readonly environment: Realm
  readonly day: string
  readonly unknown: number
}

export interface OutageReads {
  /** The newest first. */
  listRuns(limit: number): Promise<GatewayRun[]>
  /** Those that began, or ended, after `since`, and those that go on. The newest first. */
  listOutages(since: number): Promise<Outage[]>
}

export interface OutageWrites {
  /** Returns the number of the run. Removes all but the newest `RUNS_KEPT` runs. */
  beginRun(node: string, now: number): Promise<number>
  /** A sign of life; with `isEnd` the last one. */
  continueRun(id: number, now: number, isEnd: boolean): Promise<void>
  /** Returns the number of the outage. */
  beginOutage(outage: Pick<Outage, 'beganAt' | 'endedAt' | 'cause'>): Promise<number>
  endOutage(id: number, now: number): Promise<void>
  /** Stores the operator event of an outage. null: it has one. */
  raiseOutage(id: number, event: OwnEvent): Promise<RaisedWarning | null>
  outageReconciled(id: number, now: number): Promise<void>
}

export interface ReconcileReads extends OutageReads {
  /** Position of the last event that `noteSubjects` has taken up; 0: none. */
  subjectsThrough(): Promise<number>
  /** Subjects that are still asked for, the newest first. */
  listOpenSubjects(query: OpenSubjectsQuery, limit: number): Promise<KnownSubject[]>
  getKnownSubject(key: SubjectKey): Promise<KnownSubject | null>
  /** Payments by the local day of their request, of a period whose ends both belong to it. */
  countPayments(
    kind: string,
    environment: Realm,
    firstDay: string,
    lastDay: string,
  ): Promise<{ day: string; count: number }[]>
  /** Expected subjects without an event, expected before `before`, whose silence was not raised. The oldest first. */
  listSilentSubjects(kind: string, environment: Realm, before: number, limit: number): Promise<KnownSubject[]>
  /** Delays from the expectation to the first event, in ms, of the newest `limit` expected subjects that have an event. Unsorted. */
  listDelays(kind: string, environment: Realm, limit: number): Promise<number[]>
  listGaps(query: GapsQuery): Promise<Gaps>
}

export interface ReconcileWrites extends OutageWrites {
  /** Takes up what events have told. False: another process has taken up events after `from`. */
  noteSubjects(batch: SeenBatch): Promise<boolean>
  /** Takes up all of them. Returns how many were not expected before. */
  expectSubjects(subjects: readonly ExpectedSubject[], now: number): Promise<number>
  /**
   * Stores the states of an answer that are not known as events with their deliveries. Whether one is known, and which was the last one before, is decided
   * here: a callback may have come since the question. null: `noteSubjects` has to take up what came since, first.
   */
  settleAnswer(answer: SubjectAnswer): Promise<SettledAnswer | null>
  /** Replaces the counts of these days. */
  keepUnknown(counts: readonly UnknownCount[]): Promise<void>
  /** Stores the operator event of a silent subject. null: it is not silent any more, or one was stored before. */
  raiseSilence(silent: SilentSubject): Promise<RaisedWarning | null>
}
