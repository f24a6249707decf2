import { type Said, say } from '../../messages/say.ts'
import type { ErrorCode } from '../../platform/errors.ts'

const DECIDED = say`The fact was already released or discarded, which is final.`
const SAME_NAME = say`Several destinations have this name: type the id of the one that you mean.`

/** What the API refuses, by the field that is wrong. */
export const FIELDS: Readonly<Record<string, Said>> = {
  reason: say`The reason needs 1 to 200 characters on one line.`,
  destination: say`There is no such destination. The list of destinations shows all.`,
  secret: say`The secret cannot be used. Type whsec_ and the base64 of 24 to 64 bytes, or leave it empty.`,
  kinds: say`Choose kinds of the list.`,
  url: say`The URL cannot be used. Type it such as https://books.example/hooks.`,
  environments: say`Choose environments of the list.`,
  institutions: say`Choose institutions of the list.`,
  subjects: say`The references cannot be used. Type at most 500 references and 50 beginnings, each of at most 512 characters, one per line.`,
  timeoutMs: say`The timeout must be a whole number from 100 to 120000.`,
  concurrency: say`The number of attempts at the same time must be from 1 to 256.`,
  rateLimit: say`The limit must be a whole number from 1 to 100000.`,
  scheduleMs: say`The waits cannot be read. Type at most 100 durations of at most 30 days, such as 0s 30s 5m.`,
  headers: say`The headers cannot be used. Type one per line, such as x-team: books. The gateway sets some headers itself.`,
  authorities: say`The certificate authorities cannot be used. Paste CA certificates in PEM form.`,
  overlap: say`The overlap cannot be read. Type a duration of at most 30 days, such as 24h.`,
  position: say`There is no such event or cursor. Type the id of an event, or a cursor that the API gave.`,
  time: say`The time cannot be read. Type it such as 2026-11-22 10:00.`,
  from: say`The beginning of the period cannot be read. Type it such as 2026-11-22 10:00.`,
  to: say`The end of the period cannot be read. Type it such as 2026-11-22 10:00.`,
  name: say`The name needs 1 to 63 letters, digits, dots and hyphens, and begins with a letter or a digit.`,
  environment: say`Choose an environment.`,
  scopes: say`Choose at least one scope.`,
  grace: say`The grace period cannot be read. Type a duration of at most 30 days, such as 24h.`,
  kind: say`The gateway receives no callbacks of this kind.`,
  client: say`Choose a client of the list.`,
  pem: say`The chain is missing. Give its certificates, in PEM form.`,
}

/** By the form that asked, and the code. */
export const FORMS: Readonly<Record<string, Readonly<Partial<Record<ErrorCode, Said>>>>> = {
  '/events/:id/replay': {
    request_invalid: say`Choose one destination: only the scope operations.write sends to all at once.`,
    not_found: say`The event or the destination no longer exists, or you may not see it.`,
    forbidden: say`You may not send this event there: the destination is for another environment, or your scope only repeats existing deliveries.`,
    conflict: say`Nothing was sent: the data of the event, or each destination that has a delivery of it, was removed.`,
  },
  '/destinations/:id/pause': {
    conflict: say`It cannot be paused: it is no longer in the configuration file.`,
  },
  '/destinations/:id/resume': {
    conflict: say`It stays paused: the client certificate for it cannot be used, or it is no longer in the configuration file.`,
  },
  '/destinations/new': {
    conflict: say`The name is taken, or there are as many destinations as are allowed.`,
  },
  '/destinations/:id/edit': {
    conflict: say`Nothing was changed: the name is taken, or an app registered the URL and the kinds.`,
  },
  '/destinations/:id/delete': {
    conflict: say`Nothing was deleted: the destination is in the configuration file.`,
  },
  '/destinations/:id/rotate': {
    conflict: say`Nothing was changed: the secret is in the configuration file.`,
  },
  '/deliveries/:id/retry': {
    conflict: say`It cannot be sent: it waits for another delivery with its reference, or its destination or the data of its event was removed.`,
  },
  '/deliveries/:id/skip': {
    conflict: say`The delivery has already ended: there is nothing to skip.`,
  },
  '/consumers/:owner/:name/seek': {
    conflict: say`There are as many consumers as are allowed. Delete one that is no longer used.`,
  },
  '/replays/new/count': {
    request_invalid: SAME_NAME,
  },
  '/replays/new': {
    request_invalid: SAME_NAME,
    conflict: say`No more replays may run at the same time. Wait until one is done, or cancel one.`,
  },
  '/replays/:id/cancel': {
    conflict: say`The replay has ended, and none of its deliveries waits: there is nothing to cancel.`,
  },
  '/registrations/new': {
    not_found: say`There is no such client, or it is revoked.`,
    conflict: say`The app has registered this URL already, or there are as many destinations as are allowed.`,
  },
  '/clients/new': {
    conflict: say`A client that is not revoked has this name, or there are as many clients as are allowed.`,
  },
  '/clients/:id/rotate': {
    conflict: say`Nothing was changed: the client is revoked.`,
  },
  '/quarantine/:id/release': {
    conflict: DECIDED,
  },
  '/quarantine/:id/discard': {
    conflict: DECIDED,
  },
}

/** By the code alone. */
export const CODES: Readonly<Record<ErrorCode, Said>> = {
  request_invalid: say`What you entered cannot be read.`,
  address_forbidden: say`The gateway does not send to this address.`,
  forbidden: say`It is for another environment or another client, or reports on the whole gateway.`,
  insufficient_scope: say`You lack the scope for this. The operator can give it to a client.`,
  not_found: say`It does not exist, or no longer.`,
  conflict: say`It has changed meanwhile. Load the page again.`,
  certificate_invalid: say`This chain cannot be used.`,
  configuration_invalid: say`The configuration has no single place for a chain of this environment.`,
  queue_full: say`Too many requests wait for their answers.`,
  store_unavailable: say`The database cannot be used now.`,
  trust_missing: say`No chain of the service is installed.`,
  unauthorized: say`The session is over. Sign in again.`,
  method_not_allowed: say`This cannot be done here.`,
  not_acceptable: say`The answer cannot be given in the form that was asked for.`,
  gone: say`It was removed when its time was over.`,
  misdirected: say`The gateway does not know this host name.`,
  too_many_requests: say`There were too many requests. Try again in a minute.`,
  loop_detected: say`The request came back to the gateway that sent it.`,
  store_locked: say`Another program uses the database.`,
  store_newer: say`The database is of a newer version of the program.`,
  store_missing: say`There is no database.`,
  listen_failed: say`An address or a port cannot be opened.`,
}
