/**
 * Every event of the log: its level, its fields, what it means and, where that is not plain, what to do. Texts are Markdown, with links as on pages in `docs`.
 * `docs/codes.md` and `portaria log` show them.
 */
export const LOG_EVENTS = {
  'action.outcome_lost': {
    levels: ['warn'],
    fields: '`action`, `endpoint`, `error`',
    meaning: 'The log of actions could not store that an action failed.',
  },
  'alarm.failed': {
    levels: ['warn'],
    fields: '`channel`, `error`, `began`, `ended`, `goingOn`, `isTest`, `nextTryAt`',
    meaning: 'A channel did not take a message.',
    action: 'Correct the channel; the message is tried again.',
  },
  'alarm.given_up': {
    levels: ['error'],
    fields: '`channel`, `alarms`, `hint`',
    meaning: 'A message to a channel failed for a day: these alarms are not sent any more.',
  },
  'alarm.heartbeat_failed': {
    levels: ['warn'],
    fields: '`error`',
    meaning: 'The address of `heartbeat` did not answer 2xx. Logged once until it does.',
  },
  'alarm.sent': {
    levels: ['info'],
    fields: '`channel`, `began`, `ended`, `goingOn`, `isTest`',
    meaning: 'A channel took a message, with these codes and subjects.',
  },
  'answer.broken': {
    levels: ['warn'],
    fields: '`requestId`, `method`, `path`, `error`',
    meaning:
      'A file of the pages could not be made to its end: the connection was closed, so that the browser does not take it for whole.',
  },
  'answer.cut': {
    levels: ['warn'],
    fields: '`reader`, `bytes`, `leftOut`',
    meaning:
      'A client did not read its answers, or nothing of one for 30 s: connection closed. At most 10 lines a minute.',
  },
  'api.failed': {
    levels: ['error'],
    fields: '`requestId`, `method`, `path`, `error`, `stack`',
    meaning: 'A request was answered 500, or its connection was closed in the middle of the answer.',
    action: 'Report it as a bug, with `stack`.',
  },
  'authority.not_renewed': {
    levels: ['error'],
    fields: '`problem`, `hint`',
    meaning: 'The private authority could not renew a file.',
    action: 'Correct what `problem` names.',
  },
  'authority.renewed': {
    levels: ['info'],
    fields: '`what`, `until`',
    meaning: 'The private authority renewed this file.',
    action: 'Send the owner of a signed request the new one.',
  },
  'background.failed': {
    levels: ['error'],
    fields: '`task`, `error`, `stack`, `hint`',
    meaning: 'A background task failed. Each reason is logged once.',
  },
  'background.recovered': {
    levels: ['info'],
    fields: '`task`',
    meaning: 'A background task that failed succeeds again.',
  },
  'callback.address_tested': {
    levels: ['info'],
    fields: '`kind`, `institution`, `environment`, `remoteAddress`',
    meaning: 'An institution with `answer.validation: get` tested the address of this kind with a GET, answered 200.',
  },
  'callback.alert_failed': {
    levels: ['warn'],
    fields: '`environment`, `code`, `error`',
    meaning: 'The event about a refused callback could not be stored.',
  },
  'callback.answered_late': {
    levels: ['warn'],
    fields: '`kind`, `institution`, `environment`, `durationMs`, `withinMs`',
    meaning: 'Answered later than `limits.answerWithin` of its institution.',
  },
  'callback.failed': {
    levels: ['error'],
    fields: '`error`, `stack`',
    meaning: 'An unexpected error, answered 503.',
    action: 'Report it as a bug, with `stack`.',
  },
  'callback.not_stored': {
    levels: ['error'],
    fields: '`kind`, `listener`, `error`, `stack`',
    meaning: 'Answered 503; the service repeats it.',
    action: 'See `store.broken` and `disk.changed`.',
  },
  'callback.quarantined': {
    levels: ['warn'],
    fields: '`kind`, `environment`, `listener`, `reasons`, `quarantined`, `see`',
    meaning: 'Facts about foreign accounts are held back.',
    action: 'Decide with the command in `see`.',
  },
  'callback.refused': {
    levels: ['error'],
    fields: '`environment`, `code`, `path`, `eventId`, `hint`',
    meaning: '[A callback of an identified caller was refused](monitoring/README.md#refused-callbacks).',
    action: '`portaria check` names the remedy.',
  },
  'callback.stored': {
    levels: ['info'],
    fields:
      '`kind`, `environment`, `listener`, `target`, `events`, `duplicates`, `token`, `quarantined`, `deliveries`, `bytes`, `durationMs`, `remoteAddress`, `mark`',
    meaning:
      'Committed and answered 200. `events`: ids of its new events. `token`: number of the job that resolves its charge token. `target`: of charges only, the path with its token cut short. `mark`: `unparsed` or `unsplit`.',
  },
  'callbacks.quarantined': {
    levels: ['warn'],
    fields: '`quarantined`, `see`',
    meaning: '`callback.quarantined` for a second.',
    action: 'Decide with the command in `see`.',
  },
  'callbacks.stored': {
    levels: ['info'],
    fields: '`callbacks`, `events`, `duplicates`, `tokens`, `quarantined`, `deliveries`, `bytes`, `slowestMs`',
    meaning: '`callback.stored` for a second, with counts.',
  },
  'caller.refused': {
    levels: ['warn'],
    fields:
      '`listener`, `remoteAddress`, `code`, `reason`, `rawCode`, `detail`, `environment`, `tlsVersion`, `serverName`, `subject`, `issuer`, `fingerprint`',
    meaning:
      'A caller was refused. `subject`, `issuer`, `fingerprint`: of its certificate. `portaria refusals show` has all that it sent.',
    action: 'See the code in `code`.',
  },
  'callers.refused': {
    levels: ['warn'],
    fields: '`leftOut` and the fields of `caller.refused`',
    meaning: 'Callers beyond the number that is recorded one by one in a minute.',
    action: 'See the code in `code`.',
  },
  'certificate.expiring': {
    levels: ['warn', 'error'],
    fields:
      '`set`, `where`, `subject`, `issuer`, `fingerprint`, `notAfter`, `daysLeft`, `warning`, `environment`, `problem`, `eventId`',
    meaning: 'A certificate expires soon; `error` when few days are left.',
    action: 'Renew it; `set` says whose it is.',
  },
  'certificate.loses_client_use': {
    levels: ['error'],
    fields: 'the fields of `certificate.expiring`',
    meaning: "A certificate's authority can no longer renew it for TLS clients.",
    action: 'Plan another one.',
  },
  'certificate.not_renewed': {
    levels: ['error'],
    fields: '`what`, `problem`, `hint`',
    meaning: 'A file cannot be used; its earlier content stays, or without one its callers are refused.',
    action: 'Correct the file: `problem` and `hint` say how.',
  },
  'certificate.recovered': { levels: ['info'], fields: '`what`', meaning: 'The files match those in use again.' },
  'certificate.renewed': { levels: ['info'], fields: '`what`', meaning: 'Changed files were taken up.' },
  'certificate.warning': {
    levels: ['error'],
    fields: '`warning` or `problem`',
    meaning: 'A certificate or chain in use has this flaw.',
    action: 'Correct what `warning` or `problem` names.',
  },
  'certificates.not_checked': { levels: ['warn'], fields: '`error`', meaning: 'Expiry dates could not be read.' },
  'charge_route.ended': {
    levels: ['info'],
    fields: '`environment`, `resource`, `id`, `client`',
    meaning: 'An app ended the notifications of `id`.',
  },
  'charge_route.refused': {
    levels: ['warn'],
    fields: '`environment`, `resource`, `id`, `destination`, `client`, `reason`',
    meaning: "The service did not take the gateway's address; nothing changed.",
  },
  'charge_route.set': {
    levels: ['info'],
    fields: '`environment`, `resource`, `id`, `destination`, `client`',
    meaning: 'An app receives the notifications of `id`.',
  },
  'charge_route.unconfirmed': {
    levels: ['warn'],
    fields: '`environment`, `resource`, `id`, `destination`, `client`, `reason`',
    meaning: 'The service gave no answer. The app repeats its request.',
  },
  'charges.off': {
    levels: ['warn'],
    fields: '`institution`, `reason`, `set`',
    meaning: 'Kind `charge` is configured, but the charge listener is not.',
    action: 'Set the keys in `set`, or remove the kind.',
  },
  'clock.behind': {
    levels: ['error'],
    fields: '`clock`, `lastCertain`, `hint`',
    meaning: 'The clock is behind the last known time.',
    action: 'Set it.',
  },
  'clock.confirmed': { levels: ['info'], fields: '`clock`', meaning: 'An operator confirmed the clock.' },
  'clock.implausible': {
    levels: ['error'],
    fields: '`clock`, `lastCertain`, `hint`',
    meaning: 'The clock jumped ahead: nothing is removed or expired by age.',
    action: 'Compare it, then `portaria storage confirm-clock`.',
  },
  'clock.not_recorded': { levels: ['warn'], fields: '`error`', meaning: 'The time could not be stored.' },
  'clock.plausible': { levels: ['info'], fields: '`clock`', meaning: 'The clock agrees again with known times.' },
  'configuration.needs_restart': {
    levels: ['warn'],
    fields: '`keys`, `hint`',
    meaning: 'A restart applies these keys of the configuration.',
  },
  'configuration.not_reloaded': {
    levels: ['error'],
    fields: '`error`, `details`, `hint`',
    meaning: 'The changed configuration has mistakes; nothing was changed.',
  },
  'configuration.partly_reloaded': {
    levels: ['warn'],
    fields: '`renewed`, `problems`, `hint`',
    meaning: 'The changed configuration is in use, except what `problems` name.',
  },
  'configuration.reloaded': { levels: ['info'], fields: '`renewed`', meaning: 'The changed configuration is in use.' },
  'deliveries.attempted': {
    levels: ['info'],
    fields: '`destination`, `deliveries`, `slowestMs`',
    meaning: 'Successful attempts of a second beyond the first 100.',
  },
  'deliveries.canceled': {
    levels: ['warn'],
    fields: '`destination`, `state`, `canceled`',
    meaning: 'The destination was deleted or retired.',
  },
  'deliveries.exhausted': {
    levels: ['error'],
    fields: '`destination`, `exhausted`, `reason`, `holdsItsSubject`',
    meaning: 'Deliveries became older than `forwarding.maxAge`.',
    action: 'Repair the destination, then `portaria replays create --mode failed`.',
  },
  'deliveries.not_exhausted': {
    levels: ['warn'],
    fields: '`error`',
    meaning: 'Too old deliveries could not be ended.',
  },
  'deliveries.not_woken': {
    levels: ['warn'],
    fields: '`error`',
    meaning: 'After the clock was confirmed, deliveries may start late.',
  },
  'delivery.attempted': {
    levels: ['info', 'warn'],
    fields:
      '`delivery`, `eventId`, `kind`, `environment`, `destination`, `attempt`, `status`, `error`, `durationMs`, `result`, `nextAttemptAt`',
    meaning: '`info`: accepted (2xx). `warn`: failed, tried again at `nextAttemptAt`.',
  },
  'delivery.exhausted': {
    levels: ['error'],
    fields: 'the fields of `delivery.attempted`, `reason`, `holdsItsSubject`',
    meaning: 'The schedule is used up. `holdsItsSubject`: later deliveries of the subject wait for it.',
    action: 'Repair the destination, then `portaria deliveries retry`.',
  },
  'delivery.not_claimed': {
    levels: ['error'],
    fields: '`destination`, `error`',
    meaning: 'The database did not answer.',
    action: 'Look at the disk, or at PostgreSQL: `error` says what failed.',
  },
  'delivery.not_recorded': {
    levels: ['error'],
    fields: '`outcomes`, `error`',
    meaning: 'Outcomes wait in memory for the database. After a crash now, these deliveries are sent again.',
    action: 'Look at the disk, or at PostgreSQL: `error` says what failed.',
  },
  'delivery.not_released': {
    levels: ['warn'],
    fields: '`destination`, `error`',
    meaning: 'Claimed deliveries could not be given back: they are free when their lease ends.',
  },
  'destination.certificate_not_kept': {
    levels: ['warn'],
    fields: '`destination`, `error`',
    meaning: "A destination's certificate could not be recorded.",
  },
  'destination.circuit_not_recorded': {
    levels: ['warn'],
    fields: '`destination`, `error`',
    meaning: 'A changed circuit could not be stored: the API shows the earlier state until the next attempt.',
  },
  'destination.circuit_opened': {
    levels: ['error'],
    fields: '`destination`, `probeIntervalMs`',
    meaning: 'The destination keeps failing: only probes are sent.',
    action: 'Repair it; sending resumes by itself.',
  },
  'destination.not_paused': {
    levels: ['error'],
    fields: '`destination`, `error`',
    meaning: 'The pause of a destination could not be stored.',
    action: 'Look at the disk, or at PostgreSQL: `error` says what failed.',
  },
  'destination.not_resumed': {
    levels: ['warn'],
    fields: '`destination`, `error`',
    meaning: 'The end of a pause for the client certificate could not be stored.',
  },
  'destination.paused': {
    levels: ['error'],
    fields: '`destination`, `reason`',
    meaning: 'Sending stopped, for example after 410. A pause for the client certificate ends by itself.',
    action: '`portaria destinations resume` once the reason is gone.',
  },
  'destination.recovered': {
    levels: ['warn'],
    fields: '`destination`',
    meaning: 'The destination accepts deliveries again; its backlog is sent at `forwarding.catchUpRate`.',
  },
  'destination.resumed': {
    levels: ['warn'],
    fields: '`destination`, `reason`',
    meaning: 'The pause for the client certificate ended: it can be used again.',
  },
  'destinations.not_renewed': {
    levels: ['error'],
    fields: '`error`, `hint`',
    meaning: 'Changed destinations, or their authorities, could not be stored.',
  },
  'destinations.retired': {
    levels: ['warn'],
    fields: '`destinations`',
    meaning: 'These destinations are no longer in the configuration: nothing more is sent to them.',
  },
  'disk.changed': {
    levels: ['info', 'warn', 'error'],
    fields: '`from`, `to`, `freeBytes`, `minFreeBytes`, `reusableBytes`, `refused`, `meaning`, `hint`',
    meaning:
      'The [level of the disk guard](troubleshooting.md#other-troubles) changed. `error`: callbacks are refused. `info`: all is recorded again.',
  },
  'disk.dropped': {
    levels: ['warn'],
    fields: '`refusals`, `answers`',
    meaning: 'Old refusals and response bodies were removed to free space.',
    action: 'Free some space, or shorten `storage.retention`.',
  },
  'disk.not_dropped': {
    levels: ['warn'],
    fields: '`error`',
    meaning: 'Old refusals and response bodies could not be removed.',
  },
  'disk.not_measured': { levels: ['warn'], fields: '', meaning: 'Free space is unknown; the last known value counts.' },
  'disk.wal_pinned': {
    levels: ['error'],
    fields: '`freeBytes`, `minFreeBytes`, `walBacklogBytes`, `hint`',
    meaning: 'A long read keeps the write-ahead log.',
    action: 'End the program that reads for so long.',
  },
  'expected.silent': {
    levels: ['warn'],
    fields: '`kind`, `environment`, `subject`, `expectedAt`, `silence`, `eventId`',
    meaning: 'No callback of an expected id came in time.',
    action: 'Ask the service for it; run `portaria check --url`.',
  },
  'gateway.crashed': {
    levels: ['error'],
    fields: '`error`, `stack`',
    meaning: 'An unexpected error ended the process.',
    action: 'Report it as a bug, with `stack`.',
  },
  'gateway.not_closed': {
    levels: ['error'],
    fields: '`error`, `hint`',
    meaning: 'After a failed start, something could not be closed. The reason of the failure follows.',
  },
  'gateway.started': {
    levels: ['info'],
    fields: '`version`, `node`, `callbacks`, `charges`, `api`, `database`, `passed`',
    meaning: 'The gateway listens. `passed`: listeners whose sockets systemd opened.',
  },
  'gateway.stop_timeout': {
    levels: ['error'],
    fields: '`afterMs`',
    meaning: 'The stop was cut short. Deliveries under way are sent again.',
    action: 'Nothing: what was under way is repeated. Where it repeats, report it.',
  },
  'gateway.stopped': {
    levels: ['info'],
    fields: '`signal`, `while`',
    meaning: 'The gateway stopped, or was stopped while it started.',
  },
  'gateway.stopping': {
    levels: ['info'],
    fields: '`signal`',
    meaning: 'The gateway stops: requests under way are finished.',
  },
  'kind.alert_failed': {
    levels: ['warn'],
    fields: '`kind`, `error`',
    meaning: 'The silence could not be recorded; tried again.',
  },
  'kind.resumed': {
    levels: ['info'],
    fields: '`kind`, `environment`, `silentForMs`',
    meaning: 'Callbacks come again.',
  },
  'kind.silent': {
    levels: ['warn'],
    fields: '`kind`, `environment`, `silence`, `lastReceivedAt`, `eventId`',
    meaning: 'No callback came for longer than `alertAfter`.',
    action: 'Ask the service, and run `portaria check --url`.',
  },
  'limits.lowered': {
    levels: ['warn'],
    fields: '`limit`, `wanted`, `allowed`, `hint`',
    meaning: 'The limit of open files is too low for the configured connections.',
    action: 'Raise it.',
  },
  'log.dropped': {
    levels: ['warn'],
    fields: '`dropped`',
    meaning: 'The log was not read fast enough, or its disk was full.',
    action: 'Let the log be read or written faster, or free some space for it.',
  },
  'machine.addresses_unknown': {
    levels: ['warn'],
    fields: '`hint`',
    meaning: 'The system does not name the addresses of this machine: checks from here can count as refusals.',
  },
  'metrics.incomplete': {
    levels: ['warn'],
    fields: '`what`, `error`',
    meaning: 'A reading failed; its metrics are missing from `/metrics`.',
  },
  'node.outdated': {
    levels: ['warn', 'error'],
    fields: '`node`, `safeFrom`, `hint`',
    meaning: 'Known security faults in what Portaria uses; `error` in production.',
  },
  'nodes.heard': {
    levels: ['info'],
    fields: '',
    meaning: 'What other nodes change is heard again, and what changed meanwhile is taken up.',
  },
  'nodes.leases_given_back': {
    levels: ['info'],
    fields: '`destinations`, `jobs`',
    meaning: 'This node gives these destinations to another node, which has fewer.',
  },
  'nodes.leases_lost': {
    levels: ['warn'],
    fields: '`destinations`, `jobs`',
    meaning: 'Another node has these destinations, because this one was silent for 15 s.',
  },
  'nodes.leases_taken': {
    levels: ['info'],
    fields: '`destinations`, `jobs`',
    meaning: 'This node sends to these destinations (ids) from now on; `jobs`: it has that lease, too.',
  },
  'nodes.name_shared': {
    levels: ['error'],
    fields: '`node`, `hint`',
    meaning: 'Another node that lives has the same `node.name`.',
  },
  'nodes.not_heard': {
    levels: ['warn'],
    fields: '`error`',
    meaning: 'What other nodes change is not heard, and not lost.',
  },
  'nodes.not_signed_off': {
    levels: ['warn'],
    fields: '`error`',
    meaning: 'The stop of this node did not reach the database: the others take over after 15 s.',
  },
  'nodes.not_signed_on': { levels: ['warn'], fields: '`error`', meaning: 'No sign of life reached the database.' },
  'oidc.logout': { levels: ['info'], fields: '`sessions`', meaning: 'The OpenID provider ended so many sign-ins.' },
  'oidc.logout_refused': {
    levels: ['warn'],
    fields: '`error`, `leftOut`',
    meaning: 'The logout token of the OpenID provider is not valid.',
  },
  'oidc.sign_in_refused': {
    levels: ['warn'],
    fields: '`reason`, `client`, `error`, `claim`, `came`, `values`, `hint`, `leftOut`',
    meaning:
      'A sign-in at the OpenID provider was refused; `error` has its words. `begun`: by another browser, or over. `provider`: it refuses the person. `gateway`: it refuses `clientId` or client secret. `answer`: not valid. `role`: none matches: what came as the claim, with its first 20 texts, unless they name the person.',
  },
  'oidc.unreachable': {
    levels: ['warn'],
    fields: '`issuer`, `client`, `error`, `hint`, `leftOut`',
    meaning: 'The OpenID provider gives no valid answer.',
  },
  'page.failed': {
    levels: ['error'],
    fields: '`requestId`, `method`, `path`, `error`, `stack`, `hint`',
    meaning: 'A fault of the program.',
    action: 'Report it.',
  },
  'probe.recognized': {
    levels: ['info'],
    fields: '`refusals`, `addresses`',
    meaning: "A good call from the same address followed: the service's two requests.",
  },
  'proxy.not_used': {
    levels: ['warn'],
    fields: '`variable`, `hint`',
    meaning:
      'The environment names a proxy, and no connection of the gateway uses one: destinations, service, alarms and `api.oidc` are reached without.',
  },
  'quarantine.discarded': {
    levels: ['info'],
    fields: '`id`, `kind`, `environment`, `by`',
    meaning: 'A quarantined fact never becomes an event.',
  },
  'quarantine.released': {
    levels: ['info'],
    fields: '`id`, `eventId`, `kind`, `environment`, `by`, `duplicate`, `deliveries`',
    meaning: 'A quarantined fact became an event.',
  },
  'reconcile.delayed': {
    levels: ['warn'],
    fields: '`error`',
    meaning: 'The database failed: the service is asked later.',
  },
  'reconcile.done': {
    levels: ['info', 'warn'],
    fields: '`environment`, `asked`, `found`, `unknown`, `undecided`, `unnamed`, `failed`, `left`, `error`',
    meaning: '[Reconciliation](service-queries.md#what-did-i-miss); warn: a question failed.',
  },
  'refusals.not_recorded': {
    levels: ['warn'],
    fields: '`refusals`, `error`',
    meaning: 'So many refusals are missing in the database.',
  },
  'registration.created': {
    levels: ['info'],
    fields: '`registration`, `destination`, `kind`, `client`',
    meaning: 'An app registered a webhook.',
  },
  'registration.deleted': {
    levels: ['info'],
    fields: '`registration`, `destination`, `client`',
    meaning: 'A registered webhook was deleted.',
  },
  'registration.moved': {
    levels: ['info'],
    fields: '`registration`, `destination`, `client`',
    meaning: 'A registered webhook has another URL.',
  },
  'registrations.off': {
    levels: ['warn'],
    fields: '`reason`, `set`',
    meaning: 'No authority for client certificates is configured: apps cannot register webhooks with one.',
    action: 'Set a key in `set`.',
  },
  'replay.canceled': {
    levels: ['info'],
    fields: 'the fields of `replay.started`, `underWay`, `canceledBy`',
    meaning: 'Pending deliveries were withdrawn, except attempts under way (`underWay`).',
  },
  'replay.continued': {
    levels: ['info'],
    fields: 'the fields of `replay.started`',
    meaning: 'A replay goes on after a restart.',
  },
  'replay.delayed': { levels: ['warn'], fields: '`replay`, `error`', meaning: 'A step of a replay failed.' },
  'replay.finished': {
    levels: ['info', 'error'],
    fields: 'the fields of `replay.started`',
    meaning: 'A replay ended. `error`: it failed, and `reason` says why.',
    action: 'Where it failed, remove the reason and create the replay again.',
  },
  'replay.started': {
    levels: ['info'],
    fields:
      '`replay`, `destination`, `mode`, `state`, `reason`, `matched`, `leftOut`, `created`, `askedBy`, `durationMs`',
    meaning: 'A replay begins.',
  },
  'replays.not_started': {
    levels: ['error'],
    fields: '`error`',
    meaning: 'Waiting replays could not be continued: they go on with the next replay or restart.',
    action: 'Look at the disk, or at PostgreSQL: `error` says what failed.',
  },
  'retention.actions_removed': {
    levels: ['info'],
    fields: '`actions`',
    meaning: 'Old entries of the log of actions were removed.',
  },
  'retention.delayed': { levels: ['warn'], fields: '`error`', meaning: 'A pass of retention failed.' },
  'retention.removed': {
    levels: ['info'],
    fields: '`payloads`, `events`, `kept`, `durationMs`',
    meaning: '`events`: removed whole. `kept`: old callbacks that still wait for something.',
  },
  'search.delayed': {
    levels: ['warn'],
    fields: '`error`',
    meaning: 'The search index cannot be continued: searches miss newer events. Tried again every 10 s.',
  },
  'search.indexed': {
    levels: ['info'],
    fields: '`events`, `durationMs`',
    meaning: 'The search index has caught up with many events.',
  },
  'search.rebuild_started': {
    levels: ['info'],
    fields: '',
    meaning: 'Somebody asked for it: the search index is being made again from all events.',
  },
  'search.rebuilt': { levels: ['info'], fields: '`events`, `durationMs`', meaning: 'The search index was made again.' },
  'search.resumed': { levels: ['info'], fields: '', meaning: 'The search index is continued.' },
  'search.settings_changed': {
    levels: ['info'],
    fields: '',
    meaning: 'The settings `search` of a kind changed: the index is being made again from all events.',
  },
  'service.failing': {
    levels: ['warn'],
    fields: '`environment`, `interface`, `code`, `error`',
    meaning: 'Calls of an interface fail.',
    action: '`portaria service status` says why.',
  },
  'service.not_closed': {
    levels: ['warn'],
    fields: '`environment`, `error`',
    meaning: 'Connections of an earlier configuration could not be closed.',
  },
  'service.outage': {
    levels: ['warn'],
    fields: '`cause`, `beganAt`, `endedAt`, `windows`, `eventId`',
    meaning: 'Callbacks were not accepted: [After an outage](checks-and-alarms.md#after-an-outage).',
    action: 'Ask the service for what it may have given up: `portaria service reconcile`.',
  },
  'service.recovered': {
    levels: ['info'],
    fields: '`environment`, `interface`',
    meaning: 'Calls of an interface succeed again.',
  },
  'service.refused': {
    levels: ['error'],
    fields: '`environment`, `interface`, `code`, `error`, `hint`',
    meaning: 'The service refuses certificate, credentials or scope, until a person acts.',
  },
  'session.ended': {
    levels: ['info'],
    fields: '`client`, `reason`',
    meaning:
      'A sign-in ended: signed out, idle, absolute end, revoked, replaced, ended on another node, gateway stopped, or what the OpenID provider said.',
  },
  'session.started': {
    levels: ['info'],
    fields: '`client`, `bound`',
    meaning: 'A person signed in to the pages. `bound`: only with that client certificate.',
  },
  'store.broken': {
    levels: ['error'],
    fields: '`error`',
    meaning: 'Commits fail; callbacks are answered 503.',
    action: 'Look at the disk, or at PostgreSQL.',
  },
  'store.lost': {
    levels: ['error'],
    fields: '`error`',
    meaning: 'The database cannot be used, because its file was removed, or it is another one. The process ends.',
    action: 'See [A missing or damaged database](storage.md#a-missing-or-damaged-database).',
  },
  'store.reader_lost': {
    levels: ['error'],
    fields: '`error`, `hint`',
    meaning:
      'The reader thread ended. Reads fail with `store_unavailable` until a restart; callbacks and deliveries go on.',
  },
  'store.recovered': { levels: ['warn'], fields: '', meaning: 'Commits work again.' },
  'store.unsafe': {
    levels: ['warn'],
    fields: '`settings`',
    meaning:
      'With these settings of PostgreSQL, acknowledged callbacks can be lost. In mode production they are refused.',
    action: 'Set them back to their defaults, and reload PostgreSQL.',
  },
  'subject.redacted': {
    levels: ['info'],
    fields: '`environment`, `events`, `quarantined`, `canceled`, `logEmptied`',
    meaning: 'The data of a subject was removed.',
  },
  'systemd.notify_failed': {
    levels: ['error'],
    fields: '`error`, `hint`',
    meaning: 'systemd could not be notified, and may restart the gateway.',
  },
  'token.given_up': {
    levels: ['error'],
    fields: '`environment`, `token`, `error`, `hint`',
    meaning: 'No entries for 30 days: not asked for again until another callback comes.',
  },
  'token.issued': {
    levels: ['info'],
    fields: '`client`, `scopes`, `bound`',
    meaning: 'An access token was issued. `bound`: only with that client certificate.',
  },
  'token.refused': {
    levels: ['warn'],
    fields: '`client`, `address`, `leftOut`',
    meaning: 'Wrong client id (null: no valid form) or secret of a request for a token. At most 60 lines a minute.',
  },
  'token.resolved': {
    levels: ['info'],
    fields: '`environment`, `token`, `events`, `waitedMs`',
    meaning: 'The service gave entries of a charge token. `token`: number of its job.',
  },
  'token.unresolved': {
    levels: ['warn'],
    fields: '`environment`, `token`, `events`, `error`, `see`',
    meaning: 'Not resolved within `resolveWithin`: the token became an event itself. Queries go on.',
    action: 'Ask as the command in `see` shows.',
  },
  'tokens.budget_used_up': {
    levels: ['warn'],
    fields: '`environment`, `limit`, `hint`',
    meaning: 'The [queries of this UTC day](service-queries.md#budgets) are used up.',
  },
  'tokens.delayed': {
    levels: ['warn'],
    fields: '`environment`, `error`',
    meaning: 'The database failed: charge tokens are resolved later.',
  },
  'tokens.held_back': {
    levels: ['warn'],
    fields: '`environment`, `error`, `waitMs`, `see`',
    meaning: 'The service cannot be asked. One query tries again after each wait.',
    action: 'Ask as the command in `see` shows.',
  },
  'tokens.resolved': {
    levels: ['info'],
    fields: '`tokens`, `events`',
    meaning: '`token.resolved` for a second, with counts.',
  },
  'tokens.sender_used_up': {
    levels: ['warn'],
    fields: '`environment`, `remoteAddress`, `limit`, `hint`',
    meaning:
      'One address used up its share of the queries of charge tokens. Tokens of others are asked for. Once a day.',
  },
  'tokens.resumed': { levels: ['info'], fields: '`environment`', meaning: 'The service can be asked again.' },
  'trust.renewed': {
    levels: ['warn'],
    fields: '`issuing`, `closed`',
    meaning: 'The chains of the service changed. `closed`: connections of callers that are no longer trusted.',
  },
  'watchdog.withheld': {
    levels: ['error'],
    fields: '`hint`',
    meaning: 'The writer does not answer: systemd restarts the gateway.',
  },
} as const satisfies Readonly<Record<string, LogEvent>>

export type LogEventName = keyof typeof LOG_EVENTS
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal'

export interface LogEventWords {
  readonly fields: string
  readonly meaning: string
  /** Left out where the fields say it, or nothing has to be done. */
  readonly action?: string
}

interface LogEvent extends LogEventWords {
  readonly levels: readonly LogLevel[]
}
